import { expect, test } from "vitest";
import { allCases, randomCases, type Subject } from "../../src/drill/cases.ts";
import type { CaseResult, DrillResult } from "../../src/drill/drill.ts";
import { PROMISES } from "../../src/drill/promises.ts";
import { formatReport, reportAsJson, reportAsJunit } from "../../src/drill/report.ts";
import { reportAsPage } from "../../src/drill/report-page.ts";

const [first] = allCases();
const PROMISE = PROMISES[0]?.name ?? "";

function caseResult(number: number, problem?: string): CaseResult {
  return {
    case: { number, customer: first?.customer ?? "approves", text: "a & b" },
    problems: new Map(problem === undefined ? [] : [[PROMISE, problem]]),
    isTested: true,
    story: [{ atMs: 20, who: "shop", text: "sent <b>" }],
  };
}

function drillResult(results: readonly CaseResult[], obstacles: string[] = []): DrillResult {
  return { results, obstacles, notChecked: ["the weather"], elapsedMs: 1_500 };
}

const PASSED = drillResult([caseResult(1)]);
const FAILED = drillResult([caseResult(1), caseResult(2, "2 prompts, <script>")]);
const UNTESTED = drillResult([], ["The shop printed:\n\u001b[31mno\u001b[0m <port>\u0000"]);

test("JUnit has one test for each case, and a failure with its story", () => {
  const xml = reportAsJunit(FAILED);
  expect(xml).toContain('tests="2" failures="1" errors="0" time="1.500"');
  expect(xml.match(/<testcase /g)).toHaveLength(2);
  expect(xml).toContain('name="case 1: a &#38; b"></testcase>');
  expect(xml).toContain(`<failure message="${PROMISE}: 2 prompts, &#60;script&#62;">case 2: a`);
  expect(xml).toContain("0.02 s  shop      sent &#60;b&#62;");
});

test("JUnit has an error if the drill could not test, and no character that XML forbids", () => {
  const xml = reportAsJunit(UNTESTED);
  expect(xml).toContain('tests="1" failures="0" errors="1"');
  expect(xml).toMatch(/<error message="The shop printed:\s.*no.* &#60;port&#62;.*"\/>/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 has no way to write them
  expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/);
});

test.each([
  [PASSED, 0, "ok", []],
  [FAILED, 1, "FAILED", [2]],
  [UNTESTED, 2, "not checked", []],
] as const)(
  "JSON says which cases broke a promise (exit status $1)",
  (result, status, state, cases) => {
    const json = JSON.parse(JSON.stringify(reportAsJson(result)));
    expect(json).toMatchObject({
      exit_status: status,
      cases: result.results.length,
      elapsed_ms: 1_500,
      not_checked: ["the weather"],
      could_not_test: result.obstacles,
    });
    expect(json.promises).toHaveLength(PROMISES.length);
    expect(json.promises[0]).toMatchObject({ name: PROMISE, state, failed: cases.length, cases });
    expect(json.promises[0].stories.flat().join("\n").includes("wrong: 2 prompts")).toBe(
      status === 1,
    );
  },
);

test.each([
  [PASSED, "ok", "Every promise holds in 1 case "],
  [FAILED, "FAILED", "1 of 2 cases"],
  [UNTESTED, "FAILED", "The drill could not test the shop."],
] as const)(
  "the page begins with the headline, and loads and runs nothing (%#)",
  (result, state, headline) => {
    const page = reportAsPage(result);
    expect(page).toContain(`<h1 class="${state}">${headline}`);
    expect(page).toContain("<li>Not checked: the weather.</li>");
    expect(page).not.toMatch(/<script|<link|<img|\bsrc=|\bhref=|url\(|@import/);
    expect(page.includes("<pre>case 2: a &#38; b")).toBe(result === FAILED);
  },
);

test("the text lists the cases whose story is left out", () => {
  const results = [2, 3, 4, 5].map((number) => caseResult(number, "2 prompts"));
  expect(formatReport(drillResult(results))).toContain("The same in case 5.");
});

test("the same seed plans the same faults, and another seed plans others", () => {
  const seen = new Set<Subject>(["start", "final"]);
  const cases = randomCases(20, "a", seen);
  expect(cases).toEqual(randomCases(20, "a", seen));
  expect(cases.map(({ text }) => text)).not.toEqual(
    randomCases(20, "b", seen).map(({ text }) => text),
  );
  const subjects = new Set(cases.flatMap(({ fault }) => (fault ? [fault.subject] : [])));
  expect(subjects).toEqual(seen);
  expect(cases.every(({ number }) => number > allCases().length)).toBe(true);
});
