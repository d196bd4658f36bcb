// What one, two and four receivers on one engine carry, and what a delivery costs the receivers and the
// engine, beside what one writes by hand: npm run bench -- scale [--engines sqlite,redis,postgres,mysql]
// [--receivers 1,2,4] [--seconds 3]
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startMysql } from "../support/engines/mysql.ts";
import { startPostgres } from "../support/engines/postgres.ts";
import { startRedis } from "../support/engines/redis.ts";
import { Candidate, send } from "./receivers/candidate.ts";
import {
  type EngineCpu,
  mysqlCpu,
  NO_ENGINE,
  postgresCpu,
  redisCpu,
} from "./receivers/engine-cpu.ts";
import { median } from "./rounds.ts";
import { countSteps } from "./steps.ts";
import { atLeast, type Goal, goalLine, textTable } from "./table.ts";

const { values } = parseArgs({
  options: {
    engines: { type: "string", default: "sqlite,redis,postgres,mysql" },
    receivers: { type: "string", default: "1,2,4" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
  },
});
const [rounds, seconds, connections] = [
  Number(values.rounds),
  Number(values.seconds),
  Number(values.connections),
] as const;

/** An engine that receivers share. */
interface Shared {
  readonly store: string;
  /** What one writes by hand, with one INSERT for a delivery and one worker, or with a queue. */
  readonly byHand?: string;
  readonly cpu: EngineCpu;
  stop(): Promise<void>;
}

const folder = mkdtempSync(join(tmpdir(), "malipo-bench-"));

const ENGINES: Readonly<Record<string, () => Promise<Shared | undefined>>> = {
  sqlite: async () => ({
    store: join(folder, "inbox.db"),
    cpu: NO_ENGINE,
    stop: async () => {},
  }),
  redis: async () => {
    const redis = await startRedis();
    if (redis === undefined) return undefined;
    const { url } = redis;
    return { store: url, byHand: "usual", cpu: redisCpu(url), stop: () => redis.stop() };
  },
  postgres: async () => {
    const postgres = await startPostgres();
    if (postgres === undefined) return undefined;
    const cpu = await postgresCpu(postgres.url);
    const byHand = "usual-postgres";
    return { store: postgres.url, byHand, cpu, stop: () => postgres.stop() };
  },
  mysql: async () => {
    const mysql = await startMysql();
    if (mysql === undefined) return undefined;
    const cpu = await mysqlCpu(mysql.url);
    return { store: mysql.url, byHand: "usual-mysql", cpu, stop: () => mysql.stop() };
  },
};

/** Of all cores of the machine, whatever uses them. */
function machineTime(): { busy: number; all: number } {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const sum = Object.values(times).reduce((a, b) => a + b, 0);
    all += sum;
    busy += sum - times.idle;
  }
  return { busy, all };
}

/** One round. */
interface Round {
  readonly perSecond: number;
  readonly processedPerSecond: number;
  /** For one delivery. */
  readonly receiverUs: number;
  readonly engineUs: number;
  /** Cores in use. */
  readonly receiverCores: number;
  readonly engineCores: number;
  /** Of the whole machine, this program included. */
  readonly machine: number;
}

async function measure(receivers: Candidate[], cpu: EngineCpu, count: number): Promise<Round> {
  const engineBefore = await cpu.used();
  const before = machineTime();
  const { perSecond, processedPerSecond, cpuUs } = await send(receivers, count, connections);
  const after = machineTime();
  const engineUs = ((await cpu.used()) - engineBefore) / count;
  const cores = (us: number) => (us * processedPerSecond) / 1e6;
  return {
    perSecond,
    processedPerSecond,
    receiverUs: cpuUs,
    engineUs,
    receiverCores: cores(cpuUs),
    engineCores: cores(engineUs),
    machine: (after.busy - before.busy) / (after.all - before.all),
  };
}

/** A thread, or a machine, that is busy for this share of the time is what limits the others. */
const SATURATED = 0.9;

function saturated(round: Round, receivers: number, engine: string): string {
  if (engine === "redis" && round.engineCores >= SATURATED) return "Redis, which has one thread";
  if (round.receiverCores / receivers >= SATURATED) return "the receivers, a thread each";
  if (round.machine >= SATURATED) return "the cores of the machine";
  return "waiting for the disk";
}

