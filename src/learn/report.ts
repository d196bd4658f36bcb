import { joinFindings, type Rule } from "../profile/rules/finding.ts";
import type { ServiceProfile } from "../profile/types.ts";

/** What was learned about one assumption of the sandbox. */
export interface ReportEntry {
  /** The name of the assumption, such as `lists`. */
  readonly name: string;
  /**
   * `confirmed`: the service does what the sandbox assumes. `contradicted`: it does something else.
   * `unseen`: nothing that was seen bears on it.
   */
  readonly result: "confirmed" | "contradicted" | "unseen";
  /** How many observations bear on it. */
  readonly seen: number;
  /** What the sandbox assumes. */
  readonly assumed: string;
  /** What the service does in another way; `null` unless contradicted. */
  readonly found: string | null;
}

/** An assumption, as far as a report needs it. `ASSUMPTIONS` of `malipo/sandbox` is a table of them. */
export interface ReportedAssumption {
  readonly choice: string;
  readonly learn: { readonly rule: Rule } | { readonly never: string };
}

/**
 * What a profile shows about each assumption of the sandbox: one entry for each, in their order.
 *
 * @example
 * ```ts
 * const wrong = reportOn(profile, ASSUMPTIONS).filter(({ result }) => result === "contradicted");
 * ```
 */
export const reportOn = (
  profile: ServiceProfile,
  assumptions: Readonly<Record<string, ReportedAssumption>>,
): ReportEntry[] =>
  Object.entries(assumptions).map(([name, { choice, learn }]) => {
    const { seen, contradictions } = joinFindings("rule" in learn ? learn.rule(profile) : []);
    const isContradicted = contradictions.length > 0;
    return {
      name,
      result: isContradicted ? "contradicted" : seen > 0 ? "confirmed" : "unseen",
      seen,
      assumed: choice,
      found: isContradicted ? contradictions.join("; ") : null,
    };
  });
