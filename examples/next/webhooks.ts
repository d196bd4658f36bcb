// The receiver of a Next app. The route passes deliveries to it, `instrumentation.ts` starts it.
import { sqliteInbox } from "malipo/inbox/sqlite";
import { createWebhookReceiver } from "malipo/webhooks";

const inbox = sqliteInbox(process.env.INBOX ?? "inbox.db");
export const receiver = createWebhookReceiver({ secret: process.env.WEBHOOK_SECRET ?? "", inbox });

receiver.on("payment.completed", async ({ data }, { idempotencyKey }) => {
  console.log(`ship ${data.account_reference}`, idempotencyKey);
});
