/** The format of a store and of its records. Data in another format is neither read nor changed. */
export const STORE_FORMAT = 2;

/**
 * Why a store rejects data in another format, and what to do.
 *
 * @param elsewhere - What to give the store instead: `the path of a new file`.
 */
export function unknownFormat(format: number | string, elsewhere: string): string {
  const whose = Number(format) > STORE_FORMAT ? "a later version" : "an earlier build";
  return `its idempotency keys were written by ${whose} of malipo, in format ${format}; this version reads format ${STORE_FORMAT}. Use the version that wrote them. To use this version, first resolve every attempt in flight or unknown with that version (npx malipo attempts list), then pass ${elsewhere}, and never use the old keys again: they are forgotten, and would prompt again.`;
}
