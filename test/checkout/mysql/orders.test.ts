import { describe } from "vitest";
import { mysqlStage } from "../../storage/mysql/mysql-stage.ts";
import { checkoutSuite } from "../../suites/checkout.ts";
import { sharedMysql } from "../../support/engines/shared.ts";
import { mysqlCheckout } from "../../support/stores/mysql-checkout.ts";

const engine = await sharedMysql();
const { newDatabase, poolOf } = mysqlStage(engine);

describe.skipIf(engine === undefined)("orders on MariaDB", () => {
  checkoutSuite("MySQL", {
    fresh: async (now) => {
      const url = await newDatabase();
      const open = () => mysqlCheckout(url, { now });
      const first = open();
      await first.open();
      await first.close();
      const pool = poolOf(url);
      const deleteRows = async (...tables: readonly string[]) => {
        for (const table of tables) await pool.query(`DELETE FROM malipo_checkout_${table}`);
      };
      return { open, deleteRows };
    },
  });
});
