// `npm test` and `npm run test:long`: what a change must pass. The last line is `N passed, N failed`.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { whatIsMissing } from "./programs.ts";
import { readResults, TEST_RESULTS } from "./test-results.ts";
import { slowestOf, summaryOf } from "./test-summary.ts";

/** What a check proves, and its command. */
type Check = readonly [name: string, command: string];

interface Suite {
  /** One after another, before all else. */
  readonly first: readonly Check[];
  /** One after another, beside the tests. */
  readonly beside: readonly Check[];
  readonly tests: Check;
  /** What this command leaves to the other one. */
  readonly elsewhere: string;
}

const BUILD: Check = ["build", "tsup --silent"];

const SUITES: Readonly<Record<keyof typeof TEST_RESULTS, Suite>> = {
  test: {
    first: [BUILD],
    beside: [
      ["lint, format and import cycles", "biome ci --max-diagnostics=50 ."],
      ["layers", "node scripts/check-layers.ts"],
      ["types", "tsc -p ."],
      ["unused files, exports and dependencies", "knip"],
      ["package.json for publishing", "publint --strict"],
      ["declarations as others resolve them", "attw --pack . --format ascii"],
      ["size", "node scripts/check-size.ts"],
      ["patterns that a long text makes slow", "node scripts/check-patterns.ts"],
    ],
    tests: ["tests", 'vitest run --project "!long*"'],
    elsewhere:
      "NOT RUN: kills, failovers, drills, campaigns, whole dialects, pictures of pages, pages followed in an empty folder, and the manual. Run `npm run test:long`.",
  },
  long: {
    first: [BUILD],
    beside: [],
    tests: ["long tests", 'vitest run --project "long*"'],
    elsewhere: "NOT RUN: all other tests, lint, types and packaging. Run `npm test`.",
  },
};

// A check that packs the package must not build it again, beside tests that use it.
const env = { ...process.env, npm_config_ignore_scripts: "true" };
const failedChecks: string[] = [];

function runFirst([name, command]: Check): void {
  console.log(`\n=== ${name}: ${command}`);
  if (spawnSync(command, { shell: true, stdio: "inherit", env }).status !== 0)
    failedChecks.push(name);
}

/** Runs a check to its end. Resolves with what it printed. */
function runCheck([name, command]: Check): Promise<string> {
  const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"], env });
  let output = `\n=== ${name}: ${command}\n`;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.on("close", (status) => {
      if (status !== 0) failedChecks.push(name);
      resolve(output);
    });
  });
}

async function runBeside(checks: readonly Check[]): Promise<string> {
  let output = "";
  for (const check of checks) output += await runCheck(check);
  return output;
}

/** Resolves with whether the runner says that all is well. */
function runTests([name, command]: Check, resultsFile: string): Promise<boolean> {
  console.log(`\n=== ${name}: ${command}`);
  const env = { ...process.env, MALIPO_TEST_RESULTS: resultsFile };
  const child = spawn(command, { shell: true, stdio: "inherit", env });
  return new Promise((resolve) => {
    child.on("close", (status) => resolve(status === 0));
  });
}

/** The processor time of all that this process started and that has ended. Only Linux says it. */
function processorTime(): string {
  try {
    const [, fields = ""] = readFileSync("/proc/self/stat", "utf8").split(") ");
    const ticks = fields.split(" ").slice(13, 15).map(Number);
    return `, ${Math.round(ticks.reduce((sum, one) => sum + one) / 100)} s of processor time`;
  } catch {
    return "";
  }
}

const { positionals } = parseArgs({ allowPositionals: true });
const name = positionals[0] === "long" ? "long" : "test";
const { first, beside, tests, elsewhere } = SUITES[name];
const resultsFile = TEST_RESULTS[name];

rmSync(resultsFile, { force: true });
for (const check of first) runFirst(check);
const [output, runnerPassed] = await Promise.all([runBeside(beside), runTests(tests, resultsFile)]);
console.log(output);

// Once more, where one looks first: what the runner printed is thousands of lines above.
const checks = first.length + beside.length;
const results = readResults(resultsFile);
console.log(`The slowest files, of ${Math.round(performance.now() / 1_000)} s${processorTime()}:`);
for (const line of slowestOf(results?.files ?? [])) console.log(line);
const { lines, passed, failed } = summaryOf({ checks, failedChecks, runnerPassed, results });
for (const line of [...lines, elsewhere, whatIsMissing()]) if (line !== "") console.log(line);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
