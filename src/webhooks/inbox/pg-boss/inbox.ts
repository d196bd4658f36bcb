/**
 * An inbox in PostgreSQL, by pg-boss: the effect of an event and its completion in one transaction.
 *
 * @module malipo/inbox/pg-boss
 */

import { PgBoss } from "pg-boss";
import { ConfigurationError } from "../../../errors/configuration.ts";
import {
  checkFunction,
  checkOptions,
  checkText,
  type OptionRows,
  optional,
} from "../../../internal/check-options.ts";
import { checkNameLength } from "../../../storage/postgres/name-length.ts";
import type { Inbox } from "../inbox-types.ts";
import { DEFAULT_PACE, retentionFor } from "../pace.ts";
import { Database, type Transact } from "./database.ts";
import { PgBossInbox } from "./engine.ts";
import { BOSS_OPTIONS, type Tuning } from "./queues.ts";

export type { PgBossTransaction, Transact } from "./database.ts";

interface CommonOptions {
  /**
   * The schema of the inbox's tables and, with `connectionString`, of those of pg-boss. Set it if two
   * pg-boss share a database.
   * @default "malipo_inbox", and "pgboss" for pg-boss
   */
  schema?: string | undefined;
  /**
   * The name of the inbox: its tables and its queues in pg-boss begin with it. Set it if two shops, or
   * two environments, share a database. At most 50 letters, digits, dots, hyphens and underscores.
   * Another name is another, empty inbox: first let the old one run empty.
   * @default "malipo-webhooks"
   */
  queue?: string | undefined;
  /**
   * How long processed events are remembered, in milliseconds, so that late duplicates are recognised:
   * at least one day, at most 68 years. Set it shorter if the database is short of space, but longer
   * than the service retries a delivery.
   * @default 14 days
   */
  retentionMs?: number | undefined;
  /**
   * Runs a transaction of your client: a handler's `transaction` then passes on that client, and ends
   * the event on the same connection. Set it if your handlers write by Prisma, Drizzle, Kysely or Knex.
   * pg-boss exports `fromPrisma`, `fromDrizzle`, `fromKysely` and `fromKnex`.
   *
   * @example
   * ```ts
   * import { fromPrisma } from "pg-boss";
   *
   * const inbox = pgBossInbox({
   *   connectionString,
   *   transact: (run) => prisma.$transaction((tx) => run(tx, fromPrisma(tx))),
   * });
   * ```
   */
  transact?: Transact | undefined;
  /** @internal */
  tuning?: Tuning | undefined;
}

/**
 * Not `malipo`: a user of PostgreSQL who has that name would have this schema before `public` in the
 * search path, and tables made before the schema would not be found any more.
 * @see https://www.postgresql.org/docs/current/ddl-schemas.html#DDL-SCHEMAS-PATH
 */
const DEFAULT_SCHEMA = "malipo_inbox";

const SCHEMA = /^([a-z_]\w*|"[^"]+")$/i;
const SCHEMA_EXPECTED = "the name of a schema, in double quotes if it needs them";

/** The names of tables and indexes begin with it, and PostgreSQL cuts names at 63 bytes. */
const QUEUE = /^[\w.-]{1,50}$/;
const QUEUE_EXPECTED = "1 to 50 letters, digits, dots, hyphens and underscores";

/** What {@link pgBossInbox} takes: the address of a database, or your pg-boss. */
export type PgBossInboxOptions = CommonOptions &
  (
    | { readonly connectionString: string; readonly boss?: undefined }
    | { readonly boss: PgBoss; readonly connectionString?: undefined }
  );

function checkSchema(schema: string): string {
  checkText("schema", schema, SCHEMA, SCHEMA_EXPECTED);
  checkNameLength("schema", schema.replaceAll('"', ""));
  return schema;
}

const OPTIONS = {
  connectionString: (url) => url,
  boss: (boss, { connectionString }) => {
    if ((connectionString === undefined) !== (boss === undefined)) return boss;
    throw new ConfigurationError(
      "pgBossInbox takes either `connectionString` or `boss`: pass exactly one of them.",
    );
  },
  schema: (schema) => optional(schema, checkSchema),
  queue: (queue = "malipo-webhooks") => checkText("queue", queue, QUEUE, QUEUE_EXPECTED),
  retentionMs: (ms, { tuning }) => retentionFor(ms, { ...DEFAULT_PACE, ...tuning?.pace }),
  transact: (transact) => optional(transact, (given) => checkFunction("transact", given)),
  tuning: (tuning = {}) => tuning,
} satisfies OptionRows<PgBossInboxOptions>;

/**
 * Stores events in PostgreSQL, and processes them by pg-boss: in any process on that database. A
 * handler's `transaction` runs its own writes and "processed" in one transaction: each event has its
 * effect once. Install `pg-boss` and `pg` yourself.
 *
 * Your own pg-boss is started if you have not started it, and you stop it. Create it with
 * `monitorIntervalSeconds: 10` and `superviseIntervalSeconds: 10`, so that the events of a process that
 * died are retried within a minute.
 *
 * PgBouncer in transaction mode works.
 *
 * @throws {ConfigurationError} for an unknown option, a wrong value, or not exactly one of
 * `connectionString` and `boss`.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver } from "malipo/webhooks";
 * import { pgBossInbox, type PgBossTransaction } from "malipo/inbox/pg-boss";
 *
 * const inbox = pgBossInbox({ connectionString: "postgres://localhost/shop" });
 * const receiver = createWebhookReceiver({ secret, inbox });
 * receiver.on("payment.completed", async (event, { transaction }) => {
 *   await transaction(async (client: PgBossTransaction) => {
 *     await client.query("UPDATE orders SET paid = true WHERE payment = $1", [event.data.reference]);
 *   });
 * });
 * ```
 */
export function pgBossInbox(options: PgBossInboxOptions): Inbox {
  const own = checkOptions(options, OPTIONS, "pgBossInbox");
  const { connectionString, boss, schema, retentionMs, transact, tuning } = own;
  const database =
    connectionString === undefined
      ? undefined
      : new Database(String(connectionString), tuning.boss?.max);
  return new PgBossInbox(boss ?? createBoss(database as Database, schema, tuning), {
    inbox: own.queue,
    schema: schema ?? DEFAULT_SCHEMA,
    retentionMs,
    tuning,
    database,
    transact,
  }).open();
}

function createBoss(db: Database, schema: string | undefined, tuning: Tuning): PgBoss {
  try {
    const { max: _, ...options } = tuning.boss ?? {};
    return new PgBoss({ ...BOSS_OPTIONS, db, ...(schema !== undefined && { schema }), ...options });
  } catch (error) {
    // pg-boss checks the name of the schema.
    throw new ConfigurationError(`pg-boss rejects the options: ${(error as Error).message}`);
  }
}
