// One receiver in its own process: server.ts <candidate> <store>. When it is asked, it reports how many
// events it has processed, the megabytes of heap in use, the CPU time that it has used, and where it went.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Queue, Worker } from "bullmq";
import express from "express";
import { memory } from "malipo";
import { mysql } from "malipo/mysql";
import { nodeHandler } from "malipo/node";
import { postgres } from "malipo/postgres";
import { redis } from "malipo/redis";
import { sqlite } from "malipo/sqlite";
import { createWebhookReceiver, type Inbox, receiptFor } from "malipo/webhooks";
import { createPool, type RowDataPacket } from "mysql2/promise";
import { Pool } from "pg";
import { PgBoss } from "pg-boss";
import type { Asked } from "./candidate.ts";
import { type CpuProfile, profileCpu } from "./cpu-parts.ts";
import { constructEvent, FLOORS, respond } from "./floors.ts";
import { SECRET } from "./load.ts";

let processed = 0;
const count = () => {
  processed++;
};

/** Reads the body, returns 200, and stores nothing. */
const bare: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    count();
    respond(response);
  });
};

/** A receiver as it is usually written. @param store - Adds a job for the event. */
function usual(
  store: (event: ReturnType<typeof constructEvent>) => Promise<unknown>,
): RequestListener {
  const app = express();
  app.post("/webhooks", express.raw({ type: "*/*" }), async (request, response) => {
    await store(constructEvent(request.body, request.header("x-service-signature") ?? ""));
    response.json({ ResultCode: 0, ResultDesc: "received" });
  });
  return app;
}

function usualBullmq(url: string): RequestListener {
  const connection = { url };
  const queue = new Queue("usual", { connection });
  new Worker("usual", async () => count(), { connection, concurrency: 8 });
  return usual((event) =>
    queue.add(event.event, event, { jobId: event.data.reference, attempts: 12 }),
  );
}

async function usualPgBoss(url: string): Promise<RequestListener> {
  const boss = new PgBoss({ connectionString: url, schema: "usual" });
  boss.on("error", console.error);
  await boss.start();
  await boss.createQueue("usual");
  const options = { batchSize: 100, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true };
  await boss.work("usual", options, async (jobs) => jobs.forEach(count));
  return usual((event) => boss.send("usual", event, { retryLimit: 11 }));
}

/** Each delivery is a row, and a worker takes rows that are not done. */
async function usualMysql(url: string): Promise<RequestListener> {
  const pool = createPool({ uri: url });
  await pool.query(`CREATE TABLE IF NOT EXISTS usual_events (id bigint AUTO_INCREMENT PRIMARY KEY,
    reference varchar(100) NOT NULL UNIQUE, body longtext NOT NULL, done tinyint NOT NULL DEFAULT 0, KEY (done, id))`);
  const work = async () => {
    const connection = await pool.getConnection();
    try {
      await connection.beginTransaction();
      const [rows] = await connection.query<RowDataPacket[]>(
        "SELECT id FROM usual_events WHERE done = 0 ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED",
      );
      const ids = rows.map(({ id }) => id);
      if (ids.length > 0)
        await connection.query("UPDATE usual_events SET done = 1 WHERE id IN (?)", [ids]);
      await connection.commit();
      rows.forEach(count);
      return rows.length;
    } finally {
      connection.release();
    }
  };
  const workOn = async () => {
    const found = await work().catch(() => 0);
    setTimeout(() => void workOn(), found === 100 ? 0 : 50);
  };
  void workOn();
  const text = "INSERT IGNORE INTO usual_events (reference, body) VALUES (?, ?)";
  // The service would send it again. With workers in several processes, some are the victims of a deadlock.
  const insert = (values: string[]): Promise<unknown> =>
    pool.execute(text, values).catch((error: { errno?: number }) => {
      if (error.errno !== 1213) throw error;
      return insert(values);
    });
  return usual((event) => insert([event.data.reference, JSON.stringify(event)]));
}

/** The same on PostgreSQL. */
async function usualPostgres(url: string): Promise<RequestListener> {
  const pool = new Pool({ connectionString: url });
  const table = `CREATE TABLE IF NOT EXISTS usual_events (id bigserial PRIMARY KEY,
    reference text NOT NULL UNIQUE, body text NOT NULL, done boolean NOT NULL DEFAULT false)`;
  // Another process may make them at this moment.
  await pool.query(table).catch(() => {});
  const index = "CREATE INDEX IF NOT EXISTS usual_due ON usual_events (id) WHERE NOT done";
  await pool.query(index).catch(() => {});
  const work = async () => {
    const { rowCount } = await pool.query(`UPDATE usual_events SET done = true WHERE id IN
      (SELECT id FROM usual_events WHERE NOT done ORDER BY id LIMIT 100 FOR UPDATE SKIP LOCKED)`);
    for (let n = 0; n < (rowCount ?? 0); n++) count();
    setTimeout(() => void work(), rowCount === 100 ? 0 : 50);
  };
  void work();
  const insert =
    "INSERT INTO usual_events (reference, body) VALUES ($1, $2) ON CONFLICT DO NOTHING";
  return usual((event) => pool.query(insert, [event.data.reference, JSON.stringify(event)]));
}

/** Counts a stored event as processed: another process would process it later. */
const only = (inbox: Inbox): Inbox => ({
  ...inbox,
  accept: async (delivery) => {
    const receipt = await inbox.accept(delivery);
    count();
    return receipt;
  },
  start: async () => {},
});

async function receiver(inbox: Inbox): Promise<RequestListener> {
  const onError = (error: unknown) => console.error(String(error));
  const made = createWebhookReceiver({ secret: SECRET, inbox, onError });
  made.on("payment.completed", count);
  await made.start();
  return nodeHandler(made);
}

/** Verifies and acknowledges, and stores nothing. */
const nothing = only({
  accept: async () => receiptFor("accepted"),
  start: async () => {},
  stop: async () => {},
});

const [, , name = "", store = ""] = process.argv;
const CANDIDATES: Record<string, () => RequestListener | Promise<RequestListener>> = {
  bare: () => bare,
  nothing: () => receiver(nothing),
  usual: () => usualBullmq(store),
  "usual-pg-boss": () => usualPgBoss(store),
  "usual-mysql": () => usualMysql(store),
  "usual-postgres": () => usualPostgres(store),
  memory: () => receiver(memory().inbox()),
  "memory-only": () => receiver(only(memory().inbox())),
  sqlite: () => receiver(sqlite(store).inbox()),
  "sqlite-only": () => receiver(only(sqlite(store).inbox())),
  redis: () => receiver(redis(store).inbox()),
  "redis-only": () => receiver(only(redis(store).inbox())),
  postgres: () => receiver(postgres(store).inbox()),
  "postgres-only": () => receiver(only(postgres(store).inbox())),
  mysql: () => receiver(mysql(store).inbox()),
  "mysql-only": () => receiver(only(mysql(store).inbox())),
};
const listener = await (CANDIDATES[name]?.() ?? FLOORS[name]?.(store, count));
const server = createServer(listener);
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
let profile: CpuProfile | undefined;
process.on("message", async ({ collect, profiles }: Asked) => {
  if (collect) globalThis.gc?.();
  if (profiles === true) profile = await profileCpu();
  const parts = profiles === false ? await profile?.stop() : undefined;
  const { user, system } = process.cpuUsage();
  const heap = process.memoryUsage().heapUsed / 2 ** 20;
  process.send?.({ processed, heap, cpuUs: user + system, parts });
});
process.on("disconnect", () => process.exit());
