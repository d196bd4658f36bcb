import { Gateway, type IdempotencyStore } from "malipo";
import { type OperatorHandlerOptions, operatorHandler } from "malipo/operator";
import { createSandbox } from "malipo/sandbox";
import { createWebhookReceiver, type Inbox, signWebhook } from "malipo/webhooks";
import { memoryInbox } from "../../src/webhooks/inbox/memory/inbox.ts";
import { until } from "../suites/inbox-stage.ts";

const SECRET = "a-secret-of-this-test";
const ADDRESS = "https://shop.test/operator";

/** A text that is markup if it is not escaped. */
export const HOSTILE = `<img src=x onerror="alert('1')">`;

/** How much there is to do in a night, and where it is stored. */
export interface NightSize {
  readonly inbox?: Inbox;
  readonly idempotency?: IdempotencyStore;
  /** Paid orders whose handler fails. */
  readonly orders?: number;
  /** How many bytes the event of each of them has beside its usual fields. */
  readonly bytes?: number;
  /** Replays of old events. */
  readonly replays?: number;
  /** Attempts of unknown outcome. */
  readonly lost?: number;
}

/** A shop at night: events that fail, a conflict, a double payment, unknown attempts. */
export async function nightShift(
  options: Partial<OperatorHandlerOptions> = {},
  {
    inbox = memoryInbox(),
    idempotency,
    orders = 1,
    bytes = 0,
    replays = 0,
    lost = 1,
  }: NightSize = {},
) {
  const sandbox = createSandbox();
  const { baseUrl, fetch, keys } = sandbox;
  const gateway = new Gateway({ apiKey: keys.secret, baseUrl, fetch, maxRetries: 0, idempotency });
  const receiver = createWebhookReceiver({
    secret: SECRET,
    inbox,
    onError: () => {},
    onConflict: () => {},
    onDoublePayment: () => {},
  });
  let fails = true;
  const shipped: string[] = [];
  receiver.on("payment.completed", ({ data }) => {
    if (fails) throw new TypeError(`no stock for ${data.account_reference}`);
    shipped.push(`${data.account_reference} ${data.amount}`);
  });
  await receiver.start();
  const deliver = async (data: Readonly<Record<string, unknown>>, at = new Date()) => {
    const timestamp = at.toISOString();
    const body = JSON.stringify({ event: "payment.completed", timestamp, data });
    const headers = { "x-service-signature": signWebhook(body, SECRET) };
    await receiver.handle({ method: "POST", headers, body });
  };
  const order = { amount: 1500, phone: "0712345678", account_reference: "ORDER-1" };
  const pay = async (account_reference: string, phone = order.phone) => {
    const params = { ...order, phone, account_reference };
    const { reference = "" } = await gateway.mobileMoney.initiate(params);
    sandbox.phone(phone).approve();
    return { ...(await gateway.payments.get(reference)) };
  };
  const paid = { ...(await pay("ORDER-1")), user_message: "Ask at 0712.345.679." };
  const { reference = "" } = paid;
  await deliver(paid);
  await deliver({ ...paid, amount: "1.00" });
  await deliver({ ...paid, reference: "PAY-2", account_reference: HOSTILE });
  for (let number = 1; number < orders; number++) {
    const order = await pay(`ORDER-7${number}`, `${254_711_000_000 + number}`);
    await deliver(bytes > 0 ? { ...order, note: "n".repeat(bytes) } : order);
  }
  for (let number = 0; number < replays; number++) {
    const names = { reference: `PAY-OLD-${number}`, account_reference: `ORDER-OLD-${number}` };
    const old = { ...paid, ...names, transaction_id: names.reference };
    await deliver(old, new Date("2020-01-01T09:00:00Z"));
  }
  for (let number = 2; number < 2 + lost; number++) {
    sandbox.faults.add({ match: {}, effect: { kind: "lostResponse" } });
    const [phone, account_reference] = [`071234567${number}`, `ORDER-${number}`];
    await gateway.mobileMoney
      .initiate({ ...order, phone, account_reference }, { idempotencyKey: `ORDER-${number}/1` })
      .catch(() => undefined);
  }
  await until(async () => (await receiver.stats()).retrying === orders + 1);
  const handler = operatorHandler({
    receiver,
    gateway,
    authorize: () => true,
    // What is decided is done before the response.
    takeBackMs: 0,
    ...options,
  });
  const get = async (query = "") => {
    const response = await handler(new Request(ADDRESS + query));
    return { status: response.status, headers: response.headers, html: await response.text() };
  };
  const post = (fields: Readonly<Record<string, string>>, headers: Record<string, string>) =>
    handler(new Request(ADDRESS, { method: "POST", body: new URLSearchParams(fields), headers }));
  const recover = () => {
    fails = false;
  };
  return { sandbox, receiver, gateway, handler, get, post, reference, recover, shipped };
}
