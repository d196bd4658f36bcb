// What a drill that tested nothing, or not all, says at its end: it never passes.
import { type CaseResult, CaseRun } from "./case-run.ts";
import { TOO_LATE } from "./deliver.ts";
import { forgive, isSpoiled } from "./promises.ts";

/** The share of cases that may miss their moment. A drill in which more do tests too little. */
const MAX_MISSED = 0.05;
const SHARED = "two shops had the same database";

type Results = Map<number, CaseResult>;

/** The orders that were placed. */
export const placedOrders = (results: Results): CaseRun[] =>
  [...results.values()].filter((one) => one instanceof CaseRun);

/**
 * Decides which cases count, and returns why the drill could not test the shop.
 *
 * @param sharesData - Whether two shops that ran side by side had one database.
 */
export function conclude(
  results: Results,
  {
    signal,
    sharesData,
  }: { readonly signal: AbortSignal | undefined; readonly sharesData: boolean },
): string[] {
  const found: string[] = [];
  if (signal?.aborted) {
    found.push(
      `The drill was interrupted (${signal.reason}). Run the rest: npx malipo drill --continue`,
    );
  }
  if (sharesData) found.push(forgetAll(results));
  found.push(
    ...concludeRejections(results),
    ...concludeRoutes(results),
    ...concludeDelays(results),
  );
  const untested = placedOrders(results).filter(
    (one) => one.skipped === undefined && !one.isTested,
  );
  const [first] = untested.filter(({ problems }) => problems.size === 0);
  if (first !== undefined) {
    const example = `the first one in case ${first.case.number} (${first.case.text})`;
    found.push(`${untested.length} planned faults never happened, ${example}.`);
  }
  const missed = [...results.values()].filter(({ skipped }) => skipped === TOO_LATE);
  if (missed.length > MAX_MISSED * results.size) {
    found.push(
      `${missed.length} cases came to nothing, since ${TOO_LATE}. The machine is too busy for a drill.`,
    );
  }
  if (![...results.values()].some(isDecided)) found.push("No case tested the shop.");
  return found;
}

/** Whether a case says something about the shop. */
const isDecided = ({ skipped, undecided }: CaseResult): boolean =>
  skipped === undefined && undecided === undefined;

/** What is wrong says nothing if each shop also saw the orders of another one. */
function forgetAll(results: Results): string {
  for (const { case: one, story, problems } of results.values()) {
    if (problems.size === 0) continue;
    results.set(one.number, { case: one, problems: new Map(), story, skipped: SHARED });
  }
  return "Two shops of this drill have the same database: one asked its sandbox for a payment of the other. Run it with --workers 1, so that one shop runs at a time.";
}

/** A result that came late on a busy machine does not show that the shop broke a promise. */
function concludeDelays(results: Results): string[] {
  const found: string[] = [];
  const runs = placedOrders(results);
  for (const run of runs) if (isSpoiled(run)) forgive(run);
  const undecided = runs.filter((run) => run.undecided !== undefined);
  const [first] = undecided;
  if (first !== undefined) {
    const numbers = undecided.map((run) => run.case.number).join(", ");
    found.push(
      `The machine was too busy to decide ${undecided.length} of ${results.size} cases: in case ${first.case.number}, ${first.undecided}. Run them again when it has time, with --workers 1: ${numbers}.`,
    );
  }
  const late = runs.find(({ delay, problems }) => delay && problems.size > 0);
  if (late !== undefined) {
    found.push(
      `The machine was busy while the shop broke promises: in case ${late.case.number}, ${late.delay}. Run these cases again with --workers 1.`,
    );
  }
  return found;
}

/** A route that rejects what it is there for was not tested. */
function concludeRoutes(results: Results): string[] {
  const rejected = placedOrders(results).filter(
    (one) => one.rejectedRoute !== undefined && !one.isTested && one.problems.size === 0,
  );
  const [first] = rejected;
  if (first === undefined) return [];
  for (const one of rejected) one.skipped ??= "the shop rejected what was to be tried";
  return [
    `The shop did not take what it has a route for in ${rejected.length} cases, the first one in case ${first.case.number} (${first.case.text}): ${first.rejectedRoute}.`,
  ];
}

/** A shop that rejects orders was not tested with them. */
function concludeRejections(results: Results): string[] {
  const rejected = placedOrders(results).filter(
    (one) =>
      one.isRejected &&
      !one.isTested &&
      one.problems.size === 0 &&
      // A shop need not serve phones of other countries.
      one.case.act !== "foreignPhone",
  );
  // Of those who want the last piece, one gets it.
  const rivals = placedOrders(results).filter(({ case: { act } }) => act === "lastPiece");
  if (rivals.length > 0 && rivals.every((one) => one.isRejected)) rejected.push(...rivals);
  const [first] = rejected;
  if (first === undefined) return [];
  for (const one of rejected) one.skipped ??= "the shop rejected its order";
  return [
    `The shop rejected ${rejected.length} of ${results.size} orders, the first one in case ${first.case.number}: ${first.rejection}. If it limits orders of one visitor, or has limited stock, lift that for the drill, by "env" in malipo.drill.json.`,
  ];
}
