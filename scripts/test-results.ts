import { readFileSync } from "node:fs";
import { relative } from "node:path";

/** The results of the last run of each command, as the tests' runner writes them. */
export const TEST_RESULTS = {
  test: "node_modules/.cache/vitest-results.json",
  long: "node_modules/.cache/vitest-results-long.json",
} as const;

interface Written {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly startTime: number;
    readonly endTime: number;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

interface TestResults {
  readonly passed: number;
  readonly failed: number;
  /** The tests that did not run. */
  readonly skipped: readonly string[];
  readonly files: readonly { readonly path: string; readonly tests: number; readonly ms: number }[];
}

/** Reads the results of the last run. `undefined` if it wrote none. */
export function readResults(command: keyof typeof TEST_RESULTS): TestResults | undefined {
  let written: Written;
  try {
    written = JSON.parse(readFileSync(TEST_RESULTS[command], "utf8"));
  } catch {
    return undefined;
  }
  const { numPassedTests, numFailedTests, testResults } = written;
  // A file that fails before its first test counts as one failed test.
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  ).length;
  const files = testResults.map(({ name, startTime, endTime, assertionResults }) => ({
    path: relative(".", name),
    tests: assertionResults.length,
    ms: endTime - startTime,
  }));
  const skipped = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map(({ fullName }) => `${relative(".", name)}: ${fullName}`),
  );
  return { passed: numPassedTests, failed: numFailedTests + brokenFiles, skipped, files };
}
