// A payment from prompt to webhook: a sandbox gateway and a webhook receiver, both over real HTTP.
// Run it with `npm run quickstart`.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Gateway, verifyWebhook, WebhookVerificationError } from "malipo";
import { createSandbox } from "malipo/sandbox";
import { signWebhook } from "malipo/webhooks";

const started = performance.now();
const log = (what: string, detail: string) =>
  console.log(
    `${(performance.now() - started).toFixed(0).padStart(6)} ms  ${what.padEnd(10)} ${detail}`,
  );

// A whole gateway on this machine.
const sandbox = createSandbox({ clock: "real" });
const service = await sandbox.serve({ port: 0 });
const gateway = new Gateway({ apiKey: sandbox.keys.secret, baseUrl: service.baseUrl });
log("gateway", service.baseUrl);

// The merchant's webhook receiver: raw bytes in, a verified event out.
const receiver = createServer(async (request, response) => {
  try {
    const body = await buffer(request);
    const event = verifyWebhook({ body, headers: request.headers, secret: sandbox.webhookSecret });
    log("webhook", `${event.event}, signature verified, ${body.length} bytes`);
    response.end(JSON.stringify({ ResultCode: 0, ResultDesc: "received" }));
    receiver.emit(event.event, event.data);
  } catch (error) {
    // Without this, one unsigned request would end the process.
    response.statusCode = error instanceof WebhookVerificationError ? error.status : 500;
    response.end(JSON.stringify({ ResultCode: 1, ResultDesc: "rejected" }));
  }
}).listen(0, "127.0.0.1");
await once(receiver, "listening");
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/webhooks`;
await gateway.webhooks.register({
  name: "shop",
  url,
  events: ["payment.completed", "payment.failed"],
});
log("register", url);

// Anyone can send to the receiver. Only the service knows the secret.
const body = JSON.stringify({ event: "payment.completed", data: { reference: "PAY-FORGED" } });
const forged = { "X-Service-Signature": signWebhook(body, "whsec_guessed") };
for (const [what, headers] of [["forged", forged] as const, ["unsigned", {}] as const]) {
  const { status } = await fetch(url, { method: "POST", body, headers });
  log(what, `${status}`);
  assert.equal(status, 401);
}

async function pay(amount: number, act: "approve" | "cancel", outcome: "completed" | "failed") {
  const webhook = once(receiver, `payment.${outcome}`, { signal: AbortSignal.timeout(30_000) });
  const { reference } = await gateway.mobileMoney.initiate({ amount, phone: "0712 345 678" });
  log("prompt", `${reference}, KES ${amount} to 0712 345 678`);
  sandbox.phone("0712345678")[act]();
  log("phone", `the customer taps "${act}"`);
  const [data] = await webhook;
  const payment = await gateway.payments.get(reference);
  assert.deepEqual([payment.status, data.reference], [outcome, reference]);
  log(
    "payment",
    `${payment.status}, KES ${payment.amount}${payment.user_message ? `: ${payment.user_message}` : ""}`,
  );
}

await pay(1500, "approve", "completed");
await pay(250, "cancel", "failed");

receiver.close();
await service.close();
console.log("\nOne payment completed and one failed. A signed webhook and a read confirm both.");
