import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { memory } from "malipo";
import { type Checkout, createCheckout } from "malipo/checkout";
import { nodeHandler } from "malipo/node";
import { operatorHandler } from "malipo/operator";
import { createSandbox } from "malipo/sandbox";
import { signWebhook } from "malipo/webhooks";

const SECRET = "a-secret-of-the-screenshots";
const PHONES = ["0712345678", "0722000111", "0733100200", "0745667788"] as const;

/** The checkout of a ticket shop: one customer looks at his phone, and three orders wait for a person. */
export async function serveEvening() {
  const sandbox = createSandbox({ seed: "evening", startAt: new Date() });
  const { baseUrl, fetch, keys, webhookSecret } = sandbox;
  const gateway = { apiKey: keys.secret, baseUrl, fetch, maxRetries: 0 };
  const checkout = createCheckout({
    gateway,
    store: memory(),
    secret: webhookSecret,
    onPaid: () => {},
    onReview: () => {},
  });
  const pages = new Map<string, (request: Request) => Promise<Response>>();
  const server = createServer(
    nodeHandler((request) => {
      const page = pages.get(new URL(request.url).pathname.split("/")[1] ?? "");
      return page?.(request) ?? Promise.resolve(new Response(undefined, { status: 404 }));
    }),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const merchant = { name: "Duka la Amina", contact: "0700 111 222" };
  pages.set("pay", checkout.page({ merchant, url: `${address}/pay`, secret: SECRET }));
  const authorize = () => ({ operator: "Amina" });
  pages.set(
    "operator",
    operatorHandler({ checkout, authorize, actions: true, timeZone: "Africa/Nairobi" }),
  );
  await sellTickets(checkout, webhookSecret);
  const id = "ORDER-1042";
  await checkout.pay({ id, amount: 1_500, phone: PHONES[0], description: "Two tickets" });
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await checkout.stop();
  };
  return { asked: checkout.payLink(id), operator: `${address}/operator`, close };
}

async function sellTickets(checkout: Checkout, secret: string): Promise<void> {
  let count = 0;
  const receive = async (id: string, changes: object = {}) => {
    const order = await checkout.get(id);
    const data = {
      payment_id: ++count,
      merchant_id: 1,
      reference: `PAY-7Q2M9X4K${count}`,
      status: "completed",
      amount: order?.amount,
      currency: "KES",
      account_reference: order?.accountReference,
      transaction_id: `TKR7M2X9Q${count}`,
      phone: PHONES[count % PHONES.length],
      ...changes,
    };
    const timestamp = new Date().toISOString();
    const body = JSON.stringify({ event: "payment.completed", timestamp, data });
    const headers = { "x-service-signature": signWebhook(body, secret) };
    await checkout.receiver.handle({ method: "POST", headers, body });
  };
  const orders = [
    { id: "ORDER-1031", amount: 3_000 },
    { id: "ORDER-1036", amount: 1_500 },
    { id: "ORDER-1039", amount: 4_500 },
  ] as const;
  for (const [at, order] of orders.entries()) {
    await checkout.pay({ ...order, phone: PHONES[at + 1] ?? "" });
  }
  await receive("ORDER-1031");
  await checkout.reconcile();
  await receive("ORDER-1031");
  await receive("ORDER-1036", { amount: "1000.00" });
  await checkout.cancel("ORDER-1039");
  await receive("ORDER-1039");
}
