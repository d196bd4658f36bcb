// What `npm test` and `npm run test:long` print at their end.
import type { TestResults } from "./test-results.ts";

/** A second run hides a fault, or a machine that is too busy. More of them in one run are red. */
const MAX_SECOND_RUNS = 3;

export interface Outcome {
  /** The number of checks beside the tests. */
  readonly checks: number;
  /** The names of those that failed. */
  readonly failedChecks: readonly string[];
  /** Whether the tests' runner ended with status 0. */
  readonly runnerPassed: boolean;
  /** `undefined` if the runner wrote no results. */
  readonly results: TestResults | undefined;
}

interface Summary {
  readonly lines: readonly string[];
  readonly passed: number;
  readonly failed: number;
}

const SLOWEST = 10;

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`.padStart(6);

/** The files that took longest. Another file may have run beside each. */
export function slowestOf(files: TestResults["files"]): string[] {
  const slowest = files.toSorted((one, other) => other.ms - one.ms).slice(0, SLOWEST);
  return slowest.map(({ path, tests, ms, processorMs }) => {
    const spent =
      processorMs === undefined ? "" : `, ${seconds(processorMs).trim()} of the processor`;
    return `${seconds(ms)}  ${path}, ${tests} tests${spent}`;
  });
}

/** The number of passed and failed checks and tests, and what a person must read of them. */
export function summaryOf({ checks, failedChecks, runnerPassed, results }: Outcome): Summary {
  const lines = failedChecks.map((name) => `FAILED: ${name}`);
  if (results === undefined) {
    lines.push("FAILED: the tests' runner wrote no results. Look for its message above.");
    return { lines, passed: 0, failed: 1 };
  }
  const { passed, failures, secondRuns, skipped } = results;
  lines.push(...failures.map((failure) => `FAILED: ${failure}`));
  const runnerFailed = !runnerPassed && failures.length === 0;
  if (runnerFailed) lines.push("FAILED: the tests' runner. Look for its message above.");
  lines.push(...secondRuns.map((run) => `SECOND RUN, the first one failed: ${run}`));
  const tooMany = secondRuns.length > MAX_SECOND_RUNS;
  if (tooMany) {
    lines.push(
      `FAILED: ${secondRuns.length} tests passed only in their second run. At most ${MAX_SECOND_RUNS} may: repair them.`,
    );
  }
  if (skipped.length > 0)
    lines.push(`NOT RUN: ${skipped.length} tests`, `  ${skipped.join("\n  ")}`);
  const failed = failedChecks.length + failures.length + Number(runnerFailed) + Number(tooMany);
  if (failed === 0) lines.push("All checks passed.");
  return { lines, passed: passed + checks - failedChecks.length, failed };
}
