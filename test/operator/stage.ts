import { Gateway } from "malipo";
import { type OperatorHandlerOptions, operatorHandler } from "malipo/operator";
import { createSandbox } from "malipo/sandbox";
import { createWebhookReceiver, memoryInbox, signWebhook } from "malipo/webhooks";
import { vi } from "vitest";

const SECRET = "a-secret-of-this-test";
const ADDRESS = "https://shop.test/operator";

/** A text that is markup if it is not escaped. */
export const HOSTILE = `<img src=x onerror="alert('1')">`;

/** A shop at night: an event that fails, a conflict, a double payment, an unknown attempt. */
export async function nightShift(options: Partial<OperatorHandlerOptions> = {}) {
  const sandbox = createSandbox();
  const { baseUrl, fetch, keys } = sandbox;
  const gateway = new Gateway({ apiKey: keys.secret, baseUrl, fetch, maxRetries: 0 });
  const receiver = createWebhookReceiver({
    secret: SECRET,
    inbox: memoryInbox(),
    onError: () => {},
    onDoublePayment: () => {},
  });
  let fails = true;
  receiver.on("payment.completed", ({ data }) => {
    if (fails) throw new TypeError(`no stock for ${data.account_reference}`);
  });
  await receiver.start();
  const deliver = async (data: Readonly<Record<string, unknown>>) => {
    const timestamp = new Date().toISOString();
    const body = JSON.stringify({ event: "payment.completed", timestamp, data });
    const headers = { "x-service-signature": signWebhook(body, SECRET) };
    await receiver.handle({ method: "POST", headers, body });
  };
  const order = { amount: 1500, phone: "0712345678", account_reference: "ORDER-1" };
  const { reference = "" } = await gateway.mobileMoney.initiate(order);
  sandbox.phone("0712345678").approve();
  const paid = { ...(await gateway.payments.get(reference)) };
  await deliver(paid);
  await deliver({ ...paid, amount: "1.00" });
  await deliver({ ...paid, reference: "PAY-2", account_reference: HOSTILE });
  sandbox.faults.add({ match: {}, effect: { kind: "lostResponse" } });
  await gateway.mobileMoney
    .initiate({ ...order, account_reference: "ORDER-2" }, { idempotencyKey: "ORDER-2/1" })
    .catch(() => undefined);
  await vi.waitUntil(async () => (await receiver.stats()).retrying === 2);
  const handler = operatorHandler({ receiver, gateway, authorize: () => true, ...options });
  const get = async (query = "") => {
    const response = await handler(new Request(ADDRESS + query));
    return { status: response.status, headers: response.headers, html: await response.text() };
  };
  const post = (fields: Readonly<Record<string, string>>, headers: Record<string, string>) =>
    handler(new Request(ADDRESS, { method: "POST", body: new URLSearchParams(fields), headers }));
  const recover = () => {
    fails = false;
  };
  return { receiver, gateway, handler, get, post, reference, recover };
}
