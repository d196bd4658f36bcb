// The receiver that the function and the worker share. A function is frozen after its response and
// cannot process events, so both need an inbox that they can reach: Redis here, or PostgreSQL with
// `pgBossInbox`.
import { bullmqInbox } from "malipo/inbox/bullmq";
import { createWebhookReceiver } from "malipo/webhooks";

const inbox = bullmqInbox({ connection: { url: process.env.REDIS_URL ?? "redis://127.0.0.1" } });
export const receiver = createWebhookReceiver({ inbox }); // reads MALIPO_WEBHOOK_SECRET

receiver.on("payment.completed", async ({ data }, { idempotencyKey }) => {
  console.log(`ship ${data.account_reference}`, idempotencyKey);
});
