import { stripVTControlCharacters } from "node:util";
import type { CaseResult, DrillResult } from "./drill.ts";
import { PROMISES } from "./promises.ts";

/** How many stories of one promise are printed. The others are listed by their numbers. */
const MAX_STORIES = 3;
const MAX_LISTED = 20;
const MAX_LINES = 12;

/** A case that broke a promise, in at most twelve lines, in the order in which it happened. */
function formatStory({ case: one, story, problems }: CaseResult, promise: string): string[] {
  const { cause = "" } = PROMISES.find(({ name }) => name === promise) ?? {};
  const head = `case ${one.number}: ${one.text}`;
  const end = [
    `  wrong: ${problems.get(promise)}. Usual cause: ${cause}.`,
    one.isRandom
      ? "  again: npx malipo drill with the same --orders and --seed"
      : `  again: npx malipo drill --case ${one.number}`,
  ];
  const lines = story.map(
    ({ atMs, who, text }) =>
      `  ${(atMs / 1_000).toFixed(2).padStart(5)} s  ${who.padEnd(8)}  ${text}`,
  );
  const max = MAX_LINES - 1 - end.length;
  if (lines.length > max) {
    const middle = lines.splice(Math.ceil((max - 1) / 2), lines.length - max + 1);
    lines.splice(Math.ceil((max - 1) / 2), 0, `   ... ${middle.length} more`);
  }
  return [head, ...lines, ...end];
}

const isBroken = ({ problems }: CaseResult) => problems.size > 0;

/** The exit status of a drill: 0 every promise holds, 1 a promise is broken, 2 it could not test. */
export function exitStatus({ results, obstacles }: DrillResult): 0 | 1 | 2 {
  if (results.some(isBroken)) return 1;
  return obstacles.length > 0 ? 2 : 0;
}

/** The result of each promise: the cases that broke it, and their stories. */
export const reportPromises = ({ results, notChecked }: DrillResult) =>
  PROMISES.map(({ name, needsEffects, needsFault = [] }) => {
    const failed = results.filter(({ problems }) => problems.has(name));
    const tested = results.filter(
      ({ case: { fault }, isTested }) =>
        needsFault.length === 0 || (isTested && needsFault.includes(fault?.kind ?? "")),
    );
    const isChecked = !needsEffects || !notChecked.some((one) => one.includes("--effects"));
    return {
      name,
      state: failed.length > 0 ? "FAILED" : isChecked && tested.length > 0 ? "ok" : "not checked",
      failed: failed.length,
      cases: failed.map(({ case: one }) => one.number),
      stories: failed.slice(0, MAX_STORIES).map((one) => formatStory(one, name)),
    };
  });

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** The last line: whether the shop passed. */
export function summarize(result: DrillResult): string {
  const { results, elapsedMs } = result;
  const cases = `${count(results.length, "case")} in ${(elapsedMs / 1_000).toFixed(0)} s`;
  const status = exitStatus(result);
  if (status === 2) return "The drill could not test the shop.";
  if (status === 0) return `Every promise holds in ${cases}.`;
  return `${results.filter(isBroken).length} of ${cases} broke a promise.`;
}

/** What was not checked, and why the shop could not be tested: a sentence each. */
export const notesOf = ({ notChecked, obstacles }: DrillResult): string[] => [
  ...notChecked.map((what) => `Not checked: ${what}.`),
  ...obstacles.map((why) => `Could not test: ${why}`),
];

/** The report as text. */
export function formatReport(result: DrillResult): string {
  const total = result.results.length;
  const promises = reportPromises(result);
  const width = Math.max(...promises.map(({ name }) => name.length));
  const table = promises.map(({ state, name, failed }) => {
    const cases = state === "not checked" ? "" : `${failed} of ${count(total, "case")}`;
    return `${state.padEnd(11)}  ${name.padEnd(width)}  ${cases}`.trimEnd();
  });
  const stories = promises.flatMap(({ stories: list, cases }) => {
    const rest = cases.slice(MAX_STORIES);
    const shown = rest.slice(0, MAX_LISTED).join(", ");
    const more = rest.length > MAX_LISTED ? ` and ${rest.length - MAX_LISTED} more` : "";
    const same = `The same in case${rest.length === 1 ? "" : "s"} ${shown}${more}.`;
    return [...list, rest.length > 0 ? [same] : []].flatMap((lines) =>
      lines.length > 0 ? ["", ...lines] : [],
    );
  });
  const parts = [...(total > 0 ? ["", ...table] : []), ...stories, "", ...notesOf(result)];
  return [...parts, summarize(result)].join("\n");
}

/** What the shop showed in the dry run: one line for each customer. */
export const formatDryRun = (results: readonly CaseResult[]): string =>
  [
    "Without faults:",
    ...results.map(
      ({ case: one, story }) => `  the customer ${one.customer}: the shop ${story.at(-1)?.text}`,
    ),
  ].join("\n");

/** The report as JSON. */
export const reportAsJson = (result: DrillResult): object => ({
  exit_status: exitStatus(result),
  cases: result.results.length,
  elapsed_ms: Math.round(result.elapsedMs),
  promises: reportPromises(result),
  not_checked: result.notChecked,
  could_not_test: result.obstacles,
});

/** Escapes a text for XML and HTML, and leaves out what XML cannot have, such as colors of a terminal. */
export const escapeText = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/(?![\t\n\r])\p{Cc}/gu, "")
    .replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

/** The report as JUnit XML: one test for each case. */
export function reportAsJunit({ results, obstacles, elapsedMs }: DrillResult): string {
  const failures = results.filter(isBroken).length;
  const testCase = (name: string, content: string) =>
    `  <testcase classname="malipo drill" name="${escapeText(name)}">${content}</testcase>`;
  const tests = [
    ...results.map((one) => {
      const failed = [...one.problems].map(([promise, what]) => {
        const story = escapeText(formatStory(one, promise).join("\n"));
        return `<failure message="${escapeText(`${promise}: ${what}`)}">${story}</failure>`;
      });
      return testCase(`case ${one.case.number}: ${one.case.text}`, failed.join(""));
    }),
    ...obstacles.map((why) =>
      testCase("the drill could test the shop", `<error message="${escapeText(why)}"/>`),
    ),
  ];
  const counts = `tests="${tests.length}" failures="${failures}" errors="${obstacles.length}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="malipo drill" ${counts} time="${(elapsedMs / 1_000).toFixed(3)}">`,
    ...tests,
    "</testsuite>",
    "",
  ].join("\n");
}
