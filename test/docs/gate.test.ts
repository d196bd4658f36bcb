import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROGRAMS } from "../../scripts/programs.ts";
import { SLOW } from "../../scripts/slow-first.ts";
import { readResults, type TestResults } from "../../scripts/test-results.ts";
import { type Outcome, slowestOf, summaryOf } from "../../scripts/test-summary.ts";

const read = (file: string) => readFileSync(file, "utf8");

let folder: string;
beforeAll(() => {
  // In this project, so that vitest is found.
  mkdirSync("node_modules/.cache", { recursive: true });
  folder = mkdtempSync("node_modules/.cache/gate-");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the results of a run", () => {
  let results: TestResults | undefined;
  let printed = "";
  beforeAll(() => {
    const reporter = join(process.cwd(), "scripts/test-results.ts");
    const files = {
      "vitest.config.ts": `import { resultsReporter } from ${JSON.stringify(reporter)};
        const reporters = ["default", resultsReporter("results.json")];
        export default { test: { globals: true, retry: 1, include: ["*.case.ts"], reporters } };`,
      "a.case.ts": `let runs = 0;
        test("passes", () => {});
        test("passes later", () => { if (runs++ === 0) throw new Error("The first run."); });
        test("fails", () => { throw new Error("Each run."); });
        test.skip("is left out", () => {});
        describe("with a hook", () => {
          beforeAll(() => { throw new Error("The hook."); });
          test("is not reached", () => {});
        });`,
      "b.case.ts": `throw new Error("The file.");`,
      "c.case.ts": `test("leaves an error", () => { Promise.reject(Object.assign(new Error("Outside."), { code: "LOST" })); });`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const vitest = join(process.cwd(), "node_modules/vitest/vitest.mjs");
    const { stdout, stderr } = spawnSync(process.execPath, [vitest, "run"], {
      cwd: folder,
      encoding: "utf8",
    });
    printed = stdout + stderr;
    results = readResults(join(folder, "results.json"));
  });

  test("have each failure with its message: of tests, hooks and files, and outside of a test", () => {
    const failures = results?.failures.toSorted() ?? [];
    expect(
      failures.map((failure) => failure.split("\n").slice(0, 2)),
      printed,
    ).toEqual([
      ["a.case.ts: fails", "Error: Each run."],
      ["a.case.ts: with a hook", "Error: The hook."],
      ["b.case.ts", "Error: The file."],
      ["outside of a test", "Error: Outside."],
    ]);
    expect(results).toMatchObject({
      passed: 3,
      skipped: ["a.case.ts: is left out", "a.case.ts: with a hook > is not reached"],
    });
  });

  test("name the test file beside which an error outside of a test came, and its code", () => {
    const outside = results?.failures.find((failure) => failure.startsWith("outside of a test"));
    expect(outside).toMatch(/^ {2}code: LOST$/m);
    expect(outside).toMatch(/c\.case\.ts$/m);
  });

  test("have each second run with the message of the first one", () => {
    expect(results?.secondRuns).toEqual([
      expect.stringMatching(/^a\.case\.ts: passes later\nError: The first run\.\n/),
    ]);
  });
});

describe("the sum", () => {
  const results: TestResults = { passed: 10, failures: [], secondRuns: [], skipped: [], files: [] };
  const good: Outcome = { checks: 8, failedChecks: [], runnerPassed: true, results };
  const repeated = (times: number) =>
    Array.from({ length: times }, (_, at) => `a.test.ts: test ${at}\nError: busy`);

  test.each([
    ["has the tests and the checks", {}, [18, 0]],
    ["counts a check that failed", { failedChecks: ["types"] }, [17, 1]],
    ["is 0 passed, 1 failed without results", { results: undefined, runnerPassed: false }, [0, 1]],
    ["counts a runner that failed without a failed test", { runnerPassed: false }, [18, 1]],
    [
      "counts each failure",
      { runnerPassed: false, results: { ...results, failures: ["a.test.ts: a", "b.test.ts"] } },
      [18, 2],
    ],
    ["takes three second runs", { results: { ...results, secondRuns: repeated(3) } }, [18, 0]],
    ["is red after four", { results: { ...results, secondRuns: repeated(4) } }, [18, 1]],
  ] as const)("%s", (_, change, sum) => {
    const { passed, failed, lines } = summaryOf({ ...good, ...change } as Outcome);
    expect([passed, failed]).toEqual(sum);
    expect(lines.includes("All checks passed.")).toBe(failed === 0);
  });

  test("comes after the ten files that took longest", () => {
    const files = [4, 11, 2, 9, 7, 1, 8, 3, 12, 6, 5].map((seconds) => ({
      ...{ path: `${seconds}.test.ts`, tests: 3, ms: seconds * 1_000 },
      // Not every system says it.
      processorMs: seconds === 12 ? 5_000 : undefined,
    }));
    const lines = slowestOf(files);
    expect(lines).toHaveLength(10);
    expect(lines[0]).toBe("  12 s  12.test.ts, 3 tests, 5 s of the processor");
    expect(lines.at(-1)).toBe("   2 s  2.test.ts, 3 tests");
  });

  test("comes after each second run, with the message of the first one", () => {
    const { lines } = summaryOf({ ...good, results: { ...results, secondRuns: repeated(1) } });
    expect(lines).toContain("SECOND RUN, the first one failed: a.test.ts: test 0\nError: busy");
  });
});

describe(".ci/run", () => {
  /** Runs a copy of it, whose npm does this. Returns its last line and its status. */
  function lastLine(npm: string, hasModules: boolean) {
    const copy = mkdtempSync(join(tmpdir(), "malipo-ci-run-"));
    try {
      cpSync(".ci/run", join(copy, ".ci/run"));
      mkdirSync(join(copy, "bin"));
      if (hasModules) mkdirSync(join(copy, "node_modules"));
      const programs: Record<string, string> = { npm, "apt-get": "", sudo: "" };
      for (const [name, text] of Object.entries(programs)) {
        writeFileSync(join(copy, "bin", name), `#!/bin/sh\n${text}\n`);
        chmodSync(join(copy, "bin", name), 0o755);
      }
      const env = { ...process.env, PATH: `${join(copy, "bin")}:${process.env.PATH}` };
      const run = spawnSync("bash", [".ci/run"], { cwd: copy, env, encoding: "utf8" });
      return [run.stdout.trimEnd().split("\n").at(-1), run.status];
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }

  test.each([
    ["adds the sums of both commands", 'echo "5 passed, 0 failed"', "10 passed, 0 failed", 0],
    ["fails if one failed", 'echo "5 passed, 1 failed"; exit 1', "10 passed, 2 failed", 1],
    ["counts a command without a sum as one that failed", "exit 1", "0 passed, 2 failed", 1],
    [
      "believes no sum before the end",
      'echo "5 passed, 0 failed"; echo killed; exit 1',
      "0 passed, 2 failed",
      1,
    ],
    ["fails if the status says so", 'echo "5 passed, 0 failed"; exit 1', "10 passed, 1 failed", 1],
  ])("%s", (_, npm, line, status) => {
    expect(lastLine(npm, true)).toEqual([line, status]);
    // `npm ci` prints the same here, and `&&` ends after one that fails.
    expect(lastLine(npm, false)).toEqual([line, status]);
  });

  test("runs the README's command", () => {
    expect(read("README.md")).toContain("`npm ci && npm test`");
    expect(read(".ci/run")).toContain('"npm ci && npm test"');
  });

  test("installs each program of the tests, and so do the workflows those with most tests", () => {
    const [, listed = ""] = /programs=\((.*?)\)/s.exec(read(".ci/run")) ?? [];
    const expected = PROGRAMS.flatMap(({ name, packages }) =>
      packages.split(" ").map((one) => `${name}=${one}`),
    );
    expect(listed.split(/\s+/)).toEqual(expected);
    const [install = ""] = /apt-get install .*/.exec(read(".github/workflows/ci.yml")) ?? [];
    for (const name of ["chromium", "redis-server", "mariadb-server", "pgbouncer", "faketime"]) {
      expect(install).toContain(name);
    }
  });
});

test("the files that begin first are there", () => {
  expect(SLOW.filter((file) => !existsSync(file))).toEqual([]);
});

describe("a test", () => {
  const files = globSync("{test,examples}/**/*.ts", {
    exclude: [
      "**/node_modules/**",
      "test/{bench,runtimes}/**",
      "**/*.test-d.ts",
      "test/docs/gate.test.ts",
      // Another test writes it, and removes it.
      "test/docs/verifications/**",
    ],
  });
  test.each([
    ["a second run of its own: the projects have it", /\bretry: \d/],
    ["a limit of time for a property, in place of numRuns", /(?:interrupt|skipAll)AfterTimeLimit/],
    ["a wait of one second: expect.poll has the limit of the project", /vi\.wait(?:For|Until)\(/],
    ["a limit of its own for a wait", /\.poll\([^;]*?\btimeout: /],
    ["a limit of its own", /^\s*\{ timeout: .*\},$|, \{ timeout: [^}]*\}, (?:async )?\(/m],
    ["a limit of its own as the last argument", /^(?: {2})?\}, [\dA-Z_]{3,}\);$/m],
  ])("has not %s", (_, pattern) => {
    expect(files.filter((file) => pattern.test(read(file)))).toEqual([]);
  });
});
