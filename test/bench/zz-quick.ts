// How many deliveries a second a receiver acknowledges, on each inbox, beside a server that only
// responds, and beside a receiver as it is usually written: npm run bench -- receiver [--events 100000]
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startRedis } from "../support/engines/redis.ts";
import { load, requestOf } from "./receiver-load.ts";
import { median } from "./rounds.ts";
import { goalLine, textTable } from "./table.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "1" },
    connections: { type: "string", default: "64" },
    events: { type: "string", default: "0" },
  },
});
const [rounds, slot, connections, events] = [
  Number(values.rounds),
  Number(values.seconds),
  Number(values.connections),
  Number(values.events),
] as const;

/** A server in its own process, and its measurements. */
interface Candidate {
  readonly title: string;
  readonly child: ChildProcess;
  readonly port: number;
  readonly perSecond: number[];
  /** Against the bare server, measured just before. */
  readonly ratios: number[];
  readonly processedPerSecond: number[];
  readonly tookMs: number[];
  sent: number;
}

const program = fileURLToPath(new URL("./zz-server.ts", import.meta.url));

async function start(title: string, ...args: string[]): Promise<Candidate> {
  const child = fork(program, args, { execArgv: ["--expose-gc"] });
  const [port] = await once(child, "message");
  return {
    title,
    child,
    port,
    perSecond: [],
    ratios: [],
    processedPerSecond: [],
    tookMs: [],
    sent: 0,
  };
}

/** Waits until everything sent is processed. Returns the megabytes of heap in use then. */
async function drained({ child, sent }: Candidate, collect: boolean): Promise<number> {
  child.send({ until: sent, collect });
  const [heap] = await once(child, "message");
  return heap;
}

let made = 0;
async function send(candidate: Candidate, count: number, collect = false) {
  const batch = Array.from({ length: count }, () => requestOf(`PAY-${made++}`));
  const started = performance.now();
  const { seconds, tookMs } = await load(candidate.port, batch, connections);
  candidate.sent += count;
  const heap = await drained(candidate, collect);
  return { perSecond: count / seconds, tookMs, heap, allMs: performance.now() - started };
}

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

const folder = mkdtempSync(join(tmpdir(), "malipo-bench-"));
const engines = { redis: await startRedis() };
const candidates = [
  await start("bare", "bare"),
  await start("bullmqInbox", "bullmq", engines.redis!.url),
  await start("usual", "usual", engines.redis!.url),
];
const [bare, ...others] = candidates as [Candidate, ...Candidate[]];
/** How many deliveries fill a slot. This also warms up the compilers. */
const counts = new Map<Candidate, number>();
for (const candidate of candidates) {
  await send(candidate, 4_000);
  const { perSecond } = await send(candidate, 4_000);
  counts.set(candidate, Math.ceil(perSecond * slot));
}

async function measure(candidate: Candidate): Promise<number> {
  const count = counts.get(candidate) as number;
  const { perSecond, tookMs, allMs } = await send(candidate, count);
  candidate.perSecond.push(perSecond);
  candidate.processedPerSecond.push(count / (allMs / 1_000));
  candidate.tookMs.push(...tookMs);
  return perSecond;
}
for (let round = 0; round < rounds; round++) {
  for (let step = 0; step < others.length; step++) {
    const candidate = others[(round + step) % others.length] as Candidate;
    // Right after the bare server, so that a slow moment of the machine affects both.
    const floor = await measure(bare);
    candidate.ratios.push((await measure(candidate)) / floor);
  }
}

const ratio = ({ ratios }: Candidate) => (ratios.length === 0 ? 1 : median(ratios));
const rows = candidates.map((candidate) => [
  candidate.title,
  median(candidate.perSecond).toFixed(0),
  ratio(candidate).toFixed(2),
  percentile(candidate.tookMs, 0.5).toFixed(1),
  percentile(candidate.tookMs, 0.99).toFixed(1),
  median(candidate.processedPerSecond).toFixed(0),
]);
console.log(
  `${rounds} rounds of about ${slot} s a candidate, on ${connections} connections, interleaved; medians`,
);
console.log(
  textTable(
    ["", "200s a second", "against the first", "p50 ms", "p99 ms", "processed a second"],
    rows,
  ),
);
if (events > 0) {
  const steps = 5;
  console.log(`\nHeap in use after processing, in MB, over ${events} more deliveries`);
  const heaps: string[][] = [];
  for (const candidate of candidates) {
    const row = [candidate.title];
    for (let step = 0; step < steps; step++) {
      row.push((await send(candidate, Math.ceil(events / steps), true)).heap.toFixed(1));
    }
    heaps.push(row);
  }
  const heads = Array.from({ length: steps }, (_, step) => `${((step + 1) * events) / steps}`);
  console.log(textTable(["", ...heads], heaps));
}

for (const { child } of candidates) child.kill("SIGKILL");
await Promise.all(Object.values(engines).map((engine) => engine?.stop()));
rmSync(folder, { recursive: true, force: true });
