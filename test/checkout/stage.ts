import type { DatabaseSync } from "node:sqlite";
import { Gateway } from "malipo";
import { type Checkout, type CheckoutOptions, createCheckout } from "malipo/checkout";
import { createSandbox, type Sandbox } from "malipo/sandbox";
import { onTestFinished } from "vitest";
import type { CheckoutStore } from "../../src/checkout/orders/checkout-store.ts";

/** A clock of a store that a test moves. */
export function testClock() {
  let aheadMs = 0;
  return {
    now: () => Date.now() + aheadMs,
    advance: (ms: number) => {
      aheadMs += ms;
    },
  };
}

/**
 * Ends something with the test, the last first. A hook at the top of this file would be one of the first file of the
 * process alone, since those that follow do not load it again.
 */
export const atEnd = (end: () => unknown): void =>
  onTestFinished(async () => {
    await end();
  });

/** A shop: its checkout, and the orders whose goods it gave. */
export interface Shop {
  readonly checkout: Checkout;
  readonly given: string[];
  readonly errors: unknown[];
  readonly gateway: Gateway;
}

export function openShop(
  sandbox: Sandbox,
  store: CheckoutStore,
  options: Partial<CheckoutOptions> & {
    readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  } = {},
): Shop {
  const { fetch = sandbox.fetch, ...own } = options;
  const given: string[] = [];
  const errors: unknown[] = [];
  const gateway = new Gateway({
    apiKey: sandbox.keys.secret,
    baseUrl: sandbox.baseUrl,
    fetch,
    maxRetries: 0,
    idempotency: store.idempotency,
  });
  const checkout = createCheckout({
    store,
    gateway,
    secret: sandbox.webhookSecret,
    onPaid: async (order, { transaction }) => {
      await transaction((_: DatabaseSync) => {});
      given.push(order.id);
    },
    // The goods of most tests are no rows.
    onError: (error) => /has written no row/.test(String(error)) || errors.push(error),
    ...own,
  });
  atEnd(() => checkout.stop({ timeoutMs: 1_000 }));
  return { checkout, given, errors, gateway };
}

export const newSandbox = (): Sandbox => createSandbox({ seed: 1, clock: "virtual" });

export const PHONE = "0712345678";
export const ORDER = { id: "ORDER-1", amount: 1500, phone: PHONE };
