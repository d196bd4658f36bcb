// Measures the sandbox: its start, its memory, the cost of a call, and whether ten thousand payments slow
// it down. Beside bare node:http, Prism and Mockoon.
import { parseArgs } from "node:util";
import { measureCalls, measureGrowth } from "./sandbox-calls.ts";
import {
  BARE_SERVER,
  measureServers,
  measureVersion,
  OURS,
  startGoals,
} from "./sandbox-servers.ts";
import { atMost, type Goal, goalLine, textTable } from "./table.ts";

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
const versionMs = await measureVersion(rounds);
console.log(`malipo --version: ${versionMs.toFixed(0)} ms until it ends.\n`);
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
const read = calls.find(([name]) => name.endsWith("a read"))?.[1] ?? Number.NaN;
const { readyMs = Number.NaN, residentMb = Number.NaN } = ours ?? {};
const { readyMs: bareMs = Number.NaN } = servers.find(({ name }) => name === BARE_SERVER) ?? {};
const goals: readonly Goal[] = [
  ...startGoals({ bareMs, readyMs, versionMs }),
  atMost("resident", 60, residentMb, "MB", 0),
  atMost("a read by sandbox.fetch", 12, read, "us", 1),
  ...growths.map(({ name, first, last }) =>
    atMost(`the last thousand beside the first, ${name},`, 1.2, last / first),
  ),
];
for (const goal of goals) console.log(goalLine(goal));
