import type mysql from "mysql2/promise";
import type { CheckoutStore } from "../../../src/checkout/checkout-store.ts";
import { sqlCheckout } from "../../../src/checkout/sql-store.ts";
import { ORDERS } from "../../../src/checkout/tables.ts";
import { KEYS } from "../../../src/idempotency/tables.ts";
import { MysqlRoom } from "../../../src/storage/mysql/mysql-room.ts";
import { poolFor } from "../../../src/storage/mysql/pool.ts";
import type { Transact } from "../../../src/storage/mysql/transact.ts";
import { mysqlKeys } from "../key-stores.ts";

interface MysqlCheckoutOptions {
  readonly transact?: Transact;
  readonly now?: () => number;
}

/** Orders with their keys, in one database. */
export function mysqlCheckout(
  source: string | mysql.Pool,
  { transact, now }: MysqlCheckoutOptions = {},
): CheckoutStore {
  const pool = poolFor(source);
  const isOwnPool = typeof source === "string";
  const room = new MysqlRoom({ pool, isOwnPool, transact, now });
  return sqlCheckout(room.tables(ORDERS), {
    idempotency: mysqlKeys(pool),
    inbox: undefined,
    sql: () => room.sql([ORDERS, KEYS]),
    open: () => room.open(),
    close: () => room.close(),
  }) as CheckoutStore;
}
