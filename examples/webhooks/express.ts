// Webhooks on Express: verified, stored in a SQLite file, acknowledged, then processed.
import express from "express";
import { nodeHandler } from "malipo/node";
import { sqlite } from "malipo/sqlite";
import { createWebhookReceiver } from "malipo/webhooks";

const db = sqlite(process.env.SHOP_DB ?? "shop.db");
const receiver = createWebhookReceiver({ inbox: db }); // reads MALIPO_WEBHOOK_SECRET

receiver.on("payment.completed", async ({ data }, { idempotencyKey }) => {
  console.log(`ship ${data.account_reference}`, idempotencyKey);
});
receiver.on("payment.failed", async ({ data }) => {
  console.log(`message to the customer: ${data.user_message}`);
});

await receiver.start();
const app = express();
app.use("/webhooks", nodeHandler(receiver)); // above every body parser
app.use(express.json());
const server = app.listen(Number(process.env.PORT ?? 3000));

process.once("SIGTERM", async () => {
  server.close();
  await receiver.stop(); // running handlers finish; other processes take over the rest
  await db.close();
});
