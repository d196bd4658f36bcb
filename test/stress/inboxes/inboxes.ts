import { writeFileSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { memory } from "malipo";
import { type PostgresClient, postgres } from "malipo/postgres";
import { redis } from "malipo/redis";
import { sqlite } from "malipo/sqlite";
import type { HandlerContext, Inbox } from "malipo/webhooks";
import { Client } from "pg";
import type { Orm, OrmName } from "../../support/orms/orm.ts";

/** The data of a shop: `store` is a path or an address, `ledger` a path. */
export interface SoakStore {
  readonly store: string;
  readonly queue: string;
  readonly ledger: string;
  /** For tests: a short lease, and retries without a wait. */
  readonly leaseMs?: number | undefined;
  /** With which library the shop writes, in the transaction of an inbox in PostgreSQL. */
  readonly orm?: OrmName | undefined;
}

/** The effect of one event, once: through the inbox's transaction, or the idempotency key. */
type Effect = (
  reference: string,
  context: HandlerContext,
  /** Called when the effect is written and not committed. */
  halfway: () => void,
) => Promise<void>;

/** One inbox with the shop around it. */
export interface Shop {
  /** Creates the table of effects. */
  prepare(place: SoakStore): Promise<void>;
  open(place: SoakStore, orm?: Orm): { readonly inbox: Inbox; readonly effect: Effect };
  /** The references that had an effect, each as often as it had one. */
  effects(place: SoakStore): Promise<string[]>;
}

const TABLE = "CREATE TABLE IF NOT EXISTS effects (reference TEXT NOT NULL)";
const LEDGER =
  "CREATE TABLE IF NOT EXISTS effects (idempotency_key TEXT PRIMARY KEY, reference TEXT NOT NULL)";
const INSERT = "INSERT INTO effects (reference) VALUES";

const paceOf = ({ leaseMs }: Pick<SoakStore, "leaseMs">) =>
  leaseMs === undefined ? {} : { pace: { leaseMs, backoffMs: () => 20 } };

function open(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF");
  return database;
}

function create(path: string, table: string): void {
  // With another mode, the inbox would report it.
  writeFileSync(path, "", { mode: 0o600, flag: "a" });
  const database = open(path);
  database.exec(table);
  database.close();
}

function readEffects(path: string): string[] {
  const database = open(path);
  const rows = database.prepare("SELECT reference FROM effects").all();
  database.close();
  return rows.map(({ reference }) => reference as string);
}

/** A service of another company: it accepts each idempotency key once. */
const byKey = (inbox: (place: SoakStore) => Inbox): Shop => ({
  prepare: async ({ ledger }) => create(ledger, LEDGER),
  open: (place) => {
    const ship = open(place.ledger).prepare("INSERT OR IGNORE INTO effects VALUES (?, ?)");
    return {
      inbox: inbox(place),
      effect: async (reference, { idempotencyKey }, halfway) => {
        ship.run(idempotencyKey, reference);
        halfway();
      },
    };
  },
  effects: async ({ ledger }) => readEffects(ledger),
});

async function inPostgres<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const tableOf = (queue: string) => queue.replaceAll("-", "_");

/** The values of `--inbox`. */
export const SHOPS = {
  memory: byKey((place) => memory().inbox(paceOf(place))),
  sqlite: {
    prepare: async ({ store }) => create(store, TABLE),
    open: (place) => {
      const db = sqlite(place.store);
      // At the first effect: a frozen process may have the file locked until then.
      let insert: StatementSync | undefined;
      return {
        inbox: db.inbox(paceOf(place)),
        effect: async (reference, { transaction }, halfway) => {
          await transaction(() => {
            insert ??= db.database.prepare(`${INSERT} (?)`);
            insert.run(reference);
            halfway();
          });
        },
      };
    },
    effects: async ({ store }) => readEffects(store),
  },
  bullmq: byKey((place) => redis(place.store).inbox({ queue: place.queue, ...paceOf(place) })),
  postgres: {
    prepare: ({ store, queue }) =>
      inPostgres(store, async (client) => {
        await client.query(
          `CREATE TABLE IF NOT EXISTS ${tableOf(queue)} (reference TEXT NOT NULL)`,
        );
      }),
    open: ({ store, queue, leaseMs }, orm) => {
      const schema = tableOf(`${queue}_inbox`);
      const db =
        orm === undefined
          ? postgres(store, { schema })
          : postgres(store, { schema, transact: orm.transact });
      const insert = (client: PostgresClient, reference: string) =>
        client.query(`INSERT INTO ${tableOf(queue)} (reference) VALUES ($1)`, [reference]);
      return {
        inbox: db.inbox(paceOf({ leaseMs })),
        effect: async (reference, { transaction }, halfway) => {
          await transaction(async (client: PostgresClient) => {
            if (orm === undefined) await insert(client, reference);
            else await orm.write(client, tableOf(queue), "reference", reference);
            halfway();
          });
        },
      };
    },
    effects: ({ store, queue }) =>
      inPostgres(store, async (client) => {
        const { rows } = await client.query(`SELECT reference FROM ${tableOf(queue)}`);
        return rows.map(({ reference }) => reference);
      }),
  },
} as const satisfies Record<string, Shop>;

export type InboxName = keyof typeof SHOPS;
