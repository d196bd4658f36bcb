import { type PgBossTransaction, pgBossInbox } from "malipo/inbox/pg-boss";
import { Client } from "pg";
import { afterAll, describe } from "vitest";
import { inboxSuite } from "../../conformance/inbox.ts";
import { engineSuite } from "../../conformance/inbox-engine.ts";
import { killSuite } from "../../conformance/inbox-kills.ts";
import { transactionSuite } from "../../conformance/inbox-transaction.ts";
import { startPostgres } from "../../engines/postgres.ts";

const engine = await startPostgres();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const tuning = {
  boss: { monitorIntervalSeconds: 1, superviseIntervalSeconds: 1 },
  queue: { heartbeatSeconds: 10, retryBackoff: false, retryDelay: 0, retryDelayMax: null },
};

async function query(text: string, values: unknown[] = []) {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query(text, values);
  await client.end();
  return rows;
}
let tables = 0;

describe.skipIf(engine === undefined)("with a PostgreSQL", () => {
  inboxSuite("pgBossInbox", {
    countsWhatIsHandedBack: true,
    fresh: async () => {
      const queue = `malipo-test-${crypto.randomUUID()}`;
      return {
        open: () => pgBossInbox({ connectionString: url, queue, tuning }),
        conflicts: async () => {
          const text = "SELECT data->>'body' AS body FROM pgboss.job WHERE name = $1";
          return (await query(text, [`${queue}-conflicts`])).map(({ body }) => body);
        },
      };
    },
  });

  transactionSuite("pgBossInbox", async () => {
    const table = `effects_${++tables}`;
    await query(`CREATE TABLE ${table} (effect TEXT)`);
    const inbox = pgBossInbox({ connectionString: url, queue: `malipo-test-${table}`, tuning });
    return {
      open: () => inbox,
      write: (connection, effect) =>
        (connection as PgBossTransaction).query(`INSERT INTO ${table} VALUES ($1)`, [effect]),
      effects: async () => (await query(`SELECT effect FROM ${table}`)).map(({ effect }) => effect),
    };
  });

  killSuite("pg-boss", () => url);
  engineSuite("pgBossInbox", engine, (url, queue) =>
    pgBossInbox({ connectionString: url, queue, tuning }),
  );
});
