import type { ServiceProfile } from "../types.ts";

/** What a profile shows about an assumption. */
export interface Finding {
  /** How many observations bear on it. 0: nothing is known. */
  readonly seen: number;
  /** What the service does in another way, as short sentences. None: the assumption is confirmed. */
  readonly contradictions: readonly string[];
}

/** Decides an assumption by what was seen of a service. */
export type Rule = (profile: ServiceProfile) => Finding;

/** Several findings about one assumption, as one. */
export function joinFindings(findings: Iterable<Finding>): Finding {
  let seen = 0;
  const contradictions = new Set<string>();
  for (const finding of findings) {
    seen += finding.seen;
    for (const one of finding.contradictions) contradictions.add(one);
  }
  return { seen, contradictions: [...contradictions] };
}

export const NOTHING_SEEN: Finding = { seen: 0, contradictions: [] };

/** `a`, `a and b`, `a, b and c`. */
export const enumerate = (names: readonly (string | number)[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
