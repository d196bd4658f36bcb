import type { DatabaseSync } from "node:sqlite";
import type { CheckoutStore } from "../../../src/checkout/orders/checkout-store.ts";
import {
  type BetterSqlite3,
  type ConnectionOf,
  type SqliteOptions,
  sqlite,
} from "../../../src/engines/sqlite.ts";

/** The store of orders of an engine that nothing else uses: it closes the engine. */
export function sqliteCheckout<Source extends string | DatabaseSync | BetterSqlite3>(
  source: Source,
  options: SqliteOptions = {},
): CheckoutStore<ConnectionOf<Source>> {
  const db = sqlite(source, options);
  return { ...db.checkout(), close: () => db.close() };
}
