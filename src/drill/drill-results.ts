import { stripVTControlCharacters } from "node:util";
import { escapeMarkup } from "../html/html.ts";
import { visible } from "../internal/visible.ts";
import type { CaseResult } from "./case-run.ts";
import { changesDue, GROUPS } from "./cases.ts";
import { causeOf } from "./causes.ts";
import { NOT_GIVEN } from "./drill-options.ts";
import { GOODS_PROMISES } from "./goods-cases.ts";
import { NO_DOUBLE_CHARGE, PROMISES, type ShopPromise } from "./promises.ts";
import type { DrillResult } from "./run-drill.ts";

/** How many stories of one promise are printed. The others are listed by their numbers. */
const MAX_STORIES = 3;
const MAX_LISTED = 20;
const MAX_LINES = 12;
const GOODS_FINE = "Each paid order got its goods once, and says so.";

export const isBroken = ({ problems }: CaseResult): boolean => problems.size > 0;

/** What happened in a case, in the order in which it happened: a line each. */
export const storyLines = ({ story }: CaseResult): string[] =>
  story.map(
    ({ atMs, who, text }) =>
      `${(atMs / 1_000).toFixed(2).padStart(6)} s  ${who.padEnd(8)}  ${text}`,
  );

/** How to run a case again. */
export const commandFor = ({ case: one }: CaseResult, { seed, goods }: DrillResult): string =>
  one.isRandom
    ? `npx malipo drill with the same --orders and --seed ${seed}`
    : `npx malipo drill ${goods === undefined ? "" : `--goods ${goods} `}--case ${one.number}`;

/** What was promised: by a shop, or by an `onPaid`. */
export const promisesOf = ({ goods }: DrillResult): readonly ShopPromise[] =>
  goods === undefined ? PROMISES : GOODS_PROMISES;

/** What happens in every order. */
const USUAL = /delivered payment\.initiated|(?:GET|POST) \/\S+: the service returned 2/;
/** What a story is about. */
const MATTER =
  / for the payment \S+, [A-Z]{3} |reads "failed"|delivered payment\.failed|canceled the order|paid the money back|changed the order|pays [A-Z]{3} \d/;

/**
 * The lines that tell the story: of what is too long, first what is usual goes, and then the middle, but no
 * prompt, and nothing else that it is about.
 */
function shorten(lines: readonly string[], max: number): string[] {
  const short = lines.length > max ? lines.filter((line) => !USUAL.test(line)) : [...lines];
  let left = 0;
  while (short.length + Math.min(left, 1) > max) {
    const middle = Math.ceil((max - 1) / 2);
    const last = short.findIndex((line, at) => at >= middle && !MATTER.test(line));
    short.splice(last < 0 ? middle : last, 1);
    left++;
  }
  if (left > 0) short.splice(Math.ceil((max - 1) / 2), 0, `   ... ${left} more`);
  return short;
}

/** A case that broke a promise, in at most twelve lines, in the order in which it happened. */
function formatStory(result: CaseResult, promise: string, all: DrillResult): string[] {
  const { case: one, problems } = result;
  const others = problems.size - 1;
  const more = others > 0 ? ` It breaks ${count(others, "other promise")}, too.` : "";
  const end = [
    `  wrong: ${problems.get(promise)}. Usual cause: ${causeOf(result, promise)}.${more}`,
    `  again: ${commandFor(result, all)}`,
  ];
  const lines = shorten(
    storyLines(result).map((line) => ` ${line}`),
    MAX_LINES - 1 - end.length,
  );
  return [`case ${one.number}: ${one.text}`, ...lines, ...end];
}

/** The exit status of a drill: 0 every promise holds, 1 a promise is broken, 2 it could not test, or not all. */
export function exitStatus(result: DrillResult): 0 | 1 | 2 {
  if (result.results.some(isBroken)) return 1;
  return result.obstacles.length > 0 || untriedOf(result).length > 0 ? 2 : 0;
}

/** The one counting of cases: each passed, broke a promise, was not decided, or was not run. */
export function countCases({ results }: DrillResult) {
  const total = results.length;
  const failed = results.filter(isBroken).length;
  const notRun = results.filter((one) => one.skipped !== undefined).length;
  const undecided = results.filter((one) => one.undecided !== undefined).length;
  return { total, passed: total - failed - notRun - undecided, failed, undecided, notRun };
}

/** What happened to customers and to the shop: how often, and in which cases. */
const harmsOf = (result: DrillResult) =>
  promisesOf(result).flatMap(({ name, harm }) => {
    const cases = result.results
      .filter(({ problems }) => problems.has(name))
      .map(({ case: one }) => one.number);
    return harm === undefined || cases.length === 0 ? [] : [{ harm, cases }];
  });

/** The service took the money of several attempts, and the shop is not to blame: one succeeded after it had failed. */
const isChargedByService = ({ case: one, payments = [], problems }: CaseResult) =>
  !changesDue(one) &&
  payments.filter(({ status }) => status === "completed").length > 1 &&
  !problems.has(NO_DOUBLE_CHARGE);

