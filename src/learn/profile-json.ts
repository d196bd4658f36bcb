import { encodeProfile } from "../profile/file-format.ts";
import { mergeValues } from "../profile/merge.ts";
import { parseProfile as parse } from "../profile/parse.ts";
import type { ProfileFile } from "../profile/types.ts";

/**
 * Checks that a value, such as the parsed content of `malipo.service.json`, is a profile that this
 * release can read, and returns a sorted copy. Use it before you store a profile from elsewhere.
 *
 * @throws {ConfigurationError} for what is not a profile, for another version of the format, and for a
 * file that was changed by hand and no longer fits together.
 */
export const parseProfile = (value: unknown): ProfileFile => encodeProfile(parse(value));

/**
 * What two profiles know together. The order does not matter, nor how often a profile is merged: each
 * counts by run.
 *
 * @throws {ConfigurationError} for what is not a profile.
 *
 * @example
 * ```ts
 * const all = mergeProfiles(staging, production);
 * ```
 */
export const mergeProfiles = (a: ProfileFile, b: ProfileFile): ProfileFile =>
  encodeProfile(mergeValues(parse(a), parse(b)));
