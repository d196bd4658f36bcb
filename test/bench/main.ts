// Measures malipo beside its peers and prints one table per subject.
//
//   npm run bench                       every subject; writes docs/contributing/benchmarks.md and its chart
//   npm run bench -- call               one subject
//   npm run bench -- wait|receiver|receiver-profile|scale|stored-events|sandbox|drill|checkout [options of that program]
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { benchCall } from "./call.ts";
import { chart } from "./chart.ts";
import { benchColdImport } from "./cold-import.ts";
import { benchLearn } from "./learn.ts";
import { benchObserve } from "./observe.ts";
import { installPeers } from "./peers.ts";
import { benchSize } from "./size.ts";
import { goalLine, type Measured, markdownTable, textTable } from "./table.ts";
import { benchVerify } from "./verify.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Subjects that give one table and their goals. `rounds` is how often each candidate is measured. */
const TABLES: Readonly<Record<string, (rounds: number) => Measured | Promise<Measured>>> = {
  verify: benchVerify,
  call: benchCall,
  observe: benchObserve,
  learn: benchLearn,
  size: benchSize,
  import: (rounds) => benchColdImport(Math.min(rounds, 9)),
};

/** Subjects that are separate programs: they print several tables and take other options. */
const PROGRAMS: Readonly<Record<string, string>> = {
  sandbox: "A local gateway",
  receiver: "A receiver",
  "receiver-profile": "Where a delivery takes its time",
  scale: "Several receivers on one engine",
  "stored-events": "A delivery when many events are stored",
  wait: "Waiting for a payment",
  drill: "A fire drill of the example shops",
  checkout: "An order of a checkout",
};

const SUBJECTS = [...Object.keys(TABLES), ...Object.keys(PROGRAMS)];

const MACHINE = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.versions.node}, ${process.platform} ${process.arch}`;

function show(measured: Measured): Measured {
  const { title, how, columns, rows, goals } = measured;
  console.log(`\n${title}\n${how}\n\n${textTable(columns, rows)}\n`);
  for (const goal of goals) console.log(goalLine(goal));
  return measured;
}

/** Runs a subject's program. Its output goes to the terminal, or is returned. */
function runProgram(name: string, args: readonly string[], stdout: "inherit" | "pipe") {
  return spawnSync(process.execPath, [here(`./${name}.ts`), ...args], {
    encoding: "utf8",
    stdio: ["ignore", stdout, "inherit"],
  });
}

function section({ title, how, columns, rows, goals }: Measured): string {
  const lines = goals.map(({ text, met }) => `- ${met ? "Met" : "**Missed**"}: ${text}`);
  return `## ${title}\n\n${how}\n\n${markdownTable(columns, rows)}\n\n${lines.join("\n")}`;
}

function writePage(measured: readonly Measured[], printed: readonly string[]): void {
  writeFileSync(here("../../docs/contributing/benchmarks.svg"), chart(measured));
  writeFileSync(
    here("../../docs/contributing/benchmarks.md"),
    `# Benchmarks

Written by \`npm run bench\`, on ${MACHINE}. Only the ratios mean something: absolute times drift from machine to machine. Every subject is measured in one run, its candidates interleaved.

![malipo beside its peers; shorter is better](benchmarks.svg)

${[...measured.map(section), ...printed].join("\n\n")}
`,
  );
}

const sayWhich = (name: string): void =>
  console.error(`Subject ${SUBJECTS.indexOf(name) + 1} of ${SUBJECTS.length}: ${name}`);

async function benchAll(rounds: number, write: boolean): Promise<void> {
  const measured: Measured[] = [];
  for (const [name, bench] of Object.entries(TABLES)) {
    sayWhich(name);
    measured.push(show(await bench(rounds)));
  }
  const printed = Object.entries(PROGRAMS).map(([name, title]) => {
    sayWhich(name);
    const { stdout } = runProgram(name, [], "pipe");
    console.log(`\n${title}\n${stdout}`);
    return `## ${title}\n\nThe output of \`npm run bench -- ${name}\`:\n\n\`\`\`text\n${stdout.trim()}\n\`\`\``;
  });
  if (write) writePage(measured, printed);
  const missed = measured.flatMap(({ goals }) => goals).filter(({ met }) => !met);
  console.log(
    missed.length === 0 ? "\nEvery goal is met." : `\n${missed.length} goals are missed.`,
  );
}

const [first = "", ...rest] = process.argv.slice(2);
const subject = first.startsWith("-") ? "" : first;
if (subject !== "" && !SUBJECTS.includes(subject)) {
  console.error(`There is no benchmark ${subject}. The benchmarks are ${SUBJECTS.join(", ")}.`);
  process.exit(2);
}
console.log(`malipo beside its peers, on ${MACHINE}`);
if (
  ![
    "receiver",
    "receiver-profile",
    "scale",
    "stored-events",
    "wait",
    "observe",
    "drill",
    "checkout",
  ].includes(subject)
)
  installPeers();

if (subject in PROGRAMS) {
  process.exitCode = runProgram(subject, rest, "inherit").status ?? 1;
} else {
  const { values } = parseArgs({
    args: subject === "" ? process.argv.slice(2) : rest,
    options: { rounds: { type: "string", default: "31" }, "no-write": { type: "boolean" } },
  });
  const rounds = Number(values.rounds);
  const bench = TABLES[subject];
  if (bench === undefined) await benchAll(rounds, !values["no-write"]);
  else show(await bench(rounds));
}
