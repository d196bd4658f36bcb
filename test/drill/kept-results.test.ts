import { expect, test } from "vitest";
import type { CaseResult } from "../../src/drill/case-run.ts";
import { CaseRun, type Scene } from "../../src/drill/case-run.ts";
import { allCases } from "../../src/drill/cases.ts";
import { KEPT_FILE, keptResults, readKeptResults } from "../../src/drill/kept-results.ts";

const SETTINGS = { start: "node shop.mjs", env: ["DB_PASSWORD=hunter2"] };
const ENDS = "every order ends";

const caseAt = (number: number) => allCases().find((one) => one.number === number) as never;
const resultOf = (number: number, given: Partial<CaseResult> = {}): CaseResult => ({
  ...{ case: caseAt(number), problems: new Map(), story: [], payments: [{ status: "completed" }] },
  ...given,
});

test("what is kept of a case is what its results are made of", () => {
  const problems = new Map([[ENDS, "the order is still open at the end"]]);
  const story = [{ atMs: 20, who: "shop", text: "says open" } as const];
  const results = [resultOf(1), resultOf(41, { problems, story })];
  expect(readKeptResults(keptResults(SETTINGS, results), SETTINGS)).toEqual(results);
});

test("a case that says nothing is run again", () => {
  const scene = { settings: { phones: "0190" }, hasFaults: true } as unknown as Scene;
  const untested = new CaseRun(caseAt(41), scene);
  const spoiled = new CaseRun(caseAt(2), scene);
  spoiled.wasDelayed("its service took 2.0 s for POST /x");
  spoiled.blame(ENDS, "the order is still open at the end");
  const skipped = resultOf(3, { skipped: "the drill was interrupted" });
  const undecided = resultOf(4, { undecided: "the shop took 9.0 s to show the order" });
  const text = keptResults(SETTINGS, [untested, spoiled, skipped, undecided]);
  expect(readKeptResults(text, SETTINGS)).toEqual([]);
});

test("results of other settings are not taken over, and no setting is stored", () => {
  const text = keptResults(SETTINGS, [resultOf(1)]);
  expect(text).not.toContain("hunter2");
  expect(readKeptResults(text, { ...SETTINGS, report: "drill.html" })).toHaveLength(1);
  const other = { ...SETTINGS, start: "node other.mjs" };
  expect(() => readKeptResults(text, other)).toThrow(`${KEPT_FILE} are of other settings`);
});

test.each([undefined, "", "{}", "no JSON"])("there is nothing to continue in %j", (text) => {
  expect(() => readKeptResults(text, SETTINGS)).toThrow("There is nothing to continue");
});
