// Drills the shops of the examples, all cases of each, and counts false alarms: these shops are right.
//
//   npm run bench -- drill                  the shop on Express
//   npm run bench -- drill fastify nest     others, and how many times: --rounds 3
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { runDrill } from "../../src/drill/drill.ts";
import { formatReport } from "../../src/drill/report.ts";
import { parseSettings } from "../../src/drill/settings.ts";
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
const names = positionals.length === 0 ? ["express"] : positionals;

mkdirSync(BUNDLES, { recursive: true });
const rows: string[][] = [];
let slowestMs = 0;
let cases = 0;
let alarms = 0;
for (const name of names) {
  const file = (await FILES[name]?.()) ?? name;
  for (let round = 0; round < Number(values.rounds); round++) {
    const result = await runDrill(
      parseSettings({
        start: `"${process.execPath}" ${file}`,
        order: "POST /orders order={order}&item=Tea&phone={phone}",
        status: "GET /orders/{order}",
        effects: "GET /orders/{order} ~ Your parcel is on its way.",
        ...{ paid: "Paid. Thank you!", failed: "Not paid.", open: "One moment|Look at your phone" },
        ...{ data: "SHOP_DATA", quiet: "60s", workers: values.workers },
      }),
      { listener: { dryRun: () => {}, progress: () => {}, output: () => {}, end: () => {} } },
    );
    const failed = result.results.filter(({ problems }) => problems.size > 0).length;
    if (failed > 0 || result.cannotJudge.length > 0) console.log(formatReport(result));
    cases += result.results.length;
    alarms += failed;
    slowestMs = Math.max(slowestMs, result.elapsedMs);
    const seconds = (result.elapsedMs / 1_000).toFixed(0);
    rows.push([name, `${result.results.length}`, `${failed}`, `${seconds} s`]);
  }
}
rmSync(BUNDLES, { recursive: true, force: true });

console.log(`\n${textTable(["shop", "cases", "false alarms", "time"], rows)}\n`);
const perDrill = cases / rows.length;
const goals = [
  {
    text: "a drill has at least 200 cases, in at most 3 minutes",
    met: perDrill >= 200 && slowestMs <= 180_000,
  },
  { text: `no false alarm in ${cases} cases of right shops`, met: alarms === 0 },
];
for (const goal of goals) console.log(goalLine(goal));
process.exitCode = goals.every(({ met }) => met) ? 0 : 1;
