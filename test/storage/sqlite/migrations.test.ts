import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { SqliteRoom } from "../../../src/storage/sqlite/sqlite-room.ts";
import { storageMigrationsSuite } from "../../suites/storage-migrations.ts";

storageMigrationsSuite(() => {
  const address = join(mkdtempSync(join(tmpdir(), "malipo-migrations-")), "shop.db");
  const run = (sql: string) => {
    const database = new DatabaseSync(address, { timeout: 0 });
    try {
      database.exec(sql);
    } finally {
      database.close();
    }
  };
  return {
    address,
    open: () => new SqliteRoom<unknown>(address, { now: Date.now }),
    run,
    isMigrating: () => {
      try {
        run("BEGIN IMMEDIATE; ROLLBACK");
        return false;
      } catch {
        return true;
      }
    },
  };
});
