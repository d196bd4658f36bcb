// Measures malipo beside its peers, prints one table a subject, and writes docs/benchmarks.md.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { benchCall } from "./call.ts";
import { chart } from "./chart.ts";
import { benchColdImport } from "./cold-import.ts";
import { hasPeers } from "./peers.ts";
import { benchSize } from "./size.ts";
import { goalLine, type Measured, markdownTable, textTable } from "./table.ts";
import { benchVerify } from "./verify.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "31" }, "no-write": { type: "boolean" } },
});
const rounds = Number(values.rounds);
const docs = (name: string) => fileURLToPath(new URL(`../docs/${name}`, import.meta.url));

if (!hasPeers()) {
  console.error("The peers are not installed: start this by `npm run bench`.");
  process.exit(2);
}

/** Benchmarks with a command of their own: their print is taken as it is. */
const OTHERS = [
  { title: "A local gateway", command: "bench:sandbox" },
  { title: "A receiver", command: "bench:receiver" },
  { title: "Waiting for a payment", command: "bench:wait" },
];

function show(measured: Measured): Measured {
  const { title, how, columns, rows, goals } = measured;
  console.log(`\n${title}\n${how}\n\n${textTable(columns, rows)}\n`);
  for (const goal of goals) console.log(goalLine(goal));
  return measured;
}

const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.versions.node}, ${process.platform} ${process.arch}`;
console.log(`malipo beside its peers, on ${machine}`);

const measured = [
  show(await benchVerify(rounds)),
  show(await benchCall(rounds)),
  show(await benchSize()),
  show(benchColdImport(9)),
];

const printed = OTHERS.map(({ title, command }) => {
  console.log(`\n${title}: npm run ${command}`);
  const { stdout } = spawnSync("npm", ["run", "--silent", command], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  console.log(stdout);
  return `## ${title}\n\nAs \`npm run ${command}\` printed it:\n\n\`\`\`text\n${stdout.trim()}\n\`\`\``;
});

const sections = measured.map(
  ({ title, how, columns, rows, goals }) =>
    `## ${title}\n\n${how}\n\n${markdownTable(columns, rows)}\n\n${goals.map(({ text, met }) => `- ${met ? "Met" : "**Missed**"}: ${text}`).join("\n")}`,
);
if (!values["no-write"]) {
  writeFileSync(docs("img/benchmarks.svg"), chart(measured));
  writeFileSync(
    docs("benchmarks.md"),
    `# Benchmarks

Written by \`npm run bench\`, on ${machine}. Only the ratios mean something: absolute times drift from machine to machine. Every subject is measured in one run, its candidates interleaved.

![malipo beside its peers; shorter is better](img/benchmarks.svg)

${[...sections, ...printed].join("\n\n")}
`,
  );
}
const missed = measured.flatMap(({ goals }) => goals).filter(({ met }) => !met);
console.log(missed.length === 0 ? "\nEvery goal is met." : `\n${missed.length} goals are missed.`);
