/** The version of a record. A record of another version is neither used nor changed. */
export const RECORD_VERSION = 2;

/** The format of a store. Data in another format are neither read nor changed. */
export const STORE_FORMAT = 3;

/** A key with the scope that it belongs to. The name of a record begins with a letter, never with a quote. */
export const scopedKey = (scope: string, key: string): string =>
  scope === "" ? key : `${JSON.stringify(scope)} ${key}`;

/**
 * Why a store rejects data in another format, and what to do.
 *
 * @param elsewhere - What to give the store instead: `the path of a new file`.
 */
export const unknownFormat = (format: number | string, elsewhere: string): string =>
  `its idempotency keys have format ${format}, and this version of malipo reads format ${STORE_FORMAT}. Install the version that wrote them. To use this version, first resolve every attempt in flight or unknown with that version (npx malipo attempts list), then pass ${elsewhere}, and never use the old keys again: they are forgotten, and would prompt again.`;
