// Measures the sandbox: its start, its memory, the cost of a call, and whether ten thousand payments slow
// it down. Beside bare node:http, Prism and Mockoon.
import { parseArgs } from "node:util";
import { measureCalls, measureGrowth } from "./sandbox-calls.ts";
import { measureServers, OURS } from "./sandbox-servers.ts";
import { type Goal, goalLine, textTable } from "./table.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    sandboxes: { type: "string", default: "16" },
  },
});
const rounds = Number(values.rounds);
const sandboxes = Number(values.sandboxes);
const print = (how: string, columns: readonly string[], rows: readonly (readonly string[])[]) =>
  console.log(`${how}\n\n${textTable(columns, rows)}\n`);

const servers = await measureServers(rounds);
print(
  `From the start of a process to its first response; medians of ${rounds} interleaved starts.`,
  ["a gateway on the laptop", "ready after", "resident"],
  servers.map(({ name, readyMs, residentMb }) => [
    name,
    `${readyMs.toFixed(0)} ms`,
    `${residentMb.toFixed(0)} MB`,
  ]),
);
if (servers.length < 4) console.log("Prism or Mockoon did not start.\n");

const calls = await measureCalls(31);
print(
  "One call in process, its body read; medians of 31 interleaved rounds of 300.",
  ["in process", "us"],
  calls.map(([name, micros]) => [name, micros.toFixed(1)]),
);

const growths = await measureGrowth(sandboxes);
print(
  `10,000 payments in one sandbox: CPU time per payment; means of the middle half of ${sandboxes} sandboxes.`,
  ["a payment", "first thousand", "last thousand", "ratio"],
  growths.map(({ name, first, last }) => [
    name,
    `${first.toFixed(1)} us`,
    `${last.toFixed(1)} us`,
    (last / first).toFixed(2),
  ]),
);

const ours = servers.find(({ name }) => name === OURS);
const read = calls.find(([name]) => name.endsWith("a read"))?.[1] ?? 0;
const { readyMs = 0, residentMb = 0 } = ours ?? {};
const goals: readonly Goal[] = [
  { text: `ready after at most 70 ms: ${readyMs.toFixed(0)}`, met: readyMs <= 70 },
  { text: `resident at most 60 MB: ${residentMb.toFixed(0)}`, met: residentMb <= 60 },
  { text: `a read by sandbox.fetch at most 12 us: ${read.toFixed(1)}`, met: read <= 12 },
  ...growths.map(({ name, first, last }) => ({
    text: `the last thousand at most 1.2 times the first, ${name}: ${(last / first).toFixed(2)}`,
    met: last / first <= 1.2,
  })),
];
for (const goal of goals) console.log(goalLine(goal));
