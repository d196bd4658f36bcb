import { stripVTControlCharacters } from "node:util";
import { byPromise, type CaseResult, type DrillResult } from "./drill.ts";
import { formatStory } from "./story.ts";

/** How many stories of one promise are printed. The others are listed by their numbers. */
const MAX_STORIES = 3;

/** The exit status of a drill: 0 every promise holds, 1 a promise is broken, 2 it could not judge. */
export function exitStatus({ results, cannotJudge }: DrillResult): 0 | 1 | 2 {
  if (results.some(({ problems }) => problems.size > 0)) return 1;
  return cannotJudge.length > 0 || results.length === 0 ? 2 : 0;
}

/** What a promise has come to: its name, the cases that broke it, and their stories. */
export interface PromiseReport {
  readonly name: string;
  readonly state: "ok" | "FAILED" | "not checked";
  readonly failed: number;
  readonly cases: readonly number[];
  readonly stories: readonly (readonly string[])[];
}

export function reportPromises({ results, notChecked }: DrillResult): PromiseReport[] {
  return byPromise(results).map(({ promise: { name, needsEffects }, failed }) => {
    const isChecked = !needsEffects || !notChecked.some((one) => one.includes("--effects"));
    return {
      name,
      state: failed.length > 0 ? "FAILED" : isChecked && results.length > 0 ? "ok" : "not checked",
      failed: failed.length,
      cases: failed.map(({ case: one }) => one.number),
      stories: failed.slice(0, MAX_STORIES).map((one) => formatStory(one, name)),
    };
  });
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(0)} s`;

/** The last line: whether the shop passed. */
export function summarize(result: DrillResult): string {
  const { results, elapsedMs } = result;
  const broken = results.filter(({ problems }) => problems.size > 0).length;
  const counts = `${results.length} cases in ${seconds(elapsedMs)}`;
  const status = exitStatus(result);
  if (status === 2) return "The drill could not judge the shop.";
  return status === 1
    ? `${broken} of ${counts} broke a promise.`
    : `Every promise holds in ${counts}.`;
}

/** The report as text. */
export function formatReport(result: DrillResult): string {
  const { results, cannotJudge, notChecked } = result;
  const promises = reportPromises(result);
  const width = Math.max(...promises.map(({ name }) => name.length));
  const table = promises.map(({ state, name, failed }) => {
    const count = state === "not checked" ? "" : `${failed} of ${results.length} cases`;
    return `${state.padEnd(11)}  ${name.padEnd(width)}  ${count}`.trimEnd();
  });
  const stories = promises.flatMap(({ stories, cases }) => {
    const more = cases.slice(stories.length);
    const rest = more.length === 0 ? [] : [[`The same in ${list(more)}.`]];
    return [...stories, ...rest].map((lines) => ["", ...lines].join("\n"));
  });
  return [
    ...(results.length > 0 ? ["", ...table] : []),
    ...stories,
    "",
    ...notChecked.map((what) => `Not checked: ${what}.`),
    ...cannotJudge.map((why) => `Could not judge: ${why}`),
    summarize(result),
  ].join("\n");
}

const MAX_LISTED = 20;

function list(numbers: readonly number[]): string {
  const shown = numbers.slice(0, MAX_LISTED).join(", ");
  const more = numbers.length - MAX_LISTED;
  return `case${numbers.length === 1 ? "" : "s"} ${shown}${more > 0 ? ` and ${more} more` : ""}`;
}

/** What the shop said in the dry run: one line for each customer. */
export const formatDryRun = (results: readonly CaseResult[]): string =>
  [
    "Without faults:",
    ...results.map(
      ({ case: one, story }) =>
        `  the customer ${one.customer}: the shop ${story.at(-1)?.text ?? "was not asked"}`,
    ),
  ].join("\n");

/** The report as JSON. */
export const reportAsJson = (result: DrillResult): object => ({
  exit_status: exitStatus(result),
  cases: result.results.length,
  elapsed_ms: Math.round(result.elapsedMs),
  promises: reportPromises(result),
  not_checked: result.notChecked,
  could_not_judge: result.cannotJudge,
});

/** Escapes a text for XML and HTML, and leaves out what XML cannot say, such as colors of a terminal. */
export const escapeText = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/(?![\t\n\r])\p{Cc}/gu, "")
    .replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

/** The report as JUnit XML: one test for each case. */
export function reportAsJunit(result: DrillResult): string {
  const { results, cannotJudge, elapsedMs } = result;
  const failures = results.filter(({ problems }) => problems.size > 0).length;
  const tests = results.map((one) => {
    const name = escapeText(`case ${one.case.number}: ${one.case.text}`);
    const failed = [...one.problems].map(
      ([promise, what]) =>
        `<failure message="${escapeText(`${promise}: ${what}`)}">${escapeText(formatStory(one, promise).join("\n"))}</failure>`,
    );
    return `  <testcase classname="malipo drill" name="${name}">${failed.join("")}</testcase>`;
  });
  const errors = cannotJudge.map(
    (why) =>
      `  <testcase classname="malipo drill" name="the drill could judge"><error message="${escapeText(why)}"/></testcase>`,
  );
  const counts = `tests="${tests.length + errors.length}" failures="${failures}" errors="${errors.length}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="malipo drill" ${counts} time="${(elapsedMs / 1_000).toFixed(3)}">`,
    ...tests,
    ...errors,
    "</testsuite>",
    "",
  ].join("\n");
}
