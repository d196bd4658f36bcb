import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Gateway, memory } from "malipo";
import { nodeHandler } from "malipo/node";
import { operatorHandler } from "malipo/operator";
import { createSandbox } from "malipo/sandbox";
import { createWebhookReceiver, signWebhook } from "malipo/webhooks";

const SECRET = "a-secret-of-the-screenshots";

/** Waits until a count of the inbox is reached. */
async function until(isReached: () => Promise<boolean>): Promise<void> {
  while (!(await isReached())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Serves the operator's page of a shop that had a bad night: every list of the page has entries. */
export async function serveNight(): Promise<{
  address: string;
  reference: string;
  close: () => Promise<void>;
}> {
  const sandbox = createSandbox({ seed: "night", auto: "approve" });
  const { baseUrl, fetch, keys } = sandbox;
  const gateway = new Gateway({ apiKey: keys.secret, baseUrl, fetch, maxRetries: 0 });
  let waitMs = 1;
  const pace = { leaseMs: 15_000, backoffMs: () => waitMs };
  const receiver = createWebhookReceiver({
    secret: SECRET,
    // Tests and this script make an inbox faster by its pace, which is not part of its interface.
    inbox: memory().inbox({ pace } as object),
    onError: () => {},
    onDoublePayment: () => {},
  });
  receiver.on("payment.completed", ({ data: { account_reference: order } }) => {
    if (order === "ORDER-90")
      throw new TypeError("Cannot read properties of undefined (reading 'sku')");
    throw new Error("connect ECONNREFUSED 10.0.3.7:5432: the stock database does not respond");
  });
  await receiver.start();
  const pay = async (account_reference: string, amount: number) => {
    const phone = "0712345678";
    const { reference = "" } = await gateway.mobileMoney.initiate({
      amount,
      phone,
      account_reference,
    });
    await sandbox.clock.advance("5s");
    return gateway.payments.get(reference);
  };
  const deliver = async (data: object) => {
    const timestamp = new Date().toISOString();
    const body = JSON.stringify({ event: "payment.completed", timestamp, data });
    const headers = { "x-service-signature": signWebhook(body, SECRET) };
    await receiver.handle({ method: "POST", headers, body });
  };
  for (const [order, amount] of [
    ["ORDER-90", 4_200],
    ["ORDER-91", 350],
  ] as const) {
    await deliver(await pay(order, amount));
  }
  await until(async () => (await receiver.stats()).dead === 2);
  waitMs = 3_600_000;
  const paid = await pay("ORDER-101", 1_500);
  await deliver(paid);
  await deliver({ ...paid, amount: "1.00" });
  await deliver(await pay("ORDER-102", 12_999));
  await deliver(await pay("ORDER-102", 12_999));
  await until(async () => (await receiver.stats()).retrying === 3);
  sandbox.faults.add({ match: {}, effect: { kind: "lostResponse" } });
  await gateway.mobileMoney
    .initiate(
      { amount: 80, phone: "0733100200", account_reference: "ORDER-103" },
      { idempotencyKey: "ORDER-103/1" },
    )
    .catch(() => undefined);
  const handler = operatorHandler({ receiver, gateway, authorize: () => true, actions: true });
  const server = createServer(nodeHandler(handler)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.close();
    await receiver.stop();
  };
  return { address: `http://127.0.0.1:${port}`, reference: paid.reference ?? "", close };
}
