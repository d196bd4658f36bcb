import type { ServiceProfile } from "../profile-types.ts";

/** What a part of a profile shows about an assumption. */
export interface Finding {
  /** How many observations bear on it. 0: nothing is known. */
  readonly seen: number;
  /** What the service does in another way, as short sentences. None: the assumption is confirmed. */
  readonly contradictions: readonly string[];
}

/** Decides an assumption by what was seen of a service. No findings: nothing is known. */
export type Rule = (profile: ServiceProfile) => readonly Finding[];

/** All findings about one assumption, as one. */
export const joinFindings = (findings: readonly Finding[]): Finding => ({
  seen: findings.reduce((sum, { seen }) => sum + seen, 0),
  contradictions: [...new Set(findings.flatMap(({ contradictions }) => contradictions))],
});

/** A difference, if its condition holds. */
type Differences = readonly (readonly [isThere: boolean, text: string])[];

export const textsOf = (differences: Differences): string[] =>
  differences.filter(([isThere]) => isThere).map(([, text]) => text);

/** `a`, `a and b`, `a, b and c`. */
export const enumerate = (names: readonly (string | number)[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** The fields that something lacks, and those that it has beyond the ones that it may have. */
export function fieldDifferences(
  what: string,
  names: readonly string[],
  required: readonly string[],
  allowed = required,
): string[] {
  const missing = required.filter((name) => !names.includes(name));
  const further = names.filter((name) => !allowed.includes(name)).sort();
  return textsOf([
    [missing.length > 0, `${what} has no ${enumerate(missing)}`],
    [further.length > 0, `${what} has ${enumerate(further)}, too`],
  ]);
}
