import { afterAll, describe, expect, test } from "vitest";
import { receiverOn, stopAll } from "../../../suites/inbox-stage.ts";
import { transactionSuite } from "../../../suites/inbox-transaction.ts";
import { sharedPostgres } from "../../../support/engines/shared.ts";
import type { OrmName } from "../../../support/orms/orm.ts";
import { POSTGRES_ORMS } from "../../../support/orms/postgres-orms.ts";
import { postgresInbox } from "../../../support/stores/postgres-inbox.ts";
import { freshSchema, pace, query } from "./stage.ts";

const engine = await sharedPostgres();
const { url = "" } = engine ?? {};
const opened: { close(): Promise<unknown> }[] = [];
afterAll(async () => {
  await Promise.all(opened.map((orm) => orm.close()));
  await engine?.stop();
});

describe.skipIf(engine === undefined)("postgresInbox in a transaction of the user's client", () => {
  for (const name of Object.keys(POSTGRES_ORMS) as OrmName[]) {
    transactionSuite(
      name,
      async () => {
        const orm = POSTGRES_ORMS[name](url);
        opened.push(orm);
        const schema = freshSchema();
        const table = `${schema}_effects`;
        await query(url, `CREATE TABLE ${table} (effect TEXT)`);
        const { transact } = orm;
        const inbox = postgresInbox({ connectionString: url, schema, transact, pace });
        return {
          open: () => inbox,
          write: (client, effect) => orm.write(client, table, "effect", effect),
          sql: (client, text) => orm.run(client, text),
          effects: async () =>
            (await query(url, `SELECT effect FROM ${table}`)).map(({ effect }) => effect),
        };
      },
      true,
    );
  }

  describe("a transact that is none", () => {
    stopAll();

    test("is reported, and nothing is acknowledged", async () => {
      const inbox = postgresInbox({
        connectionString: url,
        schema: freshSchema(),
        pace,
        transact: (run) => run(undefined, undefined as never),
      });
      const receiver = receiverOn(inbox);
      expect(await receiver.post("PAY-1")).toEqual([503, "cannot be stored now"]);
      expect(receiver.onError.mock.calls[0]?.[0]).toMatchObject({ code: "configuration" });
    });
  });
});
