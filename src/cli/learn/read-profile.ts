import { readProfileFile } from "../../learn/profile-file.ts";
import type { ServiceProfile } from "../../profile/types.ts";
import { usageError } from "../cli-error.ts";

/**
 * Reads a profile that a command is about.
 *
 * @throws {CliError} `usage` if there is no such file. {@link ConfigurationError} for a file that is not
 *   a profile of this version.
 */
export function readProfile(path: string): ServiceProfile {
  const profile = readProfileFile(path);
  if (profile !== undefined) return profile;
  throw usageError(`There is no file ${path}. \`npx malipo probe\` writes a profile.`);
}
