// Webhooks on Hono: `bun app.ts`, `deno serve app.ts`, or `serve(app)` of @hono/node-server.
import { Hono } from "hono";
import { fetchHandler } from "malipo/fetch";
import { sqliteInbox } from "malipo/inbox/sqlite";
import { createWebhookReceiver } from "malipo/webhooks";

const inbox = sqliteInbox(process.env.INBOX ?? "inbox.db");
const receiver = createWebhookReceiver({ inbox }); // reads MALIPO_WEBHOOK_SECRET
const receive = fetchHandler(receiver);

receiver.on("payment.completed", async ({ data }, { idempotencyKey }) => {
  console.log(`ship ${data.account_reference}`, idempotencyKey);
});

await receiver.start();
const app = new Hono();
app.all("/webhooks", (c) => receive(c.req.raw)); // above everything that reads the body
export default app;

process.once("SIGTERM", async () => {
  await receiver.stop(); // running handlers finish; other processes take over the rest
  inbox.close();
});
