// `npm test` and `npm run test:long`: what a change must pass. The last line is `N passed, N failed`.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { readResults, TEST_RESULTS } from "./test-results.ts";

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
const vitest = (name: keyof typeof TEST_RESULTS, projects: string) =>
  `vitest run ${projects} --reporter=default --reporter=json --outputFile.json=${TEST_RESULTS[name]}`;

const SUITES: Readonly<Record<keyof typeof TEST_RESULTS, Suite>> = {
  test: {
    first: [BUILD],
    beside: [
      ["lint, format and import cycles", "biome ci --max-diagnostics=50 ."],
      ["layers", "node scripts/check-layers.ts"],
      ["types", "tsc -p ."],
      ["unused files, exports and dependencies", "knip"],
      ["package.json for publishing", "publint --strict"],
      ["declarations as others resolve them", "attw --pack . --profile node16 --format ascii"],
      ["size", "node scripts/check-size.ts"],
      ["patterns that a long text makes slow", "node scripts/check-patterns.ts"],
    ],
    tests: ["tests", vitest("test", '--project "!long*"')],
    elsewhere:
      "NOT RUN: kills, failovers, drills, soak, whole dialects, pictures of pages, pages followed in an empty folder, and the manual. Run `npm run test:long`.",
  },
  long: {
    // The tests open the manual in a browser.
    first: [BUILD, ["manual and its links", "npm run docs --silent"]],
    beside: [],
    // Drills and browsers need the time of a machine: beside many others they see what a busy one does.
    tests: ["long tests", vitest("long", '--project "long*" --maxWorkers=4 --maxConcurrency=3')],
    elsewhere: "NOT RUN: all other tests, lint, types and packaging. Run `npm test`.",
  },
};

// A check that packs the package must not build it again, beside tests that use it.
const env = { ...process.env, npm_config_ignore_scripts: "true" };
const failed: string[] = [];

function runFirst([name, command]: Check): void {
  console.log(`\n=== ${name}: ${command}`);
  if (spawnSync(command, { shell: true, stdio: "inherit", env }).status !== 0) failed.push(name);
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
      if (status !== 0) failed.push(name);
      resolve(output);
    });
  });
}

async function runBeside(checks: readonly Check[]): Promise<string> {
  let output = "";
  for (const check of checks) output += await runCheck(check);
  return output;
}

function runTests([name, command]: Check): Promise<void> {
  console.log(`\n=== ${name}: ${command}`);
  const child = spawn(command, { shell: true, stdio: "inherit" });
  return new Promise((resolve) => {
    child.on("close", (status) => {
      if (status !== 0) failed.push(name);
      resolve();
    });
  });
}

const { positionals } = parseArgs({ allowPositionals: true });
const name = positionals[0] === "long" ? "long" : "test";
const { first, beside, tests, elsewhere } = SUITES[name];

mkdirSync("node_modules/.cache", { recursive: true });
rmSync(TEST_RESULTS[name], { force: true });
for (const check of first) runFirst(check);
const [output] = await Promise.all([runBeside(beside), runTests(tests)]);
console.log(output);

const results = readResults(name);
const checks = first.length + beside.length;
const failedChecks = failed.filter((one) => one !== tests[0]).length;
const failedTests = results?.failed ?? 0;
// The runner can fail without a failed test, because of an unhandled rejection or missing results.
const runnerFailed = failed.includes(tests[0]) && failedTests === 0 ? 1 : 0;

console.log(failed.length === 0 ? "All checks passed." : `FAILED: ${failed.join("; ")}.`);
// Once more, where one looks first: what the runner printed is thousands of lines above.
for (const failure of results?.failures ?? []) console.log(`FAILED: ${failure}`);
const skipped = results?.skipped ?? [];
if (skipped.length > 0) console.log(`NOT RUN: ${skipped.length} tests\n  ${skipped.join("\n  ")}`);
console.log(elsewhere);
console.log(
  `${(results?.passed ?? 0) + checks - failedChecks} passed, ${failedTests + failedChecks + runnerFailed} failed`,
);
process.exit(failed.length === 0 ? 0 : 1);
