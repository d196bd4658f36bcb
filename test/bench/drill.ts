// Drills right shops, all cases of each, and counts false alarms: those of the examples, the one that the page on
// the checkout prints, and small ones in three languages.
// Then it drills the broken shops, and counts those that are found.
//
//   npm run bench -- drill                       all of them: about half an hour
//   npm run bench -- drill express --busy 2      some, beside two processes that compute all the time
//   npm run bench -- drill nest --rounds 3       some, three times
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { TOO_LATE } from "../../src/drill/deliver.ts";
import { countCases, formatResults } from "../../src/drill/drill-results.ts";
import type { RawSettings } from "../../src/drill/drill-settings.ts";
import { BROKEN_SHOPS } from "../drill/shops/broken-shops.ts";
import {
  brokenPromises,
  drillBroken,
  drillShop,
  node,
  SETTINGS,
  shopFolder,
} from "../drill/shops/drill-shop.ts";
import { exampleSettings, printedShop } from "../drill/shops/example-shops.ts";
import { goalLine, textTable } from "./table.ts";

const BUNDLES = "test/docs/bundles/drill";

/** Prepares a right shop. Returns how it is drilled. */
const SHOPS: Readonly<Record<string, () => RawSettings | Promise<RawSettings>>> = {
  express: () => exampleSettings(node("examples/express/server.ts")),
  fastify: () => exampleSettings(node("examples/fastify/server.ts")),
  nest: () => {
    const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript")), "../bin/tsc");
    const args = ["-p", "examples/nest", "--outDir", `${BUNDLES}/nest`, "--noCheck"];
    execFileSync(process.execPath, [tsc, ...args]);
    return exampleSettings(node(`${BUNDLES}/nest/main.js`));
  },
  next: async () => {
    const outfile = `${BUNDLES}/next.mjs`;
    await build({
      entryPoints: ["test/docs/support/serve-next.ts"],
      ...{ bundle: true, packages: "external", platform: "node", format: "esm", outfile },
      tsconfigRaw: { compilerOptions: { jsx: "react-jsx" } },
    });
    return exampleSettings(node(outfile));
  },
  printed: () => printedShop(mkdtempSync(join(BUNDLES, "printed-"))),
  typescript: () => ({ ...SMALL_SHOP, start: node("test/drill/shops/right-shop.ts") }),
  python: () => ({ ...SMALL_SHOP, start: "python3 test/drill/shops/shop.py" }),
  perl: () => ({ ...SMALL_SHOP, start: "perl test/drill/shops/shop.pl" }),
};
const SMALL_SHOP: RawSettings = { ...SETTINGS, quiet: "10s" };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "1" },
    workers: { type: "string", default: "2" },
    busy: { type: "string", default: "0" },
  },
});
const names = positionals.length === 0 ? Object.keys(SHOPS) : positionals;

const busy = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" }),
);
process.once("exit", () => {
  for (const one of busy) one.kill("SIGKILL");
});

mkdirSync(BUNDLES, { recursive: true });
const rows: string[][] = [];
let slowestMs = 0;
let fewestCases = Number.POSITIVE_INFINITY;
let cases = 0;
let alarms = 0;
/** Cases of which the drill itself lost the moment. */
let missed = 0;
for (const name of names) {
  const raw = await SHOPS[name]?.();
  if (raw === undefined)
    throw new Error(`There is no shop ${name}: ${Object.keys(SHOPS).join(", ")}.`);
  for (let round = 0; round < Number(values.rounds); round++) {
    const result = await drillShop({ ...raw, workers: values.workers });
    const { results, obstacles, elapsedMs } = result;
    const { failed, notRun } = countCases(result);
    const run = results.length - notRun;
    if (failed > 0 || obstacles.length > 0) console.log(formatResults(result));
    cases += run;
    alarms += failed;
    missed += results.filter(({ skipped }) => skipped === TOO_LATE).length;
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
  {
    text: `at most 1 in 100 cases of right shops loses its moment: ${missed} of ${cases + missed}`,
    met: missed <= (cases + missed) / 100,
  },
];
console.log(`src/drill has ${lines} lines`);
for (const goal of goals) console.log(goalLine(goal));
process.exitCode = goals.every(({ met }) => met) ? 0 : 1;
