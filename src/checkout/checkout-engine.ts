import type { CheckoutStore } from "./checkout-store.ts";

/** An engine that holds the orders of a checkout: `sqlite()`, `postgres()` or `memory()`. */
export interface CheckoutEngine<Connection = unknown> {
  /** The store of orders. Its idempotency keys and its other events are in the same engine. */
  checkout(): CheckoutStore<Connection>;
}
