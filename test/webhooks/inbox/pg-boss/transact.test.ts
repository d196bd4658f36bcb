import { afterAll, describe } from "vitest";
import { pgBossInbox } from "../../../../src/webhooks/inbox/pg-boss/inbox.ts";
import { transactionSuite } from "../../../suites/inbox-transaction.ts";
import { sharedPostgres } from "../../../support/engines/shared.ts";
import { ORMS, type OrmName } from "../../../support/orms.ts";
import { freshQueue, query, tuning } from "./stage.ts";

const engine = await sharedPostgres();
const { url = "" } = engine ?? {};
const opened: { close(): Promise<unknown> }[] = [];
afterAll(async () => {
  await Promise.all(opened.map((orm) => orm.close()));
  await engine?.stop();
});

describe.skipIf(engine === undefined)("pgBossInbox in a transaction of the user's client", () => {
  for (const name of Object.keys(ORMS) as OrmName[]) {
    transactionSuite(name, async () => {
      const orm = ORMS[name](url);
      opened.push(orm);
      const queue = freshQueue();
      const table = queue.replaceAll("-", "_");
      await query(url, `CREATE TABLE ${table} (effect TEXT)`);
      const { transact } = orm;
      const inbox = pgBossInbox({ connectionString: url, queue, transact, tuning });
      return {
        open: () => inbox,
        write: (client, effect) => orm.write(client, table, "effect", effect),
        sql: (client, text) => orm.run(client, text),
        effects: async () =>
          (await query(url, `SELECT effect FROM ${table}`)).map(({ effect }) => effect),
      };
    });
  }
});
