// `npm test` and `npm run test:long`: what a change must pass. The last line is `N passed, N failed`.
import { spawn, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { whatIsMissing } from "./programs.ts";
import { readResults, TEST_RESULTS } from "./test-results.ts";
import { summaryOf } from "./test-summary.ts";

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
    // The tests open the manual in a browser.
    first: [BUILD, ["manual and its links", "npm run docs --silent"]],
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
const { lines, passed, failed } = summaryOf({ checks, failedChecks, runnerPassed, results });
for (const line of [...lines, elsewhere, whatIsMissing()]) if (line !== "") console.log(line);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
