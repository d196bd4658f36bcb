import type { Checkout, CustomerOrder } from "malipo/checkout";
import type { Sandbox } from "malipo/sandbox";
import type { CheckoutStore } from "../../src/checkout/orders/checkout-store.ts";
import { newSandbox, openShop, PHONE, testClock } from "../checkout/stage.ts";

/** A store as the suite takes it: an empty one, which several processes may open. */
export interface CheckoutUnderTest {
  fresh(now: () => number): Promise<{
    open(): CheckoutStore;
    /** Deletes all rows of tables, as a merchant may do. */
    deleteRows?(...tables: readonly ("orders" | "prompts")[]): unknown;
  }>;
}

export const MINUTE_MS = 60_000;

/** Delivers a signed event. */
export async function deliver(checkout: Checkout, sandbox: Sandbox, event: string, data: object) {
  const { signWebhook } = await import("malipo/webhooks");
  const body = JSON.stringify({ event, timestamp: new Date().toISOString(), data });
  const signature = signWebhook(body, sandbox.webhookSecret);
  const headers = { "x-service-signature": signature };
  return checkout.receiver.handle({ method: "POST", headers, body });
}

/** A number that is another one for each reference. */
const numberOf = (reference: string): number =>
  Array.from(reference).reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) % 1_000_003, 7);

export const completed = (
  order: Pick<CustomerOrder, "amount" | "currency" | "accountReference">,
  reference: string,
  more: object = {},
) => ({
  payment_id: numberOf(reference),
  reference,
  status: "completed",
  amount: order.amount,
  currency: order.currency,
  account_reference: order.accountReference,
  ...more,
});

export const referenceOf = (
  order: Pick<CustomerOrder, "attempts"> | undefined,
  number = 1,
): string => order?.attempts[number - 1]?.reference ?? "";

/** A fetch whose prompts do as the test says. */
export function promptsWith(
  sandbox: Sandbox,
  how: (send: () => Promise<Response>) => Promise<Response>,
) {
  return (url: string, init: RequestInit) =>
    url.includes("payment/initiate")
      ? how(() => sandbox.fetch(url, init))
      : sandbox.fetch(url, init);
}

/** A sandbox with a clock, and shops on one store. */
export async function suiteStage(underTest: CheckoutUnderTest) {
  const clock = testClock();
  const store = await underTest.fresh(clock.now);
  const sandbox = newSandbox();
  const open = (options: Parameters<typeof openShop>[2] = {}) => {
    const own = store.open();
    return { ...openShop(sandbox, own, options), store: own };
  };
  /** Lets time pass for the shop, and does what is due. */
  const later = async (ms: number, checkout: Checkout) => {
    clock.advance(ms);
    await checkout.reconcile();
  };
  const customer = async (does: "approve" | "cancel") => {
    sandbox.phone(PHONE)[does]();
    await sandbox.clock.advance("10s");
  };
  return { clock, sandbox, open, later, customer, deleteRows: store.deleteRows };
}
