import { existsSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { pageAssets } from "../../scripts/page-assets.ts";
import type { CaseResult } from "../../src/drill/case-run.ts";
import { CaseRun, type Scene } from "../../src/drill/case-run.ts";
import { allCases, type DrillCase, randomCases, type Subject } from "../../src/drill/cases.ts";
import {
  formatDryRun,
  formatResults,
  promiseResults,
  resultsAsJson,
  resultsAsJunit,
} from "../../src/drill/drill-results.ts";
import { numberIsNoCount } from "../../src/drill/dry-run.ts";
import { CANCELED, CHANGED, PROMISES, REFUNDED } from "../../src/drill/promises.ts";
import { resultsAsPage } from "../../src/drill/results-page.ts";
import { type DrillResult, quoteOutput } from "../../src/drill/run-drill.ts";
import { BROKEN_SHOPS } from "./shops/broken-shops.ts";

// The build puts it into the package.
vi.stubGlobal("DRILL_STYLE", JSON.parse((await pageAssets()).DRILL_STYLE ?? ""));

const CHARGED_TWICE = "one order, paid at most once";
const ONE_PROMPT = "one attempt, at most one prompt";

function caseResult(
  number: number,
  problems: Readonly<Record<string, string>> = {},
  skipped?: string,
): CaseResult {
  return {
    case: { number, group: "prompt", faults: [], customer: "approves", text: "a & b" },
    problems: new Map(Object.entries(problems)),
    story: [{ atMs: 20, who: "shop", text: "sent <b>" }],
    skipped,
  };
}

function drillResult(results: readonly CaseResult[], obstacles: string[] = []): DrillResult {
  return { results, obstacles, hasEffects: true, seed: "seed-1", elapsedMs: 1_500 };
}

const NOT_RUN = caseResult(9, {}, "the service was away");
const PASSED = drillResult([caseResult(1), NOT_RUN]);
const FAILED = drillResult([
  caseResult(1),
  caseResult(2, { [CHARGED_TWICE]: "paid 2 times", [ONE_PROMPT]: "2 prompts, <script>" }),
  NOT_RUN,
]);
const UNTESTED = drillResult([], ["The shop printed:\n\u001b[31mno\u001b[0m <port>\u0000"]);

test("a case that breaks two promises counts for both, and once among the cases", () => {
  const text = formatResults(FAILED);
  const row = (name: string) => text.split("\n").find((line) => line.includes(`  ${name}  `));
  expect(row(CHARGED_TWICE)).toMatch(/^FAILED .*1 of 2 cases$/);
  expect(row(ONE_PROMPT)).toMatch(/^FAILED .*1 of 2 cases$/);
  expect(text).toContain("3 cases in 2 s: 1 passed, 1 failed, 1 was not run.");
  expect(text.match(/^case 2: /gm)).toHaveLength(1);
});

test("a case that the machine spoiled is not decided: it neither passed nor broke a promise", () => {
  const late = { ...caseResult(3), undecided: "the shop took 9.0 s to show the order" };
  const result = drillResult([caseResult(1), late], ["The machine was too busy."]);
  expect(formatResults(result)).toContain("2 cases in 2 s: 1 passed, 0 failed, 1 not decided, 0");
  expect(resultsAsJson(result)).toMatchObject({ exit_status: 2, passed: 1, not_decided: 1 });
  expect(resultsAsJunit(result)).toContain('<skipped message="not decided: the shop took 9.0 s');
  const tested = promiseResults(result).map((one) => one.tested);
  expect(new Set(tested)).toEqual(new Set([0, 1]));
});

test("the headline is what happened to the customers", () => {
  expect(formatResults(FAILED).trim()).toMatch(
    /^What happened to 2 customers:\n {2}1 customer paid twice: case 2\n/,
  );
  expect(formatResults(PASSED)).toContain("  The shop charged no customer twice, took no money");
  expect(formatResults(PASSED)).toContain("Not run: 1 case, since the service was away.");
});

const LEAK = "no key, no secret and no full phone number is printed or answered";

test.each([
  [LEAK, "the shop answered a full phone number", undefined, "a response that repeats"],
  [LEAK, "the shop printed a full phone number", undefined, "a log of the order with its phone"],
  [LEAK, "the shop printed the API key", undefined, "a log of whole requests"],
  [
    "every order ends",
    "the customer paid again, no prompt came",
    "again",
    "a second attempt with the",
  ],
  ["every order ends", "the order is still open", undefined, "a webhook that was lost"],
  [ONE_PROMPT, "2 in all", "clicks", "a double click"],
  [ONE_PROMPT, "2 in all", "tabs", "two tabs"],
  [ONE_PROMPT, "2 in all", "updateMeanwhile", "a change of the order that begins"],
  [CANCELED, "the order was canceled, and then a prompt was sent", "cancelOpen", 'a "pay again"'],
  [CANCELED, "the order was canceled, and then the goods were given", "cancelOpen", "a webhook or"],
  [REFUNDED, "the money was paid back, and then a prompt was sent", "refundAgain", 'a "pay" that'],
  [CHANGED, "the shop asked for KES 1, and KES 2", "part", "a payment by hand"],
  [CHANGED, "the shop asked for KES 1, and KES 2", "updateOpen", "an attempt that asks"],
  [CHANGED, "and no prompt came for the KES 1", "part", "a part of the money that blocks"],
  [CHANGED, "the customer has paid KES 1 of 2", "part", "a payment with the order's label"],
  [ONE_PROMPT, "2 in all", undefined, "a retry after a timeout"],
] as const)("the cause of '%s' names the place: %s (%s)", (promise, what, act, cause) => {
  const known = caseResult(2, { [promise]: what });
  const one = { ...known, case: { ...known.case, ...(act && { act }) } };
  const texts = [
    formatResults(drillResult([one])),
    resultsAsPage(drillResult([one]), "1", new Date()),
  ];
  for (const text of texts)
    expect(text.replaceAll("&quot;", '"').replaceAll("&#39;", "'")).toContain(
      `Usual cause: ${cause}`,
    );
});

test("a story that is too long keeps every prompt", () => {
  const line = (text: string) => ({ atMs: 20, who: "service" as const, text });
  const prompted = (name: string) => line(`prompted 0190 *** 001 for the payment ${name}, KES 101`);
  const news = Array.from({ length: 12 }, (_, at) => line(`news ${at}`));
  const story = [...news.slice(0, 5), prompted("A"), ...news.slice(5), prompted("B"), ...news];
  const one = { ...caseResult(2, { [ONE_PROMPT]: "2 in all" }), story };
  const [lines = []] = promiseResults(drillResult([one])).flatMap(({ stories }) => stories);
  expect(lines).toHaveLength(12);
  expect(lines.join("\n")).toMatch(/payment A[\s\S]*payment B/);
  expect(lines.join("\n")).toContain("... 18 more");
});

test.each([
  [[1, 1], false],
  [[2, 2], false],
  [[7, 8], true],
  [[1, 2], false],
  [[2, 3], true],
])(
  "counts of %j at --effects, for orders that were each paid once, are no counts: %s",
  (counts, isNone) => {
    const runs = counts.map(
      (effects) => ({ look: { askedAt: 0, shown: "paid", effects } }) as CaseRun,
    );
    expect(numberIsNoCount(runs)?.includes("/seat?") ?? false).toBe(isNone);
  },
);

test("JUnit has one test for each case: its failures with stories, or why it was not run", () => {
  const xml = resultsAsJunit(FAILED);
  expect(xml).toContain('tests="3" failures="1" errors="0" skipped="1" time="1.500"');
  expect(xml.match(/<testcase /g)).toHaveLength(3);
  expect(xml).toContain('name="case 1: a &amp; b"></testcase>');
  expect(xml).toContain(`<failure message="${ONE_PROMPT}: 2 prompts, &lt;script&gt;">case 2: a`);
  expect(xml).toContain("0.02 s  shop      sent &lt;b&gt;");
  expect(xml).toContain('<skipped message="the service was away"/>');
});

test("JUnit has an error if the drill could not test, and no character that XML forbids", () => {
  const xml = resultsAsJunit(UNTESTED);
  expect(xml).toContain('tests="1" failures="0" errors="1"');
  expect(xml).toMatch(/<error message="The shop printed:\s.*no.* &lt;port&gt;.*"\/>/);
});

/** What XML 1.0 allows, by its production `Char`. https://www.w3.org/TR/xml/#charsets */
const isChar = (code: number): boolean =>
  [0x9, 0xa, 0xd].includes(code) ||
  (code >= 0x20 && code <= 0xd7ff) ||
  (code >= 0xe000 && code <= 0xfffd) ||
  code >= 0x10000;

test("no results hold what a terminal acts on, or what turns the direction of text", () => {
  const hostile = "a\u001b[2Jb\u009b31mc\u202ed\u2066e\u200bf\u{e0041}\u061cg\ufeffh\ri";
  const result = drillResult([], [hostile]);
  const texts = [resultsAsJunit(result), resultsAsPage(result, "1.0.0", new Date(0))];
  for (const text of texts) {
    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
    expect(text).toContain("abc\\u202ed\\u2066e\\u200bf\\udb40\\udc41\\u061cg\\ufeffh\ni");
  }
});

test("JUnit keeps every other character of the shop's output that XML allows, and none that it forbids", () => {
  const printed = [...Array(0x11000).keys()].map((code) => String.fromCodePoint(code));
  // Not in one text: there, two surrogates in a row would be one character.
  const xml = resultsAsJunit(
    drillResult(
      [],
      printed.map((one) => `<${one}>`),
    ),
  );
  const codes = [...xml].map((one) => one.codePointAt(0) ?? 0);
  expect(codes.filter((code) => !isChar(code))).toEqual([]);
  const printable = new Set(codes);
  const isEscaped = (code: number) => [0x22, 0x26, 0x27, 0x3c, 0x3e].includes(code);
  // Controls of a terminal, and what is invisible: the test above.
  const isControl = (code: number) =>
    /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(String.fromCodePoint(code));
  const lost = [...printed.keys()].filter(
    (code) => isChar(code) && !printable.has(code) && !isEscaped(code) && !isControl(code),
  );
  expect(lost).toEqual([]);
});

test.each([
  [PASSED, 0, "ok", []],
  [FAILED, 1, "FAILED", [2]],
  [UNTESTED, 2, "not checked", []],
] as const)(
  "JSON says which cases broke a promise (exit status $1)",
  (result, status, state, cases) => {
    const json = JSON.parse(JSON.stringify(resultsAsJson(result)));
    expect(json).toMatchObject({
      exit_status: status,
      cases: result.results.length,
      elapsed_ms: 1_500,
      seed: "seed-1",
      could_not_test: result.obstacles,
    });
    expect(json.passed + json.failed + json.not_run).toBe(json.cases);
    expect(json.promises).toHaveLength(PROMISES.length);
    expect(json.promises[0]).toMatchObject({
      ...{ name: CHARGED_TWICE, state, failed: cases.length, cases },
    });
    expect(json.promises[0].stories.flat().join("\n").includes("wrong: paid 2 times")).toBe(
      status === 1,
    );
  },
);

test.each([
  [PASSED, "ok", "The shop passed"],
  [FAILED, "FAILED", "The shop broke promises"],
  [UNTESTED, "FAILED", "The shop could not be tested"],
] as const)(
  "the page begins with the result, and loads and runs nothing (%#)",
  (result, state, headline) => {
    const page = resultsAsPage(result, "1.2.3", new Date("2026-01-02T03:04:05Z"));
    expect(page).toContain(`<h1 class="${state}">${headline}`);
    expect(page).toContain("Seed seed-1, 2026-01-02 03:04 UTC, malipo 1.2.3.");
    expect(page).not.toMatch(/<script|<link|<img|\bsrc=|url\(|@import/);
  },
);

test("the page has a row that opens for each case that broke a promise, with its cause and what to do", () => {
  const page = resultsAsPage(FAILED, "1.2.3", new Date());
  expect(page.match(/<details/g)).toHaveLength(1);
  expect(page).toContain("<summary>Case 2: a &amp; b</summary>");
  expect(page).toContain(
    "Begin another attempt only after the last one has failed at the service.",
  );
  expect(page).toContain("1 customer paid twice: case 2");
});

test("the results name the page of the package that says more, and link to no file: they are read anywhere", () => {
  const { page } = PROMISES[0] ?? {};
  const name = `node_modules/malipo/docs/${page}.md`;
  const html = resultsAsPage(FAILED, "1.2.3", new Date());
  expect(html).toContain(`<code>${name}</code>`);
  expect(html).not.toContain("<a ");
  expect(formatResults(FAILED)).toContain(`  Read more: ${name}\n`);
});

test("a charge that the service made twice is told, and the shop is not blamed", () => {
  const paid = { status: "completed" };
  const text = formatResults(drillResult([{ ...caseResult(297), payments: [paid, paid] }]));
  expect(text).toContain("The shop charged no customer twice");
  expect(text).toContain("1 customer was charged twice by the service");
  expect(text).toContain("case 297. No shop prevents that.");
  const blamed = { ...caseResult(2, { [CHARGED_TWICE]: "2" }), payments: [paid, paid] };
  expect(formatResults(drillResult([blamed]))).not.toContain("by the service");
});

test("without --effects, the results say nothing about the goods, except that they were not checked", () => {
  const result = { ...PASSED, hasEffects: false };
  const texts = [formatResults(result), resultsAsPage(result, "1.2.3", new Date())];
  for (const text of texts) {
    expect(text).not.toMatch(/deliver(?:s the goods|s nothing)|no goods without/);
    expect(text).toContain("Not checked: what the customer got");
  }
});

test.each([
  ["again", "--again is not given", true, "NOT TRIED: paying again (--again)."],
  ["processes", "--processes 2 is not given", true, "NOT TRIED: two processes (--processes 2)."],
  [
    "stock",
    "--last-piece is not given",
    true,
    "NOT TRIED: the last piece of a stock (--last-piece).",
  ],
  ["cancel", "--cancel is not given", true, "NOT TRIED: canceled orders (--cancel)."],
  ["refund", "--refund is not given", true, "NOT TRIED: refunds (--refund)."],
  ["update", "--update is not given", true, "NOT TRIED: orders that grow (--update)."],
  ["parts", "--part-payments is not given", true, "NOT TRIED: part payments (--part-payments)."],
  ["effects", undefined, false, "NOT TRIED: what the customer got (--effects)."],
] as const)(
  "the first line, the last line, the title and the exit status say what was not tried (%s)",
  (name, skipped, hasEffects, said) => {
    const result = { ...drillResult([caseResult(1), caseResult(2, {}, skipped)]), hasEffects };
    const lines = formatResults(result).split("\n");
    expect([lines[0], lines.at(-1)]).toEqual([
      expect.stringContaining(said),
      expect.stringContaining(said),
    ]);
    expect(resultsAsPage(result, "1.2.3", new Date())).toContain(
      "The shop passed what was tried</h1>",
    );
    expect(resultsAsJson(result)).toMatchObject({ exit_status: 2, not_tried: [expect.anything()] });
    // Left out by name, it is no secret, and no failure.
    const named = { ...result, without: [name] };
    expect(resultsAsJson(named)).toMatchObject({ exit_status: 0, not_tried: [] });
    expect(formatResults(named)).toContain("Every promise holds.");
    expect(formatResults(named)).toMatch(/Not (?:run|checked): .*is not given/);
  },
);

test("what a shop shows is no command of a CI system in a story", () => {
  const run = new CaseRun(allCases()[0] as DrillCase, { settings: { phones: "0190" } } as Scene);
  run.note("shop", 'says "##vso[task.complete]"');
  run.blame(ONE_PROMPT, "the shop says ##[error]");
  const text = formatResults(drillResult([run])) + formatDryRun([run]);
  expect(text).toContain("task.complete");
  expect(text).not.toMatch(/##\w*\[/);
});

test("the text lists the cases whose story is left out", () => {
  const results = [2, 3, 4, 5].map((number) => caseResult(number, { [ONE_PROMPT]: "2 prompts" }));
  expect(formatResults(drillResult(results))).toContain("The same in case 5.");
});

test("no line that a shop prints is a command of a CI system", () => {
  const lines = quoteOutput("::error::a\r\n ##[error]##vso[x]b\n\u2028::warning::c").split("\n");
  expect(lines.filter((line) => /^\s*::|##\w*\[/.test(line))).toEqual([]);
  expect(lines).toHaveLength(4);
});

test("the same seed plans the same faults, and another seed plans others", () => {
  const seen = new Set<Subject>(["start", "final"]);
  const cases = randomCases(20, "a", seen);
  expect(cases).toEqual(randomCases(20, "a", seen));
  expect(cases.map(({ text }) => text)).not.toEqual(
    randomCases(20, "b", seen).map(({ text }) => text),
  );
  const subjects = new Set(cases.flatMap(({ faults }) => faults.map(({ subject }) => subject)));
  expect(subjects).toEqual(seen);
  expect(cases.every(({ number }) => number > allCases().length)).toBe(true);
});

test("every page that a cause is explained on is in the package", () => {
  expect(PROMISES.filter(({ page }) => !existsSync(`docs/${page}.md`))).toEqual([]);
});

test("each pair of faults is proved by a broken shop that it finds", () => {
  const proved = new Set(BROKEN_SHOPS.flatMap(({ cases }) => cases));
  const pairs = allCases().filter(({ group }) => group === "pairs");
  const nameOf = ({ text }: DrillCase) => text.replace(/; the customer .*/, "");
  const names = new Set(pairs.filter(({ number }) => proved.has(number)).map(nameOf));
  const unproved = pairs.map(nameOf).filter((name) => !names.has(name));
  expect(unproved).toEqual([]);
});
