// What one delivery and a group of 64 cost with each inbox: round trips to the engine, waits for the disk,
// and where the CPU time of the receiver goes: npm run bench -- receiver-profile [--inboxes redis,sqlite]
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createConnection, type RowDataPacket } from "mysql2/promise";
import { Client } from "pg";
import { startMysql } from "../support/engines/mysql.ts";
import { startPostgres } from "../support/engines/postgres.ts";
import { startRedis } from "../support/engines/redis.ts";
import { Candidate, send } from "./receivers/candidate.ts";
import { type CountingProxy, countingProxy, countSyncs } from "./receivers/engine-counts.ts";
import { median } from "./rounds.ts";
import { textTable } from "./table.ts";

const { values } = parseArgs({
  options: {
    inboxes: { type: "string", default: "memory,sqlite,redis,postgres,mysql" },
    /** How often each delivery and each group is counted. */
    times: { type: "string", default: "15" },
    /** How many events are profiled. */
    events: { type: "string", default: "5000" },
  },
});
const times = Number(values.times);
const events = Number(values.events);
const GROUP = 64;

/** An engine, and the processes that wait for its disk. */
interface Opened {
  readonly store: string;
  readonly proxy?: CountingProxy;
  /** `receiver` for an engine that works inside of it. */
  pids(receiver: number): number[];
  stop(): Promise<void>;
}

const folder = mkdtempSync(join(tmpdir(), "malipo-profile-"));

const processesBelow = (parent: number): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent;
      } catch {
        return false; // It has ended.
      }
    })
    .map(Number);

async function openRedis(): Promise<Opened | undefined> {
  const { Redis } = await import("ioredis");
  const engine = await startRedis();
  if (engine === undefined) return undefined;
  const redis = new Redis(engine.url);
  const pid = Number(/^process_id:(\d+)/m.exec(await redis.info("server"))?.[1]);
  redis.disconnect();
  const proxy = await countingProxy(engine.url);
  return { store: proxy.url, proxy, pids: () => [pid], stop: () => engine.stop() };
}

async function openPostgres(): Promise<Opened | undefined> {
  const engine = await startPostgres();
  if (engine === undefined) return undefined;
  const client = new Client({ connectionString: engine.url });
  await client.connect();
  const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
  const stat = readFileSync(`/proc/${rows[0].pid}/stat`, "utf8");
  const server = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  await client.end();
  const proxy = await countingProxy(engine.url);
  return { store: proxy.url, proxy, pids: () => processesBelow(server), stop: () => engine.stop() };
}

async function openMysql(): Promise<Opened | undefined> {
  const engine = await startMysql();
  if (engine === undefined) return undefined;
  const connection = await createConnection(engine.url);
  const [rows] = await connection.query<RowDataPacket[]>("SELECT @@pid_file AS file");
  await connection.end();
  const pid = Number(readFileSync(rows[0]?.file, "utf8"));
  const proxy = await countingProxy(engine.url);
  return { store: proxy.url, proxy, pids: () => [pid], stop: () => engine.stop() };
}

const inside = (store: string): Opened => ({
  store,
  pids: (receiver) => [receiver],
  stop: async () => {},
});

const OPEN: Readonly<Record<string, () => Promise<Opened | undefined>>> = {
  memory: async () => inside(""),
  sqlite: async () => inside(join(folder, "inbox.db")),
  redis: openRedis,
  postgres: openPostgres,
  mysql: openMysql,
};

/** What one delivery, or a group of them, takes. */
interface Counted {
  readonly trips: number;
  readonly kB: number;
  readonly syncs: number | undefined;
}

