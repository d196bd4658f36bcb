/**
 * How events are processed: by the process that receives them; by processes that drain the inbox and
 * end, while those that receive only store; as at first, and payments without a webhook are swept; or as
 * at first, by versions that take turns and know other kinds of events, with some that drain beside them.
 */
export const MODES = ["start", "drain", "sweep", "versions"] as const;
export type Mode = (typeof MODES)[number];

/** A kind of event that this version does not document, and the next one does. */
export const NEW_KIND = "payment.reversed";

/** Versions of the package. */
const VERSIONS = ["this", "next"] as const;
export type Version = (typeof VERSIONS)[number];

/** The version of the process that comes after as many others. */
export const versionAt = (mode: Mode, count: number): Version | undefined =>
  mode === "versions" ? VERSIONS[count % VERSIONS.length] : undefined;
