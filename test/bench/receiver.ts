// How many deliveries a second a receiver acknowledges and what one costs, on each inbox, beside a server
// that only responds, beside the leanest receivers that can be written, and beside the receiver that is
// usually written: npm run bench -- receiver [--only redis,usual] [--rounds 8] [--seconds 0.6]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startMysql } from "../support/engines/mysql.ts";
import { startPostgres } from "../support/engines/postgres.ts";
import { startRedis } from "../support/engines/redis.ts";
import { Candidate, type Sent, send } from "./receivers/candidate.ts";
import { type Figure, LINEUP, type Row, receiverGoals, type Store } from "./receivers/lineup.ts";
import { median } from "./rounds.ts";
import { countSteps } from "./steps.ts";
import { goalLine, textTable } from "./table.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "8" },
    seconds: { type: "string", default: "0.6" },
    connections: { type: "string", default: "64" },
    /** How many events memory() gets, to see how it grows. */
    events: { type: "string", default: "50000" },
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
interface Entry extends Row {
  readonly candidate: Candidate;
  /** One a round. */
  readonly sent: Sent[];
  /** How many events fill a slot. */
  count: number;
}

const lineup = LINEUP.filter(({ name }) => name === "bare" || (only?.includes(name) ?? true));
const needs = (store: Store) => lineup.some((row) => row.store === store);
const folder = mkdtempSync(join(tmpdir(), "malipo-bench-"));
const redis = needs("redis") ? await startRedis() : undefined;
const postgres = needs("postgres") ? await startPostgres() : undefined;
const mysql = needs("mysql") ? await startMysql() : undefined;

/** The store of a candidate; `undefined` if its engine did not start. */
const STORES: Readonly<Record<Store, (name: string) => string | undefined>> = {
  none: () => "",
  file: (name) => join(folder, `${name}.db`),
  redis: () => redis?.url,
  postgres: () => postgres?.url,
  mysql: () => mysql?.url,
};

const entries: Entry[] = [];
for (const row of lineup) {
  const path = STORES[row.store](row.name);
  if (path === undefined) continue;
  const candidate = await Candidate.start(row.name, path, row.counts);
  entries.push({ ...row, candidate, sent: [], count: 0 });
}
const entryOf = (name: string) => entries.find((entry) => entry.name === name);

// The first ones warm up the compilers.
for (const entry of entries) {
  await send([entry.candidate], Math.ceil(slot * 3_000), connections);
  const { perSecond } = await send([entry.candidate], Math.ceil(slot * 3_000), connections);
  entry.count = Math.ceil(perSecond * slot);
}

const GROWTH_STEPS = 5;
const BURSTS = 3;
const steps = countSteps("receiver", rounds * entries.length + GROWTH_STEPS + BURSTS * 2);
// Interleaved, and from another candidate each time: a slow moment of the machine meets all of them alike.
for (let round = 0; round < rounds; round++) {
  for (let step = 0; step < entries.length; step++) {
    const entry = entries[(round + step) % entries.length] as Entry;
    entry.sent.push(await send([entry.candidate], entry.count, connections));
    steps.step();
  }
}

/** The median of what a candidate took against another one, in each round. */
function ratioOf(name: string, beside: string, figure: Figure): number | undefined {
  const [one, other] = [entryOf(name), entryOf(beside)];
  if (one === undefined || other === undefined || rounds === 0) return undefined;
  return median(one.sent.map((sent, round) => sent[figure] / (other.sent[round]?.[figure] ?? 0)));
}

const percentile = (numbers: readonly number[], share: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length * share)] ?? Number.NaN;

const rows = entries.map(({ name, title, sent }) => {
  const tookMs = sent.flatMap((one) => [...one.tookMs]);
  const middle = (figure: Figure) => median(sent.map((one) => one[figure])).toFixed(0);
  return [
    title,
    middle("perSecond"),
    (ratioOf(name, "bare", "perSecond") ?? Number.NaN).toFixed(2),
    middle("cpuUs"),
    percentile(tookMs, 0.5).toFixed(1),
    percentile(tookMs, 0.99).toFixed(1),
    middle("processedPerSecond"),
  ];
});
console.log(
  `${rounds} rounds of about ${slot} s a candidate, on ${connections} connections, interleaved; medians. Each event has its own payment, order and transaction, and a tenth is sent twice. Each ratio is taken in one round. The client is a process of its own. CPU time is that of the receiver's process for one delivery, until its event is processed.`,
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
console.log(`\n${receiverGoals(ratioOf).map(goalLine).join("\n")}`);

/** Payments that all pay one order, beside payments of different orders. */
async function burst({ title, candidate, count }: Entry): Promise<void> {
  const pairs: { readonly double: Sent; readonly normal: Sent }[] = [];
  for (let round = 0; round < BURSTS; round++) {
    const double = await send([candidate], count, connections, `ORDER-BURST-${round}`);
    steps.step();
    const normal = await send([candidate], count, connections);
    steps.step();
    pairs.push({ double, normal });
  }
  const share = (figure: Figure) =>
    median(pairs.map(({ double, normal }) => double[figure] / normal[figure])).toFixed(2);
  console.log(
    `\nA burst of ${count} completed payments of one order, ${title}, against payments of different orders: ${share("perSecond")} of the 200s, ${share("processedPerSecond")} of the events processed.`,
  );
}

async function growth({ title, candidate }: Entry): Promise<void> {
  const heaps = [(await candidate.state({ collect: true })).heap.toFixed(1)];
  for (let step = 0; step < GROWTH_STEPS; step++) {
    await send([candidate], Math.ceil(events / GROWTH_STEPS), connections);
    heaps.push((await candidate.state({ collect: true })).heap.toFixed(1));
    steps.step();
  }
  const heads = heaps.map((_, step) => `${(step * events) / GROWTH_STEPS}`);
  console.log(`\nHeap in use after processing, in MB, over more events`);
  console.log(textTable(["", ...heads], [[title, ...heaps]]));
}

const [sqlite, memory] = [entryOf("sqlite"), entryOf("memory")];
if (sqlite !== undefined && rounds > 0) await burst(sqlite);
if (memory !== undefined && events > 0) await growth(memory);
steps.end();

for (const { candidate } of entries) candidate.kill();
await Promise.all([redis?.stop(), postgres?.stop(), mysql?.stop()]);
rmSync(folder, { recursive: true, force: true });
process.exit();
