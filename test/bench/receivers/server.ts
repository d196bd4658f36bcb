// One receiver in its own process: server.ts <candidate> <store>. When it is asked, it reports how many
// events it has processed, the megabytes of heap in use, the CPU time that it has used, and where it went.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Queue, Worker } from "bullmq";
import express from "express";
import { memory } from "malipo";
import { nodeHandler } from "malipo/node";
import { postgres } from "malipo/postgres";
import { redis } from "malipo/redis";
import { sqlite } from "malipo/sqlite";
import { createWebhookReceiver, type Inbox, receiptFor } from "malipo/webhooks";
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
  memory: () => receiver(memory().inbox()),
  "memory-only": () => receiver(only(memory().inbox())),
  sqlite: () => receiver(sqlite(store).inbox()),
  "sqlite-only": () => receiver(only(sqlite(store).inbox())),
  bullmq: () => receiver(redis(store).inbox()),
  "bullmq-only": () => receiver(only(redis(store).inbox())),
  postgres: () => receiver(postgres(store).inbox()),
  "postgres-only": () => receiver(only(postgres(store).inbox())),
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
