import { readProfileFile } from "../../learn/profile-file.ts";
import { encodeProfile } from "../../profile/file-format.ts";
import type { ProfileFile } from "../../profile/types.ts";
import { usageError } from "../cli-error.ts";

/**
 * The profile of a file.
 *
 * @throws {CliError} `usage` for a missing file. {@link ConfigurationError} for a file that is not a
 *   profile.
 */
export function readProfile(path: string): ProfileFile {
  const profile = readProfileFile(path);
  if (profile !== undefined) return encodeProfile(profile);
  throw usageError(
    `--profile: there is no file ${path}. \`npx malipo probe\` writes a profile of your service.`,
  );
}
