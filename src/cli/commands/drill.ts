import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { allCases } from "../../drill/cases.ts";
import { type DrillListener, runDrill } from "../../drill/drill.ts";
import { ASKED_SETTINGS, DRILL_FILE } from "../../drill/options.ts";
import {
  exitStatus,
  formatDryRun,
  formatReport,
  reportAsJson,
  reportAsJunit,
} from "../../drill/report.ts";
import { reportAsPage } from "../../drill/report-page.ts";
import {
  parseSettings,
  type RawSettings,
  readDrillFile,
  readNumber,
} from "../../drill/settings.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import type { Input, Output } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { printError, printLine, write } from "../terminal/output.ts";
import { Progress } from "../terminal/progress.ts";

export async function run(input: Input): Promise<Output | number> {
  const { switches, json } = input;
  if (switches.has("init")) return init();
  if (switches.has("list")) return list();
  const settings = parseSettings({ ...settingsInFile(), ...given(input) });
  const only = input.values.case;
  const number = only === undefined ? undefined : readNumber(only, "case", 1, allCases().length);
  const { listener, end } = showProgress(number, json);
  const result = await runDrill(settings, { only: number, listener });
  end();
  const { report, junit } = input.values;
  if (report !== undefined) writeFileSync(report, reportAsPage(result));
  if (junit !== undefined) writeFileSync(junit, reportAsJunit(result));
  const text = () => formatReport(result);
  return { value: reportAsJson(result), text, exitCode: exitStatus(result) };
}

const settingsInFile = (): RawSettings =>
  existsSync(DRILL_FILE) ? readDrillFile(readFileSync(DRILL_FILE, "utf8")) : {};

/** The flags that were given: they replace what the file says. A default is not given. */
function given({ values, repeated, switches }: Input): RawSettings {
  return {
    ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
    ...repeated,
    ...(switches.has("double-click") && { "double-click": true }),
  };
}

/** Shows how far the drill is, on standard error: standard output is for the report. */
function showProgress(only: number | undefined, json: boolean) {
  let state = { done: 0, total: 1 };
  const progress = new Progress({
    line: () => `${state.done} of ${state.total} cases`,
    share: () => state.done / state.total,
  });
  const listener: DrillListener = {
    dryRun: (results, notChecked) => {
      if (json) return;
      printLine(formatDryRun(results));
      for (const what of notChecked) printLine(`  not checked: ${what}`);
    },
    progress: (done, total) => {
      state = { done, total };
      progress.update();
    },
    output: (text) => {
      if (only !== undefined) write(process.stderr, text);
    },
  };
  return { listener, end: () => progress.clear() };
}

function list(): Output {
  const value = allCases();
  return { value, text: () => value.map(({ number, text }) => `${number}  ${text}`).join("\n") };
}

async function init(): Promise<number> {
  if (existsSync(DRILL_FILE)) {
    throw new ConfigurationError(`${DRILL_FILE} exists already. Edit it, or delete it first.`);
  }
  const settings = await askSettings();
  parseSettings(settings);
  writeFileSync(DRILL_FILE, `${JSON.stringify(settings, null, 2)}\n`);
  printError(`Wrote ${DRILL_FILE}. Run: npx malipo drill`);
  return EXIT.ok;
}

/** Asks for the settings of a shop, one line each. An empty line takes the default. */
async function askSettings(): Promise<Record<string, string>> {
  const lines = createInterface({ input: process.stdin });
  const answers = lines[Symbol.asyncIterator]();
  const settings: Record<string, string> = {};
  for (const { name, summary, fallback } of ASKED_SETTINGS) {
    const otherwise = fallback === undefined ? "" : ` [${fallback}]`;
    write(process.stderr, `${name}: ${summary}${otherwise}\n> `);
    const { value: answer = "", done } = await answers.next();
    if (answer.trim() !== "") settings[name] = answer.trim();
    if (done) break;
  }
  lines.close();
  return settings;
}
