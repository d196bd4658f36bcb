import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { parseProfile } from "../../profile/parse.ts";
import type { ServiceProfile } from "../../profile/types.ts";
import { usageError } from "../cli-error.ts";

/**
 * Checks, before anything is sent, that a profile can be written to a path, and returns the profile
 * that is there.
 *
 * @throws {CliError} `usage` for a folder that does not exist, and for a file that is not a profile of
 *   this version. It is left unchanged.
 */
export function checkProfileOut(flag: string, path: string): ServiceProfile | undefined {
  const folder = dirname(path);
  if (!existsSync(folder)) {
    throw usageError(`--${flag}: there is no folder ${folder}. Make it, or give another path.`);
  }
  if (!existsSync(path)) return undefined;
  if (statSync(path).isDirectory()) throw usageError(`--${flag}: ${path} is a folder.`);
  const text = readFileSync(path, "utf8");
  if (text.trim() === "") return undefined;
  try {
    return parseProfile(JSON.parse(text), path);
  } catch (error) {
    const reason = error instanceof SyntaxError ? `${path} is not JSON.` : (error as Error).message;
    throw usageError(`${reason} It was left unchanged. Give another path for --${flag}.`);
  }
}
