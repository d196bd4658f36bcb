// The receiver of a Next app. The route passes deliveries to it, `instrumentation.ts` starts it.
import { sqlite } from "malipo/sqlite";
import { createWebhookReceiver } from "malipo/webhooks";

const db = sqlite(process.env.SHOP_DB ?? "shop.db");
export const receiver = createWebhookReceiver({ inbox: db }); // reads MALIPO_WEBHOOK_SECRET

receiver.on("payment.completed", async ({ data }, { idempotencyKey }) => {
  console.log(`ship ${data.account_reference}`, idempotencyKey);
});