/** What was not tried, and not left out on purpose: a drill without it promises less. */
export function untriedOf({ results, hasEffects, without = [] }: DrillResult): string[] {
  const reasons = new Set(results.map(({ skipped }) => skipped));
  if (results.length > 0 && !hasEffects) reasons.add(NOT_GIVEN.effects[0]);
  const known = Object.entries(NOT_GIVEN).filter(([name]) => !without.some((one) => one === name));
  return known.flatMap(([, [why, what]]) => (reasons.has(why) ? [what] : []));
}

/** The first line of the results, if something was not tried. */
export function untriedLines(result: DrillResult): string[] {
  const untried = untriedOf(result);
  const how =
    "Give these settings, or leave them out by name (--without): the exit status is 2 until then.";
  return untried.length === 0 ? [] : [`NOT TRIED: ${untried.join(", ")}. ${how}`];
}

/** The result of each promise: the cases that broke it, and their stories. */
export const promiseResults = (result: DrillResult) =>
  promisesOf(result).map(({ name, withoutEffects = name, needsEffects, isAbout, ...promise }) => {
    const { remedy, page } = promise;
    const { results, hasEffects } = result;
    const failed = results.filter(({ problems }) => problems.has(name));
    const [first] = failed;
    const cause = first === undefined ? promise.cause : causeOf(first, name);
    const tested = results.filter(
      ({ case: one, skipped, undecided }) =>
        skipped === undefined &&
        undecided === undefined &&
        (isAbout === undefined || isAbout(one)) &&
        (!needsEffects || hasEffects),
    );
    const passed = tested.length > 0 ? "ok" : "not checked";
    return {
      name: hasEffects ? name : withoutEffects,
      state: failed.length > 0 ? "FAILED" : passed,
      failed: failed.length,
      tested: tested.length,
      cause,
      remedy,
      page: `docs/${page}.md`,
      cases: failed.map(({ case: one }) => one.number),
      stories: failed.slice(0, MAX_STORIES).map((one) => formatStory(one, name, result)),
    };
  });

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;

const listed = (numbers: readonly number[]) => {
  const more = numbers.length > MAX_LISTED ? ` and ${numbers.length - MAX_LISTED} more` : "";
  return `case${numbers.length === 1 ? "" : "s"} ${numbers.slice(0, MAX_LISTED).join(", ")}${more}`;
};

/** The headline: what happened to the customers, in words for everybody. */
export function headlines(result: DrillResult): string[] {
  const { total, failed, notRun } = countCases(result);
  if (total === notRun) return [];
  const harms = harmsOf(result).map(
    ({ harm, cases }) => `${count(cases.length, "customer")} ${harm}: ${listed(cases)}`,
  );
  const all = result.hasEffects
    ? "The shop charged no customer twice, took no money for nothing, and gave no goods without money."
    : "The shop charged no customer twice, and said paid of each payment and of nothing else.";
  const allOf = result.goods === undefined ? all : GOODS_FINE;
  const fine = failed === 0 ? allOf : "The shop harmed no customer, but it broke a promise.";
  const byService = result.results.filter(isChargedByService).map(({ case: one }) => one.number);
  const customers =
    byService.length === 1 ? "1 customer was" : `${byService.length} customers were`;
  const twice = `${customers} charged twice by the service, since a failed payment succeeded after all: ${listed(byService)}. No shop prevents that. Check that yours tells you, and refund.`;
  return [...(harms.length > 0 ? harms : [fine]), ...(byService.length > 0 ? [twice] : [])];
}

/** The last line: whether the shop passed, and how many cases say so. */
export function summarize(result: DrillResult): string {
  const { total, passed, failed, undecided, notRun } = countCases(result);
  const open = undecided > 0 ? `${undecided} not decided, ` : "";
  const rest = `${failed} failed, ${open}${notRun} ${notRun === 1 ? "was" : "were"} not run`;
  const cases = `${count(total, "case")} in ${(result.elapsedMs / 1_000).toFixed(0)} s: ${passed} passed, ${rest}.`;
  const status = exitStatus(result);
  if (result.obstacles.length > 0 && status === 2) {
    return `The drill could not test the shop. ${total > 0 ? cases : ""}`.trimEnd();
  }
  if (status === 1) return `The shop broke promises. ${cases}`;
  const untried = untriedOf(result);
  if (untried.length === 0) return `Every promise holds. ${cases}`;
  return `Every promise that was tried holds. NOT TRIED: ${untried.join(", ")}. ${cases}`;
}

