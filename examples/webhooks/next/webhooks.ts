// The receiver of a Next app. The route passes deliveries to it, `instrumentation.ts` starts it.
import { sqliteInbox } from "malipo/inbox/sqlite";
import { createWebhookReceiver } from "malipo/webhooks";

const inbox = sqliteInbox(process.env.INBOX ?? "inbox.db");
export const receiver = createWebhookReceiver({ inbox }); // reads MALIPO_WEBHOOK_SECRET

receiver.on("payment.completed", async ({ data }, { idempotencyKey }) => {
  console.log(`ship ${data.account_reference}`, idempotencyKey);
});
