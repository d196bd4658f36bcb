import type { CheckoutStore } from "../../../src/checkout/orders/checkout-store.ts";
import { type MysqlOptions, type MysqlPool, mysql } from "../../../src/engines/mysql.ts";

/** The store of orders of an engine that nothing else uses: it closes the engine. */
export function mysqlCheckout(
  source: string | MysqlPool,
  options: MysqlOptions = {},
): CheckoutStore {
  const db = mysql(source, options as MysqlOptions & { transact: undefined });
  return { ...(db.checkout() as CheckoutStore), close: () => db.close() };
}
