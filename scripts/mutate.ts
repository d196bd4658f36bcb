// Mutation testing: changes the source in two thousand small ways, one at a time, and lists the changes
// that make no test fail. Writes docs/contributing/mutation.md once every area has been run.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { AREAS, type Area } from "./mutation-areas.ts";
import {
  type AreaResult,
  type Mutant,
  pageOf,
  scoreOf,
  staleReasons,
  summaryOf,
  unexplained,
} from "./mutation-report.ts";

const RESULTS = "node_modules/.cache/mutants";
const GOAL = 90;

const { values } = parseArgs({
  options: {
    /** Runs only one area. */
    area: { type: "string" },
    /** Only some files of the area, with commas, or lines of one (`src/x.ts:10-20`). Writes nothing. */
    only: { type: "string" },
    concurrency: { type: "string" },
    /** Writes the page from the last results, and runs nothing. */
    report: { type: "boolean", default: false },
  },
});

if (values.area !== undefined && !AREAS.some(({ name }) => name === values.area)) {
  console.error(
    `There is no area ${values.area}. The areas are ${AREAS.map(({ name }) => name).join(", ")}.`,
  );
  process.exit(2);
}

if (values.only !== undefined && values.area === undefined) {
  console.error("--only requires --area, whose tests are run.");
  process.exit(2);
}

const fileOf = ({ name }: Area) => `${RESULTS}/${name}.json`;

/** The offset of a line and a column, both from 1. */
const offsetOf = (text: string, { line, column }: { line: number; column: number }): number =>
  [...text.split("\n").slice(0, line - 1), ""].join("\n").length + column - 1;

async function run(area: Area): Promise<readonly Mutant[]> {
  process.env.MUTATED_AREA = area.name;
  const stryker = new Stryker({
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    vitest: {
      configFile: "scripts/configs/mutate.vitest.config.ts",
      related: false,
      pool: "forks",
    },
    mutate: values.only === undefined ? [...area.mutate] : values.only.split(","),
    coverageAnalysis: "perTest",
    concurrency: Number(values.concurrency ?? area.concurrency),
    reporters: [process.stderr.isTTY ? "progress" : "progress-append-only"],
    tempDirName: `.stryker-tmp/${area.name.replaceAll(" ", "-")}`,
    ignorePatterns: [".stryker-tmp", "dist", "/docs", "test/bench", "test/runtimes"],
    disableTypeChecks: false,
    allowConsoleColors: false,
  });
  const mutants = await stryker.runMutationTest();
  return mutants.map(({ fileName, status, mutatorName, replacement = "", location }) => {
    const path = fileName.slice(fileName.indexOf("src/"));
    const text = readFileSync(path, "utf8");
    const original = text.slice(offsetOf(text, location.start), offsetOf(text, location.end));
    const { line } = location.start;
    return { path, status, mutatorName, line, original, replacement };
  });
}

mkdirSync(RESULTS, { recursive: true });
for (const area of AREAS) {
  if (values.report || (values.area ?? area.name) !== area.name) continue;
  console.log(`Area ${AREAS.indexOf(area) + 1} of ${AREAS.length}: ${area.name}`);
  const mutants = await run(area);
  if (values.only === undefined) writeFileSync(fileOf(area), JSON.stringify(mutants));
  else console.log([summaryOf(mutants), ...unexplained(mutants)].join("\n"));
}
if (values.only !== undefined) process.exit();

const results = AREAS.filter((area) => existsSync(fileOf(area))).map(
  (area): AreaResult => ({
    name: area.name,
    mutants: JSON.parse(readFileSync(fileOf(area), "utf8")),
  }),
);
const page = pageOf(results);
console.log(page);
if (results.length === AREAS.length) writeFileSync("docs/contributing/mutation.md", page);

const all = results.flatMap(({ mutants }) => mutants);
for (const one of unexplained(all)) console.error(`Survived without a reason: ${one}`);
for (const one of staleReasons()) console.error(`This reason names a file that is gone: ${one}`);
if (scoreOf(all) < GOAL || unexplained(all).length + staleReasons().length > 0)
  process.exitCode = 1;
