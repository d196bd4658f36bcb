import { readProfileFile } from "../../learn/profile-file.ts";
import { findContradictions, isOfTwoServices } from "../../profile/contradictions.ts";
import type { ServiceProfile } from "../../profile/types.ts";
import { usageError } from "../cli-error.ts";
import { printable, printError } from "../terminal/output.ts";

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

const MAX_EXAMPLES = 3;

/** Why the runs of a profile cannot be of one service; `undefined` if they may well be. */
export function describeTwoServices(profile: ServiceProfile): string | undefined {
  if (!isOfTwoServices(profile)) return undefined;
  const { contradictions } = findContradictions(profile);
  const examples = contradictions
    .slice(0, MAX_EXAMPLES)
    .map(({ place, found }) => `\n  ${printable(place)}: ${printable(found)}`);
  return `These contradict each other in ${contradictions.length} places, as the profiles of two services do:${examples.join("")}`;
}

/** Reads a profile, and warns if it is of two services. */
export function readOneProfile(path: string): ServiceProfile {
  const profile = readProfile(path);
  const reason = describeTwoServices(profile);
  if (reason !== undefined) printError(`malipo: The runs in ${path}: ${reason}`);
  return profile;
}
