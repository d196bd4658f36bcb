// What a drill has found so far, in a file: a drill that was stopped goes on from it.
import { createHash } from "node:crypto";
import { ConfigurationError } from "../errors/configuration.ts";
import { parseJson } from "../internal/json.ts";
import { type CaseResult, CaseRun } from "./case-run.ts";
import { allCases } from "./cases.ts";
import { DRILL_FILE, SHOP_SETTINGS } from "./drill-options.ts";
import type { RawSettings } from "./drill-settings.ts";
import { isSpoiled } from "./promises.ts";

/** The file with the results of a drill that has not ended. It stands beside the settings. */
export const KEPT_FILE = "malipo.drill.results.json";

interface Kept {
  /** Results of other settings say nothing about a shop. */
  readonly settings: string;
  readonly results: readonly {
    readonly number: number;
    readonly problems: readonly (readonly [promise: string, what: string])[];
    readonly story: CaseResult["story"];
    readonly payments: readonly string[];
  }[];
}

/** The settings have secrets of the shop in its environment: only their digest is kept. */
function digestOf(raw: RawSettings): string {
  const values = SHOP_SETTINGS.map(({ name }) => raw[name] ?? null);
  return createHash("sha256").update(JSON.stringify(values)).digest("hex");
}

/** Whether a case needs no second run. */
function isKnown(one: CaseResult): boolean {
  if (one.skipped !== undefined || one.undecided !== undefined || one.case.isRandom) return false;
  if (!(one instanceof CaseRun)) return true;
  return !isSpoiled(one) && (one.problems.size > 0 || one.isTested);
}

/** The content of the file. */
export function keptResults(raw: RawSettings, results: Iterable<CaseResult>): string {
  const kept: Kept = {
    settings: digestOf(raw),
    results: [...results].filter(isKnown).map(({ case: one, problems, story, payments = [] }) => ({
      number: one.number,
      problems: [...problems],
      story,
      payments: payments.map(({ status }) => status),
    })),
  };
  return JSON.stringify(kept);
}

/**
 * Reads the results of the cases that need not run again.
 *
 * @throws {ConfigurationError} for the results of other settings, and if the file holds no results of a drill.
 */
export function readKeptResults(text: string | undefined, raw: RawSettings): CaseResult[] {
  const { settings, results }: Partial<Kept> = Object(parseJson(text ?? ""));
  if (results === undefined) {
    throw new ConfigurationError(
      `There is nothing to continue: ${KEPT_FILE} ${text === undefined ? "does not exist" : "has no results"}. Run the drill without --continue.`,
    );
  }
  if (settings !== digestOf(raw)) {
    throw new ConfigurationError(
      `The results in ${KEPT_FILE} are of other settings than those of ${DRILL_FILE} and the flags. Run the drill without --continue.`,
    );
  }
  const cases = new Map(allCases().map((one) => [one.number, one]));
  return results.flatMap(({ number, problems, story, payments }) => {
    const one = cases.get(number);
    if (one === undefined) return [];
    const paid = payments.map((status) => ({ status }));
    return [{ case: one, problems: new Map(problems), story, payments: paid }];
  });
}
