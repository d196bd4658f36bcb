import { describe } from "vitest";
import { sqlCheckout } from "../../../src/checkout/orders/order-store.ts";
import { ORDERS } from "../../../src/checkout/orders/tables.ts";
import { KEYS } from "../../../src/idempotency/tables.ts";
import { poolFor } from "../../../src/storage/mysql/pool.ts";
import { mysqlStage, roomOn } from "../../storage/mysql/mysql-stage.ts";
import { checkoutSuite } from "../../suites/checkout.ts";
import { sharedMysql } from "../../support/engines/shared.ts";
import { mysqlKeys } from "../../support/key-stores.ts";

const engine = await sharedMysql();
const { newDatabase, poolOf } = mysqlStage(engine);

/** Orders with their keys, in one database. */
function storeAt(url: string, now: () => number) {
  const pool = poolFor(url);
  const room = roomOn(pool, { isOwnPool: true, now });
  return sqlCheckout(room.tables(ORDERS), {
    idempotency: mysqlKeys(pool),
    inbox: undefined,
    sql: () => room.sql([ORDERS, KEYS]),
    open: () => room.open(),
    close: () => room.close(),
  });
}

describe.skipIf(engine === undefined)("orders on MariaDB", () => {
  checkoutSuite("MySQL", {
    fresh: async (now) => {
      const url = await newDatabase();
      const first = storeAt(url, now);
      await first.open();
      await first.close();
      const pool = poolOf(url);
      const deleteRows = async (...tables: readonly string[]) => {
        for (const table of tables) await pool.query(`DELETE FROM malipo_checkout_${table}`);
      };
      return { open: () => storeAt(url, now), deleteRows };
    },
  });
});
