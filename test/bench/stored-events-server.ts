// One inbox in its own process: stored-events-server.ts <inbox> <store> <name>. For each number that it
// is sent, it stores and processes that many events, and reports what one of them took.
import { memory } from "malipo";
import { redis } from "malipo/redis";
import type { NewDelivery } from "malipo/types";
import type { Inbox } from "malipo/webhooks";
import { newDelivery } from "./receivers/load.ts";

const CONNECTIONS = 64;

const [, , kind = "", store = "", name = ""] = process.argv;

const INBOXES: Readonly<Record<string, () => Inbox>> = {
  memory: () => memory().inbox(),
  redis: () => redis(store).inbox({ queue: `events-${name}` }),
};

let processed = 0;

const inbox = INBOXES[kind]?.() as Inbox;
await inbox.start({
  run: async () => void processed++,
  concurrency: 8,
  kinds: ["payment.completed"],
  onError: (error) => console.error(String(error)),
});

async function work(deliveries: NewDelivery[]): Promise<void> {
  const until = processed + deliveries.length;
  const connection = async () => {
    for (let next = deliveries.pop(); next !== undefined; next = deliveries.pop()) {
      await inbox.accept(next);
      await new Promise(setImmediate);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  while (processed < until) await new Promise((resolve) => setTimeout(resolve, 1));
}

const MAX_BATCH = 20_000;

process.on("message", async (count: number) => {
  let took = { cpuUs: 0, wallUs: 0 };
  // In batches, so that the deliveries themselves need little memory.
  for (let left = count; left > 0; left -= MAX_BATCH) {
    const batch = Array.from({ length: Math.min(left, MAX_BATCH) }, newDelivery);
    const size = batch.length;
    const [started, before] = [performance.now(), process.cpuUsage()];
    await work(batch);
    const { user, system } = process.cpuUsage(before);
    took = {
      cpuUs: (user + system) / size,
      wallUs: ((performance.now() - started) * 1_000) / size,
    };
  }
  process.send?.(took);
});
process.on("disconnect", () => process.exit());
