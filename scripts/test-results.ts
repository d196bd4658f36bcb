import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

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
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

interface TestResults {
  readonly passed: number;
  readonly failed: number;
  /** The tests that failed, each with its message. */
  readonly failures: readonly string[];
  /** The tests that did not run. */
  readonly skipped: readonly string[];
  readonly files: readonly { readonly path: string; readonly tests: number; readonly ms: number }[];
}

const MAX_MESSAGE_LINES = 60;

/** The messages of each run of a test, without colours. A long one keeps its end, which says what is wrong. */
const shortened = (messages: readonly string[]): string =>
  messages
    .map((message) => {
      const lines = stripVTControlCharacters(message).split("\n");
      const left = lines.length - MAX_MESSAGE_LINES;
      return left > 0 ? `(${left} lines)\n${lines.slice(left).join("\n")}` : lines.join("\n");
    })
    .join("\n");

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
  const failures = testResults.flatMap(({ name, message, status, assertionResults }) => {
    const broken = assertionResults.length === 0 && status === "failed" ? [`: ${message}`] : [];
    const failed = assertionResults
      .filter((one) => one.status === "failed")
      .map(({ fullName, failureMessages }) => `: ${fullName}\n${shortened(failureMessages)}`);
    return [...broken, ...failed].map((what) => `${relative(".", name)}${what}`);
  });
  return { passed: numPassedTests, failed: numFailedTests + brokenFiles, failures, skipped, files };
}
