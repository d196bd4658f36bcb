// The receiver that the function and the worker share. A function is frozen after its response and
// cannot process events, so both need a database that they can reach: Redis here, or PostgreSQL.
import { redis } from "malipo/redis";
import { createWebhookReceiver } from "malipo/webhooks";

const db = redis(process.env.REDIS_URL ?? "redis://127.0.0.1");
export const receiver = createWebhookReceiver({ inbox: db }); // reads MALIPO_WEBHOOK_SECRET

receiver.on("payment.completed", async ({ data }, { idempotencyKey }) => {
  console.log(`ship ${data.account_reference}`, idempotencyKey);
});
