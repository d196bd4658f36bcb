// Drills the shops of the examples, all cases of each, and counts false alarms: these shops are right.
// Then it drills the broken shops, and counts those that are found.
//
//   npm run bench -- drill                  all four, twice: about half an hour
//   npm run bench -- drill fastify nest     some, and how many times: --rounds 3
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { countCases, formatReport } from "../../src/drill/drill-report.ts";
import { BROKEN_SHOPS } from "../drill/shops/broken-shops.ts";
import { brokenPromises, drillBroken, node, shopFolder } from "../drill/shops/drill-shop.ts";
import { drillExample } from "../drill/shops/example-shops.ts";
import { goalLine, textTable } from "./table.ts";

const BUNDLES = "test/docs/bundles/drill";

/** Prepares a shop, and returns the file that starts it. */
const FILES: Readonly<Record<string, () => string | Promise<string>>> = {
  express: () => "examples/express/server.ts",
  fastify: () => "examples/fastify/server.ts",
  nest: () => {
    const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript")), "../bin/tsc");
    const args = ["-p", "examples/nest", "--outDir", `${BUNDLES}/nest`, "--noCheck"];
    execFileSync(process.execPath, [tsc, ...args]);
    return `${BUNDLES}/nest/main.js`;
  },
  next: async () => {
    const outfile = `${BUNDLES}/next.mjs`;
    await build({
      entryPoints: ["test/docs/support/serve-next.ts"],
      ...{ bundle: true, packages: "external", platform: "node", format: "esm", outfile },
      tsconfigRaw: { compilerOptions: { jsx: "react-jsx" } },
    });
    return outfile;
  },
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "1" }, workers: { type: "string", default: "2" } },
});
const names =
  positionals.length === 0 ? [...Object.keys(FILES), ...Object.keys(FILES)] : positionals;

mkdirSync(BUNDLES, { recursive: true });
const rows: string[][] = [];
let slowestMs = 0;
let fewestCases = Number.POSITIVE_INFINITY;
let cases = 0;
let alarms = 0;
for (const name of names) {
  const file = (await FILES[name]?.()) ?? name;
  for (let round = 0; round < Number(values.rounds); round++) {
    const result = await drillExample(node(file), values.workers);
    const { results, obstacles, elapsedMs } = result;
    const { failed, notRun } = countCases(result);
    const run = results.length - notRun;
    if (failed > 0 || obstacles.length > 0) console.log(formatReport(result));
    cases += run;
    alarms += failed;
    if (name === "express") {
      slowestMs = Math.max(slowestMs, elapsedMs);
      fewestCases = Math.min(fewestCases, run);
    }
    rows.push([name, `${run}`, `${failed}`, `${(elapsedMs / 1_000).toFixed(0)} s`]);
  }
}
rmSync(BUNDLES, { recursive: true, force: true });

const shops = shopFolder();
let found = 0;
for (const shop of BROKEN_SHOPS) {
  const broken = brokenPromises(await drillBroken(shops, shop));
  const { breaks, follows = [] } = shop;
  const isOnly = broken.every((one) => one === breaks || follows.includes(one));
  if (broken.includes(breaks) && isOnly) found++;
  else console.log(`not found: ${shop.name}; the drill found: ${broken.join(", ") || "nothing"}`);
}
shops.remove();

const lines = readdirSync("src/drill")
  .map((file) => readFileSync(`src/drill/${file}`, "utf8").split("\n").length - 1)
  .reduce((sum, one) => sum + one, 0);

console.log(`\n${textTable(["shop", "cases", "false alarms", "time"], rows)}\n`);
const seconds = (slowestMs / 1_000).toFixed(0);
const goals = [
  {
    text: `the shop on Express: at least 250 cases (${fewestCases}) in at most 300 s (${seconds} s)`,
    met: fewestCases >= 250 && slowestMs > 0 && slowestMs <= 300_000,
  },
  {
    text: `every broken shop is found by its promise: ${found} of ${BROKEN_SHOPS.length}`,
    met: found === BROKEN_SHOPS.length,
  },
  {
    text: `no false alarm in at least 2,000 cases of right shops: ${alarms} in ${cases}`,
    met: alarms === 0 && cases >= 2_000,
  },
  { text: `src/drill has at most 1,500 lines: ${lines}`, met: lines <= 1_500 },
];
for (const goal of goals) console.log(goalLine(goal));
process.exitCode = goals.every(({ met }) => met) ? 0 : 1;
