/** The version of a record. A record of another version is neither used nor changed. */
export const RECORD_VERSION = 2;

/** The format of a new store. Data in a format that is not read is not changed either. */
export const STORE_FORMAT = 3;

/** Before this format, all scopes of a store shared their keys. Such a store keeps its format. */
const SCOPED_FROM = 3;

const READ_FORMATS = [2, STORE_FORMAT];

/** Whether this version reads a format, as the engine returns it. */
export const isReadable = (format: unknown): boolean =>
  READ_FORMATS.some((one) => String(one) === String(format));

/** A key with the scope that it belongs to. The name of a record begins with a letter, never with a quote. */
export const scopedKey = (scope: string, key: string): string =>
  scope === "" ? key : `${JSON.stringify(scope)} ${key}`;

/** The key under which a store in a format keeps a record. */
export const storedKey = (format: number, scope: string, key: string): string =>
  format < SCOPED_FROM ? key : scopedKey(scope, key);

/**
 * Why a store rejects data in another format, and what to do.
 *
 * @param elsewhere - What to give the store instead: `the path of a new file`.
 */
export function unknownFormat(format: number | string, elsewhere: string): string {
  const whose = Number(format) > STORE_FORMAT ? "a later version" : "an earlier build";
  return `its idempotency keys were written by ${whose} of malipo, in format ${format}; this version reads formats ${READ_FORMATS.join(" and ")}. Use the version that wrote them. To use this version, first resolve every attempt in flight or unknown with that version (npx malipo attempts list), then pass ${elsewhere}, and never use the old keys again: they are forgotten, and would prompt again.`;
}
