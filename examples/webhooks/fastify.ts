// Webhooks on Fastify: the plugin reads the raw bytes of its route only.
import fastify from "fastify";
import { fastifyWebhooks } from "malipo/fastify";
import { sqlite } from "malipo/sqlite";
import { createWebhookReceiver } from "malipo/webhooks";

const db = sqlite(process.env.SHOP_DB ?? "shop.db");
const receiver = createWebhookReceiver({ inbox: db }); // reads MALIPO_WEBHOOK_SECRET

receiver.on("payment.completed", async ({ data }, { idempotencyKey }) => {
  console.log(`ship ${data.account_reference}`, idempotencyKey);
});

const app = fastify();
app.register(fastifyWebhooks, { receiver, path: "/webhooks" });
app.addHook("onReady", () => receiver.start());
app.addHook("onClose", async () => {
  await receiver.stop();
  await db.close();
});
await app.listen({ port: Number(process.env.PORT ?? 3000) });

process.once("SIGTERM", () => app.close());
