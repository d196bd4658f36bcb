import { describe } from "vitest";
import type { Room } from "../../../src/storage/room.ts";
import { storageMigrationsSuite } from "../../suites/storage-migrations.ts";
import { sharedMysql } from "../../support/engines/shared.ts";
import { column, mysqlStage, roomOn } from "./mysql-stage.ts";

const engine = await sharedMysql();
const { newDatabase, poolOf } = mysqlStage(engine);

describe.skipIf(engine === undefined)("MariaDB", () => {
  storageMigrationsSuite(async () => {
    const address = await newDatabase();
    const pool = poolOf(address);
    const room = (url: string) => roomOn(poolOf(url, { connectionLimit: 5 })) as Room;
    return {
      address,
      open: () => room(address),
      run: (sql) => pool.query(sql),
      isMigrating: async () => {
        const asleep = `SELECT 1 FROM information_schema.processlist WHERE info = 'DO SLEEP(3)' AND db = DATABASE()`;
        return (await column(pool, asleep)).length > 0;
      },
      limited: async () => {
        const url = new URL(address);
        const name = url.pathname.slice(1);
        await pool.query(`CREATE USER IF NOT EXISTS '${name}'@'localhost' IDENTIFIED BY 'x'`);
        await pool.query(
          `GRANT SELECT, INSERT, UPDATE, DELETE ON ${name}.* TO '${name}'@'localhost'`,
        );
        url.username = name;
        url.password = "x";
        return room(url.href);
      },
    };
  });
});
