import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigurationError } from "../../errors/configuration.ts";
import { readProfileFile } from "../../learn/profile-file.ts";
import type { ServiceProfile } from "../../profile/profile-types.ts";
import { usageError } from "../cli-error.ts";
import { pathOf } from "../input/files.ts";
import type { Io } from "../io.ts";

/**
 * Reads a profile that a command is about.
 *
 * @throws {CliError} `usage` if the file does not exist. {@link ConfigurationError} for a file that is not
 *   a profile of this version.
 */
export function readProfile(io: Io, path: string): ServiceProfile {
  const profile = readProfileFile(pathOf(io, path));
  if (profile !== undefined) return profile;
  throw usageError(`There is no file ${path}. \`npx malipo probe\` writes a profile.`);
}

/**
 * Checks, before anything is sent, that a profile can be written to the path of `--out`, and returns the
 * profile that is there.
 *
 * @throws {CliError} `usage` for a folder that does not exist, and for a file that is not a profile of
 *   this version. It is left unchanged.
 */
export function checkProfileOut(io: Io, named: string): ServiceProfile | undefined {
  const path = pathOf(io, named);
  const folder = dirname(path);
  if (!existsSync(folder)) {
    throw usageError(`--out: there is no folder ${folder}. Make it, or give another path.`);
  }
  const file = statSync(path, { throwIfNoEntry: false });
  if (file?.isDirectory()) throw usageError(`--out: ${path} is a folder.`);
  if (file === undefined || readFileSync(path, "utf8").trim() === "") return undefined;
  try {
    return readProfileFile(path);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw usageError(`${error.message} It was left unchanged. Give another path for --out.`);
  }
}
