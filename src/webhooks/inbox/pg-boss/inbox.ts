/**
 * An inbox in PostgreSQL, by pg-boss: the effect of an event and its completion in one transaction.
 *
 * @module malipo/inbox/pg-boss
 */

import { PgBoss } from "pg-boss";
import { ConfigurationError } from "../../../errors/configuration.ts";
import { ownOptions } from "../../../internal/check-options.ts";
import { checkRetention } from "../pace.ts";
import type { Inbox } from "../types.ts";
import { PgBossInbox } from "./engine.ts";
import { BOSS_OPTIONS, type Tuning } from "./queues.ts";

export type { PgBossTransaction } from "./transaction.ts";

interface CommonOptions {
  /**
   * The queue's name. Dead letters and conflicts are in queues beside it, `<queue>-dead` and
   * `<queue>-conflicts`. Set it where two shops, or two environments, share a database.
   * @default "malipo-webhooks"
   */
  queue?: string | undefined;
  /**
   * How long processed events are remembered, in milliseconds, so that late duplicates are recognised.
   * Set it shorter where the database is short of space, but longer than the service retries a
   * delivery.
   * @default 14 days
   */
  retentionMs?: number | undefined;
  /** @internal */
  tuning?: Tuning | undefined;
}

/** What {@link pgBossInbox} takes: the address of a database, or a pg-boss of your own. */
export type PgBossInboxOptions = CommonOptions &
  (
    | {
        readonly connectionString: string;
        /**
         * The schema of pg-boss in that database. Set it where your tables are named like that, or
         * where the database has a pg-boss of another version.
         * @default "pgboss"
         */
        readonly schema?: string | undefined;
        readonly boss?: undefined;
      }
    | {
        readonly boss: PgBoss;
        readonly connectionString?: undefined;
        readonly schema?: undefined;
      }
  );

const OPTIONS = ["connectionString", "boss", "schema", "queue", "retentionMs", "tuning"];

/**
 * Keeps deliveries in a pg-boss queue: one job for each event, processed by any process on that
 * PostgreSQL. A handler's `transaction` runs its own writes to that database and "processed" in one
 * transaction: each event has its effect once. Install `pg-boss` yourself.
 *
 * A pg-boss of your own is started where you have not started it, and you stop it. Create it with
 * `monitorIntervalSeconds: 10`, `superviseIntervalSeconds: 10` and `maintenanceIntervalSeconds: 600`, so
 * that the events of a process that died are retried within a minute, and what is over is deleted.
 *
 * Only a digest stays of a processed event, about 350 bytes. PgBouncer in transaction mode works.
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
 *     await client.query("UPDATE orders SET paid = true WHERE id = $1", [event.data.account_reference]);
 *   });
 * });
 * ```
 */
export function pgBossInbox(options: PgBossInboxOptions): Inbox {
  const own = ownOptions(options, OPTIONS, "pgBossInbox");
  const { connectionString, boss, schema, queue = "malipo-webhooks", tuning = {} } = own;
  const retentionMs = checkRetention(own.retentionMs);
  if ((connectionString === undefined) === (boss === undefined)) {
    throw new ConfigurationError(
      "pgBossInbox takes either `connectionString` or `boss`: pass exactly one of them.",
    );
  }
  if (boss !== undefined && schema !== undefined) {
    throw new ConfigurationError(
      "`schema` goes with `connectionString`. Your own pg-boss has its schema already: leave the option out.",
    );
  }
  if (schema === "") {
    throw new ConfigurationError("`schema` must be the name of a schema; got an empty string.");
  }
  const isOwnBoss = boss === undefined;
  const inbox = new PgBossInbox(boss ?? createBoss(String(connectionString), schema, tuning), {
    queue,
    schema,
    retentionMs,
    tuning,
    isOwnBoss,
  });
  // Functions of their own, so that an inbox may be spread into another.
  return {
    accept: (delivery) => inbox.accept(delivery),
    start: (workerOptions) => inbox.start(workerOptions),
    stop: (timeoutMs) => inbox.stop(timeoutMs),
    stats: () => inbox.stats(),
    deadLetters: inbox.lists.deadLetters,
    conflicts: inbox.lists.conflicts,
    retentionMs,
  };
}

function createBoss(connectionString: string, schema: string | undefined, tuning: Tuning): PgBoss {
  try {
    return new PgBoss({
      ...BOSS_OPTIONS,
      connectionString,
      ...(schema !== undefined && { schema }),
      ...tuning.boss,
    });
  } catch (error) {
    // pg-boss checks the name of the schema.
    throw new ConfigurationError(`pg-boss rejects the options: ${(error as Error).message}`);
  }
}
