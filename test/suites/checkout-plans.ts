import type { CheckoutStore } from "../../src/checkout/orders/checkout-store.ts";

/** How many rows each table has. */
export const STORED = 100_000;
/** More than a page, and far less than what is stored. */
export const FEW = 150;

export const NOW = Date.now();
const FAR = NOW + 86_400_000;

/** What {@link STORED} orders of a shop may look like. */
export interface StoredOrders {
  readonly what: string;
  readonly status: string;
  readonly hasReview?: number;
  readonly dueAt?: number;
  /** What is set of each of them later. */
  readonly later?: string;
}

export const SHOPS: readonly StoredOrders[] = [
  { what: "are paid, and nothing is due", status: "paid" },
  // Each had an entry in the indexes of what is due.
  { what: "are paid, and something was due", status: "paid", dueAt: 1, later: "due_at = NULL" },
  { what: "are paid, and are read later", status: "paid", dueAt: FAR },
  { what: "expire later", status: "open", dueAt: FAR },
  { what: "need a review", status: "open", hasReview: 1 },
];

const report = (reference: string) =>
  ({
    reference,
    status: "completed",
    amount: "5.00",
    currency: "KES",
    message: undefined,
    retry: "unknown",
  }) as const;

/** All that a poll, a list or a page asks a store, whose orders are O1, O2, ..., with phones P1, ... and payments R1, ... */
export async function askAll(store: CheckoutStore): Promise<void> {
  await store.due(32);
  const page = { after: undefined, limit: 100, status: undefined, review: false };
  for (const query of [
    page,
    { ...page, after: { at: 500, id: "O500" } },
    { ...page, status: "paid" },
    { ...page, status: "open" },
    { ...page, status: "expired" },
    { ...page, review: true },
    { ...page, isDue: true },
  ] as const)
    await store.list(query);
  await store.byPhone("P77", 100);
  await store.unmatched(100);
  await store.decisions(100);
  await store.addDecision({ state: "planned" });
  for (const reference of ["R78", "R77", "NEW"]) {
    await store.strayOf(reference);
    await store.orderOf({ reference, alias: "payment_id:5", label: "L5" });
    await store.keep(report(reference), true, false);
    await store.resolve(reference, { decision: "dismiss", by: undefined, lines: [] });
  }
  await store.read("O5");
  const { idempotency } = store;
  await idempotency.list({ state: "unknown" });
  await idempotency.list({ state: "in_flight" });
  await idempotency.list({});
  await idempotency.list({ state: "succeeded" });
  await idempotency.list({ digests: { accountReference: "other" } });
  await idempotency.read("K7");
}
