import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** The results of the last run of each command, as the reporter writes them. */
export const TEST_RESULTS = {
  test: "node_modules/.cache/test-results.json",
  long: "node_modules/.cache/test-results-long.json",
} as const;

export interface TestResults {
  readonly passed: number;
  /** What failed, each with the message of each run: tests, files, hooks, and errors outside of a test. */
  readonly failures: readonly string[];
  /** The tests that failed, ran once more and passed, each with the message of its first run. */
  readonly secondRuns: readonly string[];
  /** The tests that did not run. */
  readonly skipped: readonly string[];
  readonly files: readonly TestFile[];
}

export interface TestFile {
  readonly path: string;
  readonly tests: number;
  readonly ms: number;
  /** Of the file, and of the programs that it started and that have ended. Only Linux says it. */
  readonly processorMs?: number | undefined;
}

const MAX_MESSAGE_LINES = 60;

/** A text without colours. A long one keeps its end, which says what is wrong. */
function shortened(message: string): string {
  const lines = stripVTControlCharacters(message).split("\n");
  const left = lines.length - MAX_MESSAGE_LINES;
  return (left > 0 ? [`(${left} lines)`, ...lines.slice(left)] : lines).join("\n");
}

const messagesOf = (errors: readonly SerializedError[] = []): string =>
  errors.map(({ message, stack }) => shortened(stack ?? message)).join("\n");

/** What an error holds beside its message: its code, and the test file that ran when nothing caught it. */
function fieldsOf({ name: _, message, stack, ...fields }: SerializedError): string {
  const simple = Object.entries(fields).filter(([, value]) =>
    ["string", "number", "boolean"].includes(typeof value),
  );
  return simple.map(([field, value]) => `  ${field}: ${value}`).join("\n");
}

function resultsOf(
  modules: readonly TestModule[],
  outside: readonly SerializedError[],
): TestResults {
  let passed = 0;
  const failures: string[] = [];
  const secondRuns: string[] = [];
  const skipped: string[] = [];
  const files: TestFile[] = [];
  for (const module of modules) {
    const path = relative(".", module.moduleId);
    const tests = [...module.children.allTests()];
    const { collectDuration, duration } = module.diagnostic();
    const ms = Math.round(collectDuration + duration);
    files.push({ path, tests: tests.length, ms, processorMs: module.meta().processorMs });
    // A file that cannot be loaded, or whose hook fails, is one failure.
    for (const part of [module, ...module.children.allSuites()]) {
      const what = part.type === "suite" ? `${path}: ${part.fullName}` : path;
      if (part.errors().length > 0) failures.push(`${what}\n${messagesOf(part.errors())}`);
    }
    for (const test of tests) {
      const what = `${path}: ${test.fullName}`;
      const { state, errors } = test.result();
      if (state === "failed") failures.push(`${what}\n${messagesOf(errors)}`);
      else if (state !== "passed") skipped.push(what);
      else if ((test.diagnostic()?.retryCount ?? 0) > 0) {
        secondRuns.push(`${what}\n${messagesOf(errors?.slice(0, 1))}`);
      }
      if (state === "passed") passed++;
    }
  }
  for (const error of outside)
    failures.push(`outside of a test\n${messagesOf([error])}\n${fieldsOf(error)}`);
  return { passed, failures, secondRuns, skipped, files };
}

/** Writes what `readResults` reads. */
export const resultsReporter = (path: string): Reporter => ({
  onTestRunEnd(modules, outside) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify(resultsOf(modules, outside)));
  },
});

/** Reads the results of the last run. `undefined` if it wrote none. */
export function readResults(path: string): TestResults | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
