// One receiver in its own process: receiver-server.ts <candidate> <store>. It reports the megabytes of
// heap in use when the number of events that it was asked for is processed.
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Queue, Worker } from "bullmq";
import express from "express";
import { bullmqInbox } from "malipo/inbox/bullmq";
import { pgBossInbox } from "malipo/inbox/pg-boss";
import { sqliteInbox } from "malipo/inbox/sqlite";
import { nodeHandler } from "malipo/node";
import { createWebhookReceiver, type Inbox, memoryInbox, type Receipt } from "malipo/webhooks";
import { SECRET } from "./receiver-load.ts";

let processed = 0;
const acknowledgement = JSON.stringify({ ResultCode: 0, ResultDesc: "received" });

/** Reads the body, returns 200, and stores nothing. */
const bare: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    processed++;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(acknowledgement);
  });
};

/** What is usually written by hand, like Stripe's `constructEvent`. */
function constructEvent(body: Buffer, signature: string) {
  const expected = createHmac("sha256", SECRET).update(body).digest("hex");
  const [given, wanted] = [Buffer.from(signature), Buffer.from(expected)];
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw new Error("signature");
  return JSON.parse(body.toString("utf8"));
}

function usual(url: string): RequestListener {
  const connection = { url };
  const queue = new Queue("usual", { connection });
  new Worker("usual", async () => processed++, { connection, concurrency: 8 });
  const app = express();
  app.post("/webhooks", express.raw({ type: "*/*" }), async (request, response) => {
    const event = constructEvent(request.body, request.header("x-service-signature") ?? "");
    await queue.add(event.event, event, { jobId: event.data.reference, attempts: 12 });
    response.json({ ResultCode: 0, ResultDesc: "received" });
  });
  return app;
}

/** Counts a stored event as processed: another process would process it later. */
const only = (inbox: Inbox): Inbox => ({
  ...inbox,
  accept: async (delivery) => {
    const receipt = await inbox.accept(delivery);
    processed++;
    return receipt;
  },
  start: async () => {},
});

async function receiver(inbox: Inbox): Promise<RequestListener> {
  const made = createWebhookReceiver({ secret: SECRET, inbox });
  made.on("payment.completed", () => processed++);
  await made.start();
  return nodeHandler(made);
}

/** Verifies and acknowledges, and stores nothing. */
const nothing = only({
  accept: async () => ({ kind: "accepted" }) as Receipt,
  start: async () => {},
  stop: async () => {},
});

const [, , name, store = ""] = process.argv;
const CANDIDATES: Record<string, () => RequestListener | Promise<RequestListener>> = {
  bare: () => bare,
  nothing: () => receiver(nothing),
  usual: () => usual(store),
  memory: () => receiver(memoryInbox()),
  sqlite: () => receiver(sqliteInbox(store)),
  "sqlite-only": () => receiver(only(sqliteInbox(store))),
  bullmq: () => receiver(bullmqInbox({ connection: { url: store } })),
  "pg-boss": () => receiver(pgBossInbox({ connectionString: store })),
};
const listener = await CANDIDATES[name ?? ""]?.();
const server = createServer(listener);
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("message", ({ until, collect }: { until: number; collect: boolean }) => {
  const look = () => {
    if (processed < until) return setTimeout(look, 5);
    if (collect) globalThis.gc?.();
    return process.send?.(process.memoryUsage().heapUsed / 2 ** 20);
  };
  look();
});
process.on("disconnect", () => process.exit());
