import { type CheckoutStore, createCheckout } from "malipo/checkout";
import { createSandbox } from "malipo/sandbox";
import { expect } from "vitest";

/** Stored orders are read, and go on. */
export async function expectToGoOn(store: CheckoutStore): Promise<void> {
  const { baseUrl, fetch, keys, webhookSecret: secret } = createSandbox({ seed: 1 });
  const given: string[] = [];
  const checkout = createCheckout({
    ...{ store, secret, gateway: { apiKey: keys.secret, baseUrl, fetch } },
    onPaid: ({ id }) => given.push(id),
    onError: () => {},
  });
  const { items } = await checkout.list();
  const seen = items.map(({ id, status, effect, received }) => [id, status, effect, received]);
  expect(seen).toEqual([
    ["open", "open", "none", "0.00"],
    ["pending", "pending", "none", "0.00"],
    ["paid", "paid", "done", "100.00"],
    ["effect-due", "paid", "due", "100.00"],
    ["failed", "open", "none", "0.00"],
    ["canceled", "canceled", "none", "0.00"],
    ["review", "open", "none", "90.00"],
  ]);
  expect((await checkout.reviews.list()).map(({ id }) => id)).toEqual([
    "review:amount_mismatch:PAY-R",
    "unmatched:PAY-STRANGER",
  ]);
  expect(items[0]).toMatchObject({ metadata: { item: "a" } });
  await checkout.reviews.resolve("review:amount_mismatch:PAY-R", "accept");
  await checkout.reconcile();
  expect(given.sort()).toEqual(["effect-due", "review"]);
  await checkout.decisions.append({ decision: "one" });
  const lines = await checkout.decisions.read();
  expect(lines.slice(-2)).toEqual([
    expect.objectContaining({ state: "done" }),
    { decision: "one" },
  ]);
  await checkout.stop();
}
