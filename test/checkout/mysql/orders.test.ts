import { describe } from "vitest";
import { sqlCheckout } from "../../../src/checkout/orders/order-store.ts";
import { ORDERS } from "../../../src/checkout/orders/tables.ts";
import { KEYS } from "../../../src/idempotency/tables.ts";
import { poolFor } from "../../../src/storage/mysql/pool.ts";
import { mysqlStage, roomOn, untilOneWaits } from "../../storage/mysql/mysql-stage.ts";
import { checkoutSuite } from "../../suites/checkout.ts";
import { strayUpdatesSuite } from "../../suites/stray-updates.ts";
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

  strayUpdatesSuite("MySQL", async () => {
    const pool = poolOf(await newDatabase());
    const tables = roomOn(pool).tables(ORDERS);
    await tables.open();
    // In a small table, MariaDB would read and lock all rows for some that it looks for.
    const rows = Array.from({ length: 2_000 }, (_, at) => [
      `OLD-${at}`,
      "ORDER",
      Date.now() - 3_600_000,
    ]);
    await pool.query("INSERT INTO malipo_checkout_payments (reference, order_id, at) VALUES ?", [
      rows,
    ]);
    await pool.query("ANALYZE TABLE malipo_checkout_payments");
    return {
      tables,
      begin: async () => {
        const transaction = await pool.getConnection();
        await transaction.query("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        await transaction.beginTransaction();
        const commit = async () => {
          await transaction.commit();
          transaction.release();
        };
        return { transaction, commit };
      },
      untilOneWaits: () => untilOneWaits(pool),
    };
  });
});