/** The median of each figure. */
const middle = (all: readonly Round[]): Round =>
  Object.fromEntries(
    Object.keys(all[0] as Round).map((name) => [
      name,
      median(all.map((round) => round[name as keyof Round])),
    ]),
  ) as unknown as Round;

const engines = values.engines.split(",");
const receiverCounts = values.receivers.split(",").map(Number);
const measured = engines.length + engines.filter((name) => name !== "sqlite").length;
const steps = countSteps("scale", measured * receiverCounts.length * rounds);

/** Of four receivers on PostgreSQL, beside one. */
const MIN_GROWTH = 2.5;
const goals: Goal[] = [];

/** The receivers of one kind, with what their rounds gave. */
interface Team {
  /** As its rows are called. */
  readonly name: string;
  readonly receivers: Candidate[];
  /** How many events a round has. */
  readonly count: number;
  readonly all: Round[];
}

async function startTeam(name: string, candidate: string, many: number, store: string) {
  const start = () => Candidate.start(candidate, store);
  const receivers = await Promise.all(Array.from({ length: many }, start));
  await send(receivers, 2_000, connections);
  const { processedPerSecond } = await send(receivers, 2_000, connections);
  return { name, receivers, count: Math.ceil(processedPerSecond * seconds), all: [] };
}

const rowOf = (name: string, many: number, found: Round): string[] => [
  name,
  `${many}`,
  found.perSecond.toFixed(0),
  found.processedPerSecond.toFixed(0),
  found.receiverUs.toFixed(0),
  found.engineUs.toFixed(0),
  found.receiverCores.toFixed(2),
  found.engineCores.toFixed(2),
  `${(found.machine * 100).toFixed(0)} %`,
];

/** So many receivers of malipo, and as many by hand, in turn. */
async function measureMany(engine: string, many: number, { store, byHand, cpu }: Shared) {
  const teams: Team[] = [await startTeam(engine, engine, many, store)];
  if (byHand !== undefined) teams.push(await startTeam(`${engine}, by hand`, byHand, many, store));
  for (let round = 0; round < rounds; round++) {
    for (const { receivers, count, all } of teams) {
      all.push(await measure(receivers, cpu, count));
      steps.step();
    }
  }
  for (const { receivers } of teams) for (const receiver of receivers) receiver.kill();
  const middles = teams.map(({ all }) => middle(all));
  const rows = middles.map((found, at) => [
    ...rowOf(teams[at]?.name ?? "", many, found),
    saturated(found, many, engine),
  ]);
  return { own: middles[0], byHand: middles[1], rows };
}

/** How often one has what the other has, by the name of a figure. */
const beside = (one: Round | undefined, other: Round | undefined, name: keyof Round): number =>
  (one?.[name] ?? 0) / (other?.[name] ?? 1);

async function measureEngine(engine: string, shared: Shared): Promise<string[][]> {
  const found: Awaited<ReturnType<typeof measureMany>>[] = [];
  for (const many of receiverCounts) found.push(await measureMany(engine, many, shared));
  const [first, last] = [found[0], found.at(-1)];
  if (first?.byHand !== undefined) {
    const ratio = beside(first.own, first.byHand, "perSecond");
    goals.push(atLeast(`${engine}: 200s of one receiver, beside one by hand,`, 1, ratio));
  }
  if (engine === "postgres" && receiverCounts.at(-1) === 4) {
    const growth = beside(last?.own, first?.own, "processedPerSecond");
    const what = `${engine}: events of four receivers, beside those of one,`;
    goals.push(atLeast(what, MIN_GROWTH, growth));
  }
  return found.flatMap(({ rows }) => rows);
}

const rows: string[][] = [];
for (const engine of engines) {
  const shared = await ENGINES[engine]?.();
  if (shared === undefined) continue;
  rows.push(...(await measureEngine(engine, shared)));
  await shared.cpu.close();
  await shared.stop();
}
steps.end();
console.log(
  `${rounds} rounds of about ${seconds} s on ${connections} connections, ${cpus().length} cores; medians. A tenth of the events is sent twice. The sender is a process of its own on the same machine.`,
);
console.log(
  textTable(
    [
      "inbox",
      "receivers",
      "200s a second",
      "processed a second",
      "receiver us",
      "engine us",
      "receiver cores",
      "engine cores",
      "machine",
      "saturated",
    ],
    rows,
  ),
);
rmSync(folder, { recursive: true, force: true });
for (const goal of goals) console.log(goalLine(goal));
process.exitCode = goals.every(({ met }) => met) ? 0 : 1;
