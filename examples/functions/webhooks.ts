// Webhooks in a function: store, respond, and process after the response. A cron route calls `cron`.
import { fetchHandler } from "malipo/fetch";
import { postgres } from "malipo/postgres";
import { createWebhookReceiver } from "malipo/webhooks";

const db = postgres(process.env.DATABASE_URL ?? "");
export const receiver = createWebhookReceiver({ inbox: db }); // reads MALIPO_WEBHOOK_SECRET

receiver.on("payment.completed", async ({ data }, { idempotencyKey }) => {
  console.log(`ship ${data.account_reference}`, idempotencyKey);
});

const receive = fetchHandler(receiver);

/** `waitUntil` is the host's. */
export async function POST(
  request: Request,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<Response> {
  const response = await receive(request);
  waitUntil(receiver.drain({ timeoutMs: 20_000 }));
  return response;
}

export const cron = () => receiver.drain({ timeoutMs: 50_000 });
