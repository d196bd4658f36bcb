// Runs every check that a change must pass, in one command. Its last line is `N passed, N failed`.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";

const RESULTS = "node_modules/.cache/vitest-results.json";

/** One row per check: what it proves, and its command. The build comes first: the tests need it. */
const CHECKS: readonly (readonly [name: string, command: string])[] = [
  ["build", "tsup --silent"],
  ["lint, format and import cycles", "biome ci --max-diagnostics=50 ."],
  ["layers", "node scripts/check-layers.ts"],
  ["words", "node scripts/check-words.ts"],
  ["patterns that a long text makes slow", "node scripts/check-patterns.ts"],
  ["types", "tsc -p ."],
  // Before the tests: they open the manual in a browser.
  ["manual and its links", "npm run docs --silent"],
  ["tests", `vitest run --reporter=default --reporter=json --outputFile.json=${RESULTS}`],
  ["unused files, exports and dependencies", "knip"],
  ["package.json for publishing", "publint --strict"],
  ["declarations as others resolve them", "attw --pack . --profile node16 --format ascii"],
  ["size", "size-limit"],
];

interface Results {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: unknown[];
  }[];
}

rmSync(RESULTS, { force: true });
const failed: string[] = [];
for (const [name, command] of CHECKS) {
  console.log(`\n=== ${name}: ${command}`);
  if (spawnSync(command, { shell: true, stdio: "inherit" }).status !== 0) failed.push(name);
}

function readResults(): Results | undefined {
  try {
    return JSON.parse(readFileSync(RESULTS, "utf8"));
  } catch {
    return undefined;
  }
}

const results = readResults();
// A file that fails before its first test counts as one failed test.
const brokenFiles =
  results?.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  ).length ?? 0;
const checks = CHECKS.length - 1;
const failedChecks = failed.filter((name) => name !== "tests").length;
const testsFailed = (results?.numFailedTests ?? 0) + brokenFiles;
// The runner can fail without a failed test, because of an unhandled rejection or missing results.
const runnerFailed = failed.includes("tests") && testsFailed === 0 ? 1 : 0;

console.log(failed.length === 0 ? "\nAll checks passed." : `\nFailed: ${failed.join("; ")}.`);
if (results?.numPendingTests) console.log(`${results.numPendingTests} tests did not run.`);
console.log(
  `${(results?.numPassedTests ?? 0) + checks - failedChecks} passed, ${testsFailed + failedChecks + runnerFailed} failed`,
);
process.exit(failed.length === 0 ? 0 : 1);
