import { Gateway, memory } from "malipo";
import { type Checkout, type CustomerOrder, createCheckout } from "malipo/checkout";
import { createSandbox } from "malipo/sandbox";
import { signWebhook } from "malipo/webhooks";
import { testClock } from "../checkout/stage.ts";

const MINUTE_MS = 60_000;

/** Of each kind of review, a shop has this many. */
export const OF_EACH = 3;

/**
 * A shop after a bad night: three reviews of each kind, and goods that are due.
 *
 * @param hasInbox - Whether its store keeps other events, too: a PostgreSQL does not by itself.
 */
export async function shopNight({ hasInbox = true } = {}) {
  const clock = testClock();
  const sandbox = createSandbox({ seed: "shop", clock: "virtual" });
  const all = memory({ now: clock.now }).checkout();
  const store = hasInbox ? all : { ...all, inbox: undefined };
  let isLost = false;
  let isStocked = false;
  const given: string[] = [];
  /** What the webhooks told first of each payment: the service says the same when it is asked. */
  const told = new Map<string, object>();
  const gateway = new Gateway({
    apiKey: sandbox.keys.secret,
    baseUrl: sandbox.baseUrl,
    maxRetries: 0,
    idempotency: store.idempotency,
    fetch: async (url: string, init: RequestInit) => {
      if (isLost && url.includes("payment/initiate")) throw new TypeError("fetch failed");
      const data = told.get(new URL(url).pathname.split("/").at(-1) ?? "");
      return data === undefined ? sandbox.fetch(url, init) : Response.json({ data });
    },
  });
  const checkout = createCheckout({
    store,
    gateway,
    partPayments: "review",
    secret: sandbox.webhookSecret,
    onPaid: async ({ id }, { transaction }) => {
      if (id.startsWith("GOODS") && !isStocked) throw new Error("The stock does not respond.");
      await transaction(() => {});
      given.push(id);
    },
    onError: () => {},
  });
  const phones = new Map<string, string>();
  const make = (id: string, amount = 1500): Promise<CustomerOrder> => {
    const phone = `7120${String(phones.size + 1).padStart(5, "0")}`;
    phones.set(id, phone);
    return checkout.pay({ id, amount, phone: `0${phone}` });
  };
  const deliver = async (
    order: Pick<CustomerOrder, "accountReference"> & { readonly id?: string },
    reference: string,
    more = {},
  ) => {
    const data = {
      reference,
      status: "completed",
      amount: "1500.00",
      currency: "KES",
      phone: `254${phones.get(order.id ?? "") ?? "712345678"}`,
      account_reference: order.accountReference,
      ...more,
    };
    if (!told.has(reference)) told.set(reference, data);
    const timestamp = new Date().toISOString();
    const body = JSON.stringify({ event: "payment.completed", timestamp, data });
    const headers = { "x-service-signature": signWebhook(body, sandbox.webhookSecret) };
    await checkout.receiver.handle({ method: "POST", headers, body });
  };
  const own = ({ attempts: [attempt] }: CustomerOrder) => attempt?.reference ?? "";

  for (let number = 1; number <= OF_EACH; number++) {
    const twice = await make(`TWICE-${number}`);
    await deliver(twice, own(twice));
    await deliver(twice, `PAY-TWICE-${number}`, {
      transaction_id: `ERTGFL0X${number}U`,
      phone: "254712345678",
    });
    const less = await make(`LESS-${number}`);
    await deliver(less, own(less), { amount: "1.00" });
    const dollars = await make(`DOLLARS-${number}`);
    await deliver(dollars, own(dollars), { currency: "USD" });
    const late = await make(`LATE-${number}`);
    await checkout.cancel(late.id);
    await deliver(late, own(late));
    const unclear = await make(`UNCLEAR-${number}`);
    await deliver(unclear, own(unclear));
    await deliver(unclear, own(unclear), { amount: "2.00" });
    await deliver({ accountReference: `STRANGER-${number}` }, `PAY-STRANGER-${number}`);
    const goods = await make(`GOODS-${number}`);
    await deliver(goods, own(goods));
    isLost = true;
    await make(`UNKNOWN-${number}`);
    isLost = false;
  }
  for (let times = 0; times < 14; times++) {
    clock.advance(5 * MINUTE_MS);
    await checkout.reconcile();
  }
  const fresh = await make("GOODS-NEW");
  await deliver(fresh, own(fresh));
  await checkout.reconcile();
  const restock = () => {
    isStocked = true;
  };
  return { checkout: checkout as Checkout, gateway, sandbox, given, restock, clock, deliver };
}
