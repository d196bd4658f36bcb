import type { Pool } from "mysql2/promise";
import { describe, expect, it } from "vitest";
import { ORDERS } from "../../../src/checkout/orders/tables.ts";
import { clear, mysqlStage, roomOn, untilOneWaits } from "../../storage/mysql/mysql-stage.ts";
import { checkoutSuite } from "../../suites/checkout.ts";
import { strayUpdatesSuite } from "../../suites/stray-updates.ts";
import { sharedMysql } from "../../support/engines/shared.ts";
import { mysqlCheckout } from "../../support/stores/mysql-checkout.ts";
import { newSandbox, ORDER, openShop } from "../stage.ts";

const engine = await sharedMysql();
const { newDatabase, poolOf } = mysqlStage(engine);

describe.skipIf(engine === undefined)("orders on MariaDB", () => {
  let made: Promise<{ url: string; pool: Pool }> | undefined;
  const makeTables = async () => {
    const url = await newDatabase();
    const first = mysqlCheckout(url);
    await first.open();
    await first.close();
    return { url, pool: poolOf(url) };
  };

  checkoutSuite("MySQL", {
    fresh: async (now) => {
      made ??= makeTables();
      const { url, pool } = await made;
      await clear(pool);
      const open = () => mysqlCheckout(url, { now });
      const deleteRows = async (...tables: readonly string[]) => {
        for (const table of tables) await pool.query(`DELETE FROM malipo_checkout_${table}`);
      };
      return { open, deleteRows };
    },
  });

  it("finds an order that another process made since the transaction of the merchant began", async () => {
    const url = await newDatabase();
    const pool = poolOf(url);
    const [one, other] = [mysqlCheckout(url), mysqlCheckout(url)].map(
      (store) => openShop(newSandbox(), store).checkout,
    );
    await one?.create({ id: "ORDER-0", amount: 1 });
    const transaction = await pool.getConnection();
    // By the default of the server, it sees what was committed until its first query.
    await transaction.beginTransaction();
    await transaction.query("SELECT id FROM malipo_checkout_orders");
    const made = await other?.create(ORDER);
    expect(await one?.create(ORDER, { transaction })).toEqual(made);
    const wrong = one?.create({ ...ORDER, amount: 1 }, { transaction });
    await expect(wrong).rejects.toMatchObject({ code: "order_conflict" });
    await transaction.rollback();
    transaction.release();
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
