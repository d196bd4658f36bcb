import { afterAll, describe } from "vitest";
import { transactionSuite } from "../../../suites/inbox-transaction.ts";
import { sharedMysql } from "../../../support/engines/shared.ts";
import { MYSQL_ORMS } from "../../../support/orms/mysql-orms.ts";
import type { Orm, OrmName } from "../../../support/orms/orm.ts";
import { mysqlInbox } from "../../../support/stores/mysql-inbox.ts";
import { freshDatabase, pace, query } from "./stage.ts";

const engine = await sharedMysql();
const opened: Orm[] = [];
afterAll(async () => {
  for (const orm of opened) await orm.close();
  await engine?.stop();
});

describe.skipIf(engine === undefined)("an inbox on MariaDB in a transaction of a library", () => {
  for (const name of Object.keys(MYSQL_ORMS) as OrmName[]) {
    transactionSuite(
      name,
      async () => {
        const url = await freshDatabase({ url: engine?.url ?? "" });
        await query(url, "CREATE TABLE effects (effect VARCHAR(100))");
        const orm = MYSQL_ORMS[name](url);
        opened.push(orm);
        const inbox = mysqlInbox(url, { transact: orm.transact, pace });
        return {
          open: () => inbox,
          write: (client, effect) => orm.write(client, "effects", "effect", effect),
          sql: (client, text) => orm.run(client, text),
          effects: async () =>
            (await query(url, "SELECT effect FROM effects")).map(({ effect }) => effect),
        };
      },
      true,
    );
  }
});
