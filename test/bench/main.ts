// Measures malipo beside its peers and prints one table per subject.
//
//   npm run bench                       every subject, in fifteen minutes; writes docs/contributing/benchmarks.md
//                                       and its chart
//   npm run bench -- call               one subject, with more rounds
//   npm run bench -- wait|receiver|receiver-profile|scale|stored-events|sandbox|drill|checkout|grow|sale [options]
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
import { benchStorage } from "./storage.ts";
import { goalLine, type Measured, textTable } from "./table.ts";
import { hasFailed, lastLine, type Ran, timeGoal } from "./verdicts.ts";
import { benchVerify } from "./verify.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const MAX_MINUTES = 15;

/** Subjects that give one table and their goals. `rounds` is how often each candidate is measured. */
const TABLES: Readonly<Record<string, (rounds: number) => Measured | Promise<Measured>>> = {
  verify: benchVerify,
  call: benchCall,
  observe: benchObserve,
  learn: benchLearn,
  size: benchSize,
  storage: benchStorage,
  import: (rounds) => benchColdImport(Math.min(rounds, 9)),
};

/** A subject that is a separate program: it prints several tables and takes other options. */
interface Program {
  readonly title: string;
  /** Its options when every subject is measured. `undefined`: it takes longer than all others together. */
  readonly inAll: readonly string[] | undefined;
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  wait: { title: "Waiting for a payment", inAll: [] },
  sandbox: { title: "A local gateway", inAll: ["--rounds", "7", "--sandboxes", "6"] },
  receiver: { title: "A receiver", inAll: ["--seconds", "0.4", "--events", "20000"] },
  "receiver-profile": {
    title: "Where a delivery takes its time",
    inAll: ["--times", "7", "--events", "2000"],
  },
  scale: { title: "Several receivers on one engine", inAll: ["--rounds", "1", "--seconds", "1"] },
  "stored-events": {
    title: "A delivery when many events are stored",
    inAll: ["--sizes", "5000,50000", "--rounds", "5", "--deliveries", "1000"],
  },
  checkout: { title: "An order of a checkout", inAll: ["--rounds", "7"] },
  grow: {
    title: "A database that has grown",
    inAll: ["--sizes", "1000,100000", "--rounds", "5"],
  },
  sale: { title: "A sale that starts", inAll: ["--rounds", "2"] },
  drill: { title: "A fire drill of the example shops", inAll: undefined },
};

/** The subjects without the engines of a queue need the peers. */
const NEEDS_PEERS = new Set(["", "verify", "call", "learn", "size", "import", "sandbox"]);

const SUBJECTS = [...Object.keys(TABLES), ...Object.keys(PROGRAMS)];

const MACHINE = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.versions.node}, ${process.platform} ${process.arch}`;

const measuredText = ({ how, columns, rows, goals }: Measured): string =>
  `${how}\n\n${textTable(columns, rows)}\n\n${goals.map(goalLine).join("\n")}`;

/** Runs a subject's program. Its output goes to the terminal, or is returned. */
function runProgram(name: string, args: readonly string[], stdout: "inherit" | "pipe") {
  return spawnSync(process.execPath, [here(`./${name}.ts`), ...args], {
    encoding: "utf8",
    stdio: ["ignore", stdout, "inherit"],
    maxBuffer: 64 * 1024 * 1024,
  });
}

interface Section extends Ran {
  readonly title: string;
  readonly command: string;
}

async function runTable(name: string, rounds: number): Promise<[Section, Measured | undefined]> {
  const bench = TABLES[name] as (typeof TABLES)[string];
  const command = `npm run bench -- ${name} --rounds ${rounds}`;
  try {
    const measured = await bench(rounds);
    const { title } = measured;
    return [{ name, title, command, text: measuredText(measured), status: 0 }, measured];
  } catch (error) {
    console.error(error);
    const text = "It failed: what it threw was printed.";
    return [{ name, title: name, command, text, status: 1 }, undefined];
  }
}

function runProgramInAll(name: string, { title, inAll }: Program): Section {
  if (inAll === undefined) {
    const text = `Not measured here: it takes longer than all others together.`;
    return { name, title, command: `npm run bench -- ${name}`, text, status: 0 };
  }
  const { stdout, status } = runProgram(name, inAll, "pipe");
  const command = ["npm run bench --", name, ...inAll].join(" ");
  return { name, title, command, text: stdout.trim(), status };
}

const markdownOf = (section: Section): string =>
  `## ${section.title}\n\n\`${section.command}\`${hasFailed(section) ? " **failed**" : ""}\n\n\`\`\`text\n${section.text}\n\`\`\``;

/** The whole page: nothing of it is written by hand. */
function writePage(measured: readonly Measured[], sections: readonly Section[], end: string): void {
  writeFileSync(here("../../docs/contributing/benchmarks.svg"), chart(measured));
  writeFileSync(
    here("../../docs/contributing/benchmarks.md"),
    `# Benchmarks

Written by \`npm run bench\`, on ${MACHINE}. Only the ratios mean something: absolute times drift from machine to machine. Every subject is measured in one run, its candidates interleaved. What costs what, and why a goal is missed, is in [the notes](benchmark-notes.md).

![malipo beside its peers; shorter is better](benchmarks.svg)

${sections.map(markdownOf).join("\n\n")}

## All of them

\`\`\`text
${end}
\`\`\`
`,
  );
}

async function benchAll(rounds: number, write: boolean): Promise<void> {
  const startedAt = performance.now();
  const measured: Measured[] = [];
  const sections: Section[] = [];
  const show = (section: Section) => {
    sections.push(section);
    console.log(`\n${section.title}\n${section.text}`);
    if (hasFailed(section)) console.error(`FAILED: ${section.command}`);
  };
  for (const [index, name] of SUBJECTS.entries()) {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    console.error(`Subject ${index + 1} of ${SUBJECTS.length}: ${name}, after ${seconds} s`);
    const program = PROGRAMS[name];
    if (program !== undefined) {
      show(runProgramInAll(name, program));
      continue;
    }
    const [section, table] = await runTable(name, rounds);
    show(section);
    if (table !== undefined) measured.push(table);
  }
  const time = timeGoal((performance.now() - startedAt) / 1_000, MAX_MINUTES);
  const all = [...sections, { name: "time", text: time, status: 0 }];
  const end = `${time}\n${lastLine(all)}`;
  if (write) writePage(measured, sections, end);
  console.log(`\n${end}`);
  process.exitCode = all.some(hasFailed) ? 1 : 0;
}

const [first = "", ...rest] = process.argv.slice(2);
const subject = first.startsWith("-") ? "" : first;
if (subject !== "" && !SUBJECTS.includes(subject)) {
  console.error(`There is no benchmark ${subject}. The benchmarks are ${SUBJECTS.join(", ")}.`);
  process.exit(2);
}
console.log(`malipo beside its peers, on ${MACHINE}`);
if (NEEDS_PEERS.has(subject)) installPeers();

if (subject in PROGRAMS) {
  process.exitCode = runProgram(subject, rest, "inherit").status ?? 1;
} else {
  const { values } = parseArgs({
    args: subject === "" ? process.argv.slice(2) : rest,
    options: { rounds: { type: "string" }, "no-write": { type: "boolean" } },
  });
  if (subject === "") {
    await benchAll(Number(values.rounds ?? 9), !values["no-write"]);
  } else {
    const [{ title, text, status }] = await runTable(subject, Number(values.rounds ?? 31));
    console.log(`\n${title}\n${text}`);
    process.exitCode = status ?? 1;
  }
}