/** The medians of some deliveries, each of which is sent when the one before is over. */
async function count(candidate: Candidate, opened: Opened, group: number): Promise<Counted> {
  const { proxy, pids } = opened;
  const trace = join(folder, `${candidate.pid}-${group}.trace`);
  const counter = await countSyncs(pids(candidate.pid), trace);
  const all: Counted[] = [];
  for (let time = 0; time < times; time++) {
    const [trips, bytes, syncs] = [proxy?.trips() ?? 0, proxy?.bytes() ?? 0, counter.count()];
    await send([candidate], group, group);
    all.push({
      trips: (proxy?.trips() ?? 0) - trips,
      kB: ((proxy?.bytes() ?? 0) - bytes) / 1_000,
      syncs: syncs === undefined ? undefined : (counter.count() ?? 0) - syncs,
    });
  }
  counter.stop();
  const middle = (name: keyof Counted) => median(all.map((one) => one[name] ?? Number.NaN));
  return { trips: middle("trips"), kB: middle("kB"), syncs: middle("syncs") };
}

/** Microseconds of CPU time for one delivery, by part. */
async function profile(candidate: Candidate, group: number): Promise<Map<string, number>> {
  const deliveries = Math.ceil(group === 1 ? events / 5 : events);
  // The first ones warm up the compiler.
  await send([candidate], deliveries, group);
  const before = await candidate.state({ profiles: true });
  await send([candidate], deliveries, group);
  const { parts = {}, cpuUs } = await candidate.state({ profiles: false });
  const each = (cpuUs - before.cpuUs) / deliveries;
  return new Map(Object.entries(parts).map(([part, share]) => [part, share * each]));
}

const digits = (value: number | undefined, places: number): string =>
  value === undefined || Number.isNaN(value) ? "-" : value.toFixed(places);

const GROUPS = [1, GROUP] as const;
const titleOf = (inbox: string, group: number) =>
  `${inbox}, ${group === 1 ? "one at a time" : `${group} at once`}`;

const counts: string[][] = [];
const parts = new Map<string, Map<string, number>>();

async function measure(inbox: string, opened: Opened): Promise<void> {
  const row = new Map<string, string[]>();
  for (const [name, until] of [
    [`${inbox}-only`, "200"],
    [inbox, "processed"],
  ] as const) {
    const candidate = await Candidate.start(
      name,
      opened.store,
      name === inbox ? "events" : "deliveries",
    );
    // Connections, tables and scripts.
    await send([candidate], 200, GROUP);
    for (const group of GROUPS) {
      const { trips, kB, syncs } = await count(candidate, opened, group);
      const cells = [digits(trips, 0), digits(syncs, 0), digits(kB, 1)];
      row.set(`${until} ${group}`, cells);
      if (until === "processed") {
        parts.set(titleOf(inbox, group), await profile(candidate, group));
      }
    }
    candidate.kill();
  }
  for (const group of GROUPS) {
    const cells = ["200", "processed"].flatMap((until) => row.get(`${until} ${group}`) ?? []);
    counts.push([titleOf(inbox, group), ...cells]);
  }
}

for (const inbox of values.inboxes.split(",")) {
  const opened = await OPEN[inbox]?.();
  if (opened === undefined) continue;
  await measure(inbox, opened);
  opened.proxy?.close();
  await opened.stop();
}
rmSync(folder, { recursive: true, force: true });

console.log(
  `Round trips to the engine, waits for its disk (fsync and fdatasync, counted by strace) and kB to it, until the 200 and until the event is processed: medians of ${times}. The polls of the workers are among them.\n`,
);
const UNTIL = ["trips", "waits", "kB"];
console.log(
  textTable(
    ["", ...UNTIL.map((name) => `200: ${name}`), ...UNTIL.map((name) => `processed: ${name}`)],
    counts,
  ),
);
const titles = [...parts.keys()];
const names = [...new Set([...parts.values()].flatMap((one) => [...one.keys()]))].sort();
const rows = names.map((name) => [
  name,
  ...titles.map((title) => digits(parts.get(title)?.get(name) ?? 0, 0)),
]);
const sums = titles.map((title) =>
  digits(
    [...(parts.get(title)?.values() ?? [])].reduce((sum, us) => sum + us, 0),
    0,
  ),
);
console.log(
  `\nMicroseconds of CPU time of the receiver for one delivery, until it is processed, by what runs.\n`,
);
console.log(textTable(["", ...titles], [...rows, ["all", ...sums]]));
process.exit();
