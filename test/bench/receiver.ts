// How many deliveries a second a receiver acknowledges and what one costs, on each inbox, beside a server
// that only responds, beside the leanest receivers that can be written, and beside the receiver that is
// usually written: npm run bench -- receiver [--only nothing,sqlite] [--events 100000]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../support/engines/postgres.ts";
import { startRedis } from "../support/engines/redis.ts";
import { Candidate, type Sent, send } from "./receivers/candidate.ts";
import { type Figures, LINEUP, receiverGoals, type Store } from "./receivers/lineup.ts";
import { median } from "./rounds.ts";
import { countSteps } from "./steps.ts";
import { goalLine, textTable } from "./table.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "9" },
    seconds: { type: "string", default: "1" },
    connections: { type: "string", default: "64" },
    events: { type: "string", default: "100000" },
    /** Names of the line-up, with commas. */
    only: { type: "string" },
  },
});
const [rounds, slot, connections, events] = [
  Number(values.rounds),
  Number(values.seconds),
  Number(values.connections),
  Number(values.events),
] as const;
const only = values.only?.split(",");

/** A candidate, and its measurements. */
interface Entry {
  readonly name: string;
  readonly candidate: Candidate;
  readonly sent: Sent[];
  /** Against the bare server, measured just before. */
  readonly ratios: number[];
  readonly processedRatios: number[];
  /** How many deliveries fill a slot. */
  count: number;
}

const lineup = LINEUP.filter(([name]) => name === "bare" || (only?.includes(name) ?? true));
const needs = (store: Store) => lineup.some(([, one]) => one === store);
const folder = mkdtempSync(join(tmpdir(), "malipo-bench-"));
const redis = needs("redis") ? await startRedis() : undefined;
const postgres = needs("postgres") ? await startPostgres() : undefined;

/** The store of a candidate; `undefined` if its engine did not start. */
const STORES: Readonly<Record<Store, (name: string) => string | undefined>> = {
  none: () => "",
  file: (name) => join(folder, `${name}.db`),
  redis: () => redis?.url,
  postgres: () => postgres?.url,
};

const entries: Entry[] = [];
for (const [name, store, title] of lineup) {
  const path = STORES[store](name);
  if (path === undefined) continue;
  const candidate = await Candidate.start(title, name, path);
  entries.push({ name, candidate, sent: [], ratios: [], processedRatios: [], count: 0 });
}
const [bare, ...others] = entries as [Entry, ...Entry[]];

// The first ones warm up the compilers.
for (const entry of entries) {
  await send([entry.candidate], 4_000, connections);
  const { perSecond } = await send([entry.candidate], 4_000, connections);
  entry.count = Math.ceil(perSecond * slot);
}

async function measure({ candidate, count, sent }: Entry): Promise<Sent> {
  const one = await send([candidate], count, connections);
  sent.push(one);
  return one;
}
const heapSteps = events > 0 ? 5 : 0;
const steps = countSteps("receiver", rounds * others.length + heapSteps * entries.length);
for (let round = 0; round < rounds; round++) {
  for (let step = 0; step < others.length; step++) {
    const entry = others[(round + step) % others.length] as Entry;
    // Right after the bare server, so that a slow moment of the machine affects both.
    const floor = await measure(bare);
    const one = await measure(entry);
    entry.ratios.push(one.perSecond / floor.perSecond);
    entry.processedRatios.push(one.processedPerSecond / floor.processedPerSecond);
    steps.step();
  }
}

const percentile = (numbers: readonly number[], share: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN;

const figuresOf = ({ sent, ratios, processedRatios }: Entry): Figures => ({
  ratio: ratios.length === 0 ? 1 : median(ratios),
  processedRatio: processedRatios.length === 0 ? 1 : median(processedRatios),
  cpuUs: median(sent.map(({ cpuUs }) => cpuUs)),
});

const rows = entries.map((entry) => {
  const { ratio, cpuUs } = figuresOf(entry);
  const tookMs = entry.sent.flatMap((one) => [...one.tookMs]);
  return [
    entry.candidate.title,
    median(entry.sent.map(({ perSecond }) => perSecond)).toFixed(0),
    ratio.toFixed(2),
    cpuUs.toFixed(0),
    percentile(tookMs, 0.5).toFixed(1),
    percentile(tookMs, 0.99).toFixed(1),
    median(entry.sent.map(({ processedPerSecond }) => processedPerSecond)).toFixed(0),
  ];
});
console.log(
  `${rounds} rounds of about ${slot} s a candidate, on ${connections} connections, interleaved; medians. CPU time is that of the receiver's process for one delivery, until it is processed.`,
);
const COLUMNS = [
  "200s a second",
  "against the first",
  "CPU us",
  "p50 ms",
  "p99 ms",
  "processed a second",
];
console.log(textTable(["", ...COLUMNS], rows));
const figures = new Map(entries.map((entry) => [entry.name, figuresOf(entry)] as const));
console.log(`\n${receiverGoals(figures).map(goalLine).join("\n")}`);

if (events > 0) {
  console.log(`\nHeap in use after processing, in MB, over ${events} more deliveries`);
  const heaps: string[][] = [];
  for (const { candidate } of entries) {
    const row = [candidate.title];
    for (let step = 0; step < heapSteps; step++) {
      await send([candidate], Math.ceil(events / heapSteps), connections);
      row.push((await candidate.state(true)).heap.toFixed(1));
      steps.step();
    }
    heaps.push(row);
  }
  const heads = Array.from(
    { length: heapSteps },
    (_, step) => `${((step + 1) * events) / heapSteps}`,
  );
  console.log(textTable(["", ...heads], heaps));
}

for (const { candidate } of entries) candidate.kill();
await Promise.all([redis?.stop(), postgres?.stop()]);
rmSync(folder, { recursive: true, force: true });
