import { existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import type { CaseResult } from "../../drill/case-run.ts";
import { allCases, type DrillCase, GROUP_NAMES, GROUPS } from "../../drill/cases.ts";
import {
  ASKED_SETTINGS,
  DRILL_FILE,
  DRILL_FLAGS,
  type DrillFlags,
  type RunSwitch,
} from "../../drill/drill-options.ts";
import {
  exitStatus,
  formatDryRun,
  formatResults,
  resultsAsJson,
  resultsAsJunit,
} from "../../drill/drill-results.ts";
import {
  parseSettings,
  type RawSettings,
  readDrillFile,
  readNumber,
  readPhones,
  readUntried,
} from "../../drill/drill-settings.ts";
import { goodsCases, MAX_GOODS_CASES } from "../../drill/goods-cases.ts";
import { GOODS_CHILD, serveGoods } from "../../drill/goods-child.ts";
import { KEPT_FILE, keptResults, readKeptResults } from "../../drill/kept-results.ts";
import { resultsAsPage } from "../../drill/results-page.ts";
import {
  type DrillListener,
  type DrillResult,
  hasRest,
  quoteOutput,
  runDrill,
} from "../../drill/run-drill.ts";
import { runGoods } from "../../drill/run-goods.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { KENYA } from "../../phones/phone-number.ts";
import { usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { pathOf } from "../input/files.ts";
import type { Io } from "../io.ts";
import { packageVersion } from "../package-version.ts";
import { printError, printLine, write } from "../terminal/output.ts";
import { showProgress } from "../terminal/progress.ts";

/** How long it takes to write the results of a drill that was interrupted. */
const EXIT_MS = 500;

/** `malipo drill` @throws {CliError} for a wrong setting: its message names the flag. */
export async function run(input: Input<DrillFlags>): Promise<Output | number> {
  try {
    const { goods } = input.flags;
    if (goods !== undefined) return await runForGoods(input, goods);
    const other = RUN_SWITCHES.find((name) => input.flags[name]);
    return await (other === undefined ? drill(input) : RUNS[other](input));
  } catch (error) {
    throw error instanceof ConfigurationError ? usageError(error.message) : error;
  }
}

async function drill(input: Input<DrillFlags>): Promise<Output> {
  const { flags, json, io } = input;
  const cases = chosenCases(input);
  const raw = { ...settingsInFile(io), ...given(input) };
  const all = parseSettings(raw);
  const settings = cases === undefined ? all : { ...all, orders: 0 };
  const { listener, end } = listen(io, flags.case !== undefined, json);
  const controller = new AbortController();
  // The shop and its children end first, and what is known is printed.
  const forget = io.onStop((signal) => {
    // The second signal does not wait: the shop is killed when this process exits.
    if (controller.signal.aborted) io.exit(EXIT.usage);
    controller.abort(signal);
  });
  const untilFirstFailure = flags["until-first-failure"];
  const { signal } = controller;
  const file = pathOf(io, KEPT_FILE);
  const known = flags.continue ? readKeptResults(readText(file), raw) : [];
  // Some cases alone must not replace what is known of all of them.
  const found = (results: Iterable<CaseResult>) => writeFileSync(file, keptResults(raw, results));
  const result = await runDrill(settings, {
    cases,
    known,
    untilFirstFailure,
    signal,
    listener: cases === undefined ? { ...listener, found } : listener,
  });
  if (cases === undefined && !hasRest(result)) rmSync(file, { force: true });
  forget();
  // What still waits for a shop that has ended must not hold this process.
  if (signal.aborted) setTimeout(() => io.exit(), EXIT_MS).unref();
  end();
  return written(input, result);
}

/** Writes the results where the flags say. */
function written({ flags, io }: Input<DrillFlags>, result: DrillResult): Output {
  const { report, junit } = flags;
  if (report !== undefined) {
    writeFileSync(pathOf(io, report), resultsAsPage(result, packageVersion(), new Date()));
  }
  if (junit !== undefined) writeFileSync(pathOf(io, junit), resultsAsJunit(result));
  const text = () => formatResults(result);
  return { value: resultsAsJson(result), text, exitCode: exitStatus(result) };
}

/** The flags that may stand beside `--goods`: the others are about a whole shop. */
const BESIDE_GOODS: ReadonlySet<string> = new Set<keyof DrillFlags>([
  ...(["goods", "case", "without", "country", "phones", "report", "junit", "list"] as const),
]);

function runForGoods(input: Input<DrillFlags>, module: string): Output | Promise<Output> {
  const flags = given(input);
  const other = Object.keys(DRILL_FLAGS).find((name) => name in flags && !BESIDE_GOODS.has(name));
  if (other !== undefined) {
    throw new ConfigurationError(
      `--${other} is about a whole shop, and --goods drills onPaid alone. Leave one of the two out.`,
    );
  }
  const path = pathOf(input.io, module);
  if (input.io.env[GOODS_CHILD]) return serveGoods(path);
  return input.flags.list ? listGoods() : drillGoods(input, module, path);
}

const lineOf = ({ number, text }: Pick<DrillCase, "number" | "text">) =>
  `${`${number}`.padStart(5)}  ${text}`;

/** The cases of an `onPaid`. How many statements fail is known when it runs. */
function listGoods(): Output {
  const value = goodsCases(1);
  const title = `${value.length} cases, one more for each further statement`;
  return { value, text: () => [title, ...value.map(lineOf)].join("\n") };
}

/** Drills the `onPaid` of a module. */
async function drillGoods(input: Input<DrillFlags>, given: string, path: string): Promise<Output> {
  const { flags, io, json } = input;
  const { listener, end } = listen(io, flags.case !== undefined, json);
  const controller = new AbortController();
  const forget = io.onStop((signal) => {
    if (controller.signal.aborted) io.exit(EXIT.usage);
    controller.abort(signal);
  });
  const [from, to] = readCases(flags.case, MAX_GOODS_CASES);
  const result = await runGoods({
    ...{ path, given, listener, signal: controller.signal },
    ...readPhones(flags.country ?? KENYA, flags.phones),
    without: flags.without === undefined ? [] : readUntried(flags.without),
    isChosen: (number) => number >= from && number <= to,
  });
  forget();
  end();
  return written(input, result);
}

/** The first and the last number of `--case`; without it, all of them. */
function readCases(numbers: string | undefined, max: number): readonly [number, number] {
  const [first = "1", last = first] = numbers?.split("-") ?? ["1", `${max}`];
  const from = readNumber(first, "case", 1, max);
  return [from, readNumber(last, "case", from, max)];
}

/** The cases that `--case` and `--only` name; `undefined` for all of them. */
function chosenCases({ flags }: Input<DrillFlags>): readonly DrillCase[] | undefined {
  const { case: numbers, only } = flags;
  if (numbers === undefined && only === undefined) return undefined;
  const all = allCases();
  const [from, to] = readCases(numbers, all.length);
  const chosen = all.filter(({ number, group }) => {
    return number >= from && number <= to && (only === undefined || group === only);
  });
  if (chosen.length > 0) return chosen;
  throw new ConfigurationError(`The group ${only} has no case from ${from} to ${to}.`);
}

const readText = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, "utf8") : undefined;

function settingsInFile(io: Io): RawSettings {
  const text = readText(pathOf(io, DRILL_FILE));
  return text === undefined ? {} : readDrillFile(text);
}

/** The flags that were given: they replace what the file says. A default is not given. */
const given = ({ flags }: Input<DrillFlags>): RawSettings =>
  Object.fromEntries(
    Object.entries(flags).filter(([, value]) =>
      Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false,
    ),
  );

/** Shows how far the drill is, on standard error: standard output is for the results. */
function listen(io: Io, showsOutput: boolean, json: boolean) {
  let state = { done: 0, total: 0, waitsFor: () => "orders without faults" };
  const progress = showProgress({
    output: io.stderr,
    isHidden: json,
    line: () => {
      const { done, total, waitsFor } = state;
      const cases = total > 0 ? `${done} of ${total} cases, ` : "";
      return `${cases}waits for ${waitsFor() || "the next shop"}`;
    },
    share: () => state.done / Math.max(state.total, 1),
  });
  const listener: DrillListener = {
    dryRun: (results) => {
      progress.clear();
      if (!json) printLine(io, formatDryRun(results));
    },
    progress: (done, total, waitsFor) => {
      state = { done, total, waitsFor };
    },
    output: (text) => {
      if (showsOutput) printError(io, quoteOutput(text.replace(/\n$/, "")));
    },
  };
  return { listener, end: progress.end };
}

/** The cases by their groups, each with its number. */
function list(input: Input<DrillFlags>): Output {
  const value = chosenCases(input) ?? allCases();
  const text = () =>
    GROUP_NAMES.flatMap((group) => {
      const cases = value.filter((one) => one.group === group);
      return cases.length > 0
        ? ["", `${GROUPS[group]} (--only ${group})`, ...cases.map(lineOf)]
        : [];
    }).join("\n");
  return { value, text: () => `${value.length} cases\n${text()}` };
}

async function init({ io }: Input): Promise<number> {
  const path = pathOf(io, DRILL_FILE);
  // Also a link that leads nowhere: writing through it would make a file elsewhere.
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
    throw new ConfigurationError(`${DRILL_FILE} exists already. Edit it, or delete it first.`);
  }
  const settings = await askSettings(io);
  parseSettings(settings);
  writeFileSync(path, `${JSON.stringify(settings, null, 2)}\n`, { flag: "wx" });
  printError(io, `Wrote ${DRILL_FILE}. Run: npx malipo drill`);
  return EXIT.ok;
}

/** What each switch does in the place of a drill: a switch that does nothing does not compile. */
const RUNS: Readonly<Record<RunSwitch, (input: Input<DrillFlags>) => Output | Promise<number>>> = {
  init,
  list,
};

const RUN_SWITCHES = Object.keys(RUNS) as RunSwitch[];

/** Asks for the settings of a shop, one line each. An empty line takes the default. */
async function askSettings(io: Io): Promise<Record<string, string>> {
  const lines = createInterface({ input: io.stdin });
  const answers = lines[Symbol.asyncIterator]();
  const settings: Record<string, string> = {};
  for (const { name, summary, fallback } of ASKED_SETTINGS) {
    const otherwise = fallback === undefined ? "" : ` [${fallback}]`;
    write(io.stderr, `${name}: ${summary}${otherwise}\n> `);
    const { value: answer = "", done } = await answers.next();
    if (answer.trim() !== "") settings[name] = answer.trim();
    if (done) break;
  }
  lines.close();
  return settings;
}
