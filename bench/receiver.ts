// How many deliveries a second a receiver acknowledges, on each inbox, beside a server that only
// answers, and beside a receiver as it is usually written: npm run bench:receiver [-- --events 100000]
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startPostgres } from "../test/engines/postgres.ts";
import { startRedis } from "../test/engines/redis.ts";
import { load, requestOf } from "./receiver-load.ts";
import { median } from "./rounds.ts";
import { goalLine, textTable } from "./table.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    requests: { type: "string", default: "3000" },
    connections: { type: "string", default: "64" },
    events: { type: "string", default: "100000" },
  },
});
const [rounds, requests, connections, events] = [
  Number(values.rounds),
  Number(values.requests),
  Number(values.connections),
  Number(values.events),
] as const;

/** A server in a process of its own, and what was measured of it. */
interface Candidate {
  readonly title: string;
  readonly child: ChildProcess;
  readonly port: number;
  readonly perSecond: number[];
  readonly workedPerSecond: number[];
  readonly tookMs: number[];
  sent: number;
}

const program = fileURLToPath(new URL("./receiver-server.ts", import.meta.url));

async function start(title: string, ...args: string[]): Promise<Candidate> {
  const child = fork(program, args, { execArgv: ["--expose-gc"] });
  const [port] = await once(child, "message");
  return { title, child, port, perSecond: [], workedPerSecond: [], tookMs: [], sent: 0 };
}

/** Waits until all that was sent is worked off. Gives the megabytes of heap in use then. */
async function drained({ child, sent }: Candidate): Promise<number> {
  child.send(sent);
  const [heap] = await once(child, "message");
  return heap;
}

let made = 0;
async function send(candidate: Candidate, count: number) {
  const batch = Array.from({ length: count }, () => requestOf(`PAY-${made++}`));
  const started = performance.now();
  const { seconds, tookMs } = await load(candidate.port, batch, connections);
  candidate.sent += count;
  const heap = await drained(candidate);
  return { perSecond: count / seconds, tookMs, heap, allMs: performance.now() - started };
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

const folder = mkdtempSync(join(tmpdir(), "malipo-bench-"));
const engines = { redis: await startRedis(), postgres: await startPostgres() };
const candidates = [
  await start("node:http that only answers 200", "bare"),
  await start("malipo, memoryInbox", "memory"),
  await start("malipo, sqliteInbox", "sqlite", join(folder, "inbox.db")),
];
if (engines.redis) {
  candidates.push(
    await start("malipo, bullmqInbox", "bullmq", engines.redis.url),
    await start("Express, constructEvent, queue.add", "usual", engines.redis.url),
  );
}
if (engines.postgres) {
  candidates.push(await start("malipo, pgBossInbox", "pg-boss", engines.postgres.url));
}

for (const candidate of candidates) await send(candidate, requests);
for (let round = 0; round < rounds; round++) {
  for (let step = 0; step < candidates.length; step++) {
    const candidate = candidates[(round + step) % candidates.length] as Candidate;
    const { perSecond, tookMs, allMs } = await send(candidate, requests);
    candidate.perSecond.push(perSecond);
    candidate.workedPerSecond.push(requests / (allMs / 1_000));
    candidate.tookMs.push(...tookMs);
  }
}

const [bare] = candidates as [Candidate, ...Candidate[]];
/** The median of the ratios, round by round. */
const ratio = ({ perSecond }: Candidate) =>
  median(perSecond.map((one, round) => one / (bare.perSecond[round] ?? Number.NaN)));
const rows = candidates.map((candidate) => [
  candidate.title,
  median(candidate.perSecond).toFixed(0),
  ratio(candidate).toFixed(2),
  percentile(candidate.tookMs, 0.5).toFixed(1),
  percentile(candidate.tookMs, 0.99).toFixed(1),
  median(candidate.workedPerSecond).toFixed(0),
]);
console.log(
  `${rounds} rounds of ${requests} deliveries on ${connections} connections, interleaved; medians`,
);
console.log(
  textTable(["", "200s a second", "against bare", "p50 ms", "p99 ms", "worked a second"], rows),
);
const sqlite = candidates[2] as Candidate;
console.log(
  goalLine({
    text: `sqliteInbox acknowledges at least half as many as the bare server (${ratio(sqlite).toFixed(2)})`,
    met: ratio(sqlite) >= 0.5,
  }),
);

if (events > 0) {
  const steps = 5;
  console.log(`\nHeap in use after the work, in MB, over ${events} more deliveries`);
  const heaps: string[][] = [];
  for (const candidate of candidates) {
    const row = [candidate.title];
    for (let step = 0; step < steps; step++) {
      row.push((await send(candidate, Math.ceil(events / steps))).heap.toFixed(1));
    }
    heaps.push(row);
  }
  const heads = Array.from({ length: steps }, (_, step) => `${((step + 1) * events) / steps}`);
  console.log(textTable(["", ...heads], heaps));
}

for (const { child } of candidates) child.kill("SIGKILL");
await Promise.all(Object.values(engines).map((engine) => engine?.stop()));
rmSync(folder, { recursive: true, force: true });