/** What was not run, and why the shop could not be tested: a sentence each. */
export function notesOf({ results, obstacles, hasEffects }: DrillResult): string[] {
  const reasons = new Map<string, number>();
  for (const { skipped } of results) {
    if (skipped !== undefined) reasons.set(skipped, (reasons.get(skipped) ?? 0) + 1);
  }
  const goods = results.length > 0 && !hasEffects;
  const [noEffects] = NOT_GIVEN.effects;
  return [
    ...[...reasons].map(([why, number]) => `Not run: ${count(number, "case")}, since ${why}.`),
    ...(goods ? [`Not checked: what the customer got, since ${noEffects}.`] : []),
    ...obstacles.map((why) => `Could not test: ${why}`),
  ];
}

/** The results as text. */
export function formatResults(result: DrillResult): string {
  const promises = promiseResults(result);
  const width = Math.max(...promises.map(({ name }) => name.length));
  const table = promises.map(({ state, name, failed, tested }) => {
    const cases = state === "not checked" ? "" : `${failed} of ${count(tested, "case")}`;
    return `${state.padEnd(11)}  ${name.padEnd(width)}  ${cases}`.trimEnd();
  });
  const printed = new Set<string>();
  const stories = promises.flatMap(({ name, stories: all, cases, remedy, page }) => {
    // A case that breaks several promises is printed once.
    const list = all.filter(([head = ""]) => !printed.has(head));
    for (const [head = ""] of list) printed.add(head);
    const rest = cases.slice(MAX_STORIES);
    const same = rest.length > 0 ? [`The same in ${listed(rest)}.`] : [];
    return list.length === 0
      ? []
      : [
          ...["", `FAILED  ${name}`, `  ${remedy}`, `  Read more: node_modules/malipo/${page}`],
          ...list.flatMap((one) => ["", ...one]),
          ...same,
        ];
  });
  const { total, notRun } = countCases(result);
  const head = headlines(result).map((line) => `  ${line}`);
  const customers = ["", `What happened to ${count(total - notRun, "customer")}:`, ...head];
  return [
    ...untriedLines(result),
    ...(total > notRun ? [...customers, "", ...table] : []),
    ...stories,
    "",
    ...notesOf(result),
    summarize(result),
  ].join("\n");
}

/** What the shop showed in the dry run: one line for each customer. */
export const formatDryRun = (results: readonly CaseResult[]): string =>
  [
    "Without faults:",
    ...results.map(
      ({ case: one, story }) => `  the customer ${one.customer}: the shop ${story.at(-1)?.text}`,
    ),
  ].join("\n");

/** The results as JSON. */
export function resultsAsJson(result: DrillResult): object {
  const { total, passed, failed, undecided, notRun } = countCases(result);
  return {
    exit_status: exitStatus(result),
    headline: headlines(result),
    not_tried: untriedOf(result),
    cases: total,
    passed,
    failed,
    not_decided: undecided,
    not_run: notRun,
    elapsed_ms: Math.round(result.elapsedMs),
    seed: result.seed,
    promises: promiseResults(result),
    notes: notesOf(result),
    could_not_test: result.obstacles,
  };
}

/** What XML 1.0 cannot have (https://www.w3.org/TR/xml/#charsets), and the controls of terminals. */
const FORBIDDEN = /(?![\t\n\r])[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu;

/**
 * The text for XML or HTML. It leaves out what XML cannot have, such as colors of a terminal, and shows
 * what is invisible or turns the direction of text.
 */
export const printableText = (text: string): string =>
  visible(stripVTControlCharacters(text).replace(/\r\n?/g, "\n").replace(FORBIDDEN, ""));

const escapeText = (text: string): string => escapeMarkup(printableText(text));

/** The results as JUnit XML: one test for each case. */
export function resultsAsJunit(result: DrillResult): string {
  const { results, obstacles, elapsedMs } = result;
  const { failed, undecided, notRun } = countCases(result);
  const testCase = (name: string, content: string, group = "drill") =>
    `  <testcase classname="malipo drill: ${escapeText(group)}" name="${escapeText(name)}">${content}</testcase>`;
  const tests = [
    ...results.map((one) => {
      const broken = [...one.problems].map(([promise, what]) => {
        const story = escapeText(formatStory(one, promise, result).join("\n"));
        return `<failure message="${escapeText(`${promise}: ${what}`)}">${story}</failure>`;
      });
      const why = one.skipped ?? (one.undecided && `not decided: ${one.undecided}`);
      const skipped = why && `<skipped message="${escapeText(why)}"/>`;
      const name = `case ${one.case.number}: ${one.case.text}`;
      return testCase(name, skipped ?? broken.join(""), GROUPS[one.case.group]);
    }),
    ...obstacles.map((why) =>
      testCase("the drill could test the shop", `<error message="${escapeText(why)}"/>`),
    ),
  ];
  const counts = `tests="${tests.length}" failures="${failed}" errors="${obstacles.length}" skipped="${notRun + undecided}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="malipo drill" ${counts} time="${(elapsedMs / 1_000).toFixed(3)}">`,
    ...tests,
    "</testsuite>",
    "",
  ].join("\n");
}
