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

/** Where the runs of a profile contradict each other. */
export interface Disagreement {
  readonly message: string;
  /** Whether they are so different that they cannot be of one service. */
  readonly isOfTwoServices: boolean;
}

/** `undefined` if the runs of a profile contradict each other nowhere. */
export function findDisagreement(profile: ServiceProfile): Disagreement | undefined {
  const { contradictions } = findContradictions(profile);
  if (contradictions.length === 0) return undefined;
  const isTwo = isOfTwoServices(profile);
  const reason = isTwo ? "as the profiles of two services do" : "as those of a changed service do";
  const examples = contradictions
    .slice(0, MAX_EXAMPLES)
    .map(({ place, found }) => `\n  ${printable(place)}: ${printable(found)}`);
  const places = contradictions.length === 1 ? "1 place" : `${contradictions.length} places`;
  return {
    message: `these contradict each other in ${places}, ${reason}:${examples.join("")}`,
    isOfTwoServices: isTwo,
  };
}

/** Reads a profile, and warns if its runs contradict each other. */
export function readOneProfile(path: string): ServiceProfile {
  const profile = readProfile(path);
  const disagreement = findDisagreement(profile);
  if (disagreement) printError(`malipo: of the runs in ${path}, ${disagreement.message}`);
  return profile;
}
