/**
 * Orders in PostgreSQL.
 *
 * @module malipo/checkout/postgres
 */

import type pg from "pg";
import { tableStatementsFor } from "../../idempotency/postgres/statements.ts";
import { postgresIdempotency } from "../../idempotency/postgres/store.ts";
import {
  checkFunction,
  checkOptions,
  checkText,
  type OptionRows,
  optional,
} from "../../internal/check-options.ts";
import { checkTransact } from "../../storage/postgres/check-transact.ts";
import { checkNameLength } from "../../storage/postgres/name-length.ts";
import type { PostgresClient, PostgresPool } from "../../storage/postgres/pool-types.ts";
import type { Inbox } from "../../webhooks/index.ts";
import type { CheckoutStore } from "../checkout-store.ts";
import {
  addDecisionSteps,
  decisionsSteps,
  dueSteps,
  keepSteps,
  listStep,
  orderOfSteps,
  readRow,
  readStep,
  resolveSteps,
  type SqlRow,
  type Step,
  strayStateSteps,
} from "../sql.ts";
import { OWNER, poolFor } from "../../storage/postgres/pool.ts";
import { PostgresTables } from "./checkout-tables.ts";
import { type CheckoutTransact, committer, runOn } from "./commit-change.ts";

export type { PostgresClient, PostgresPool, PostgresResult } from "../../storage/postgres/pool-types.ts";
export type { CheckoutTransact, SqlExecutor } from "./commit-change.ts";

/** How orders are stored in PostgreSQL. */
export interface PostgresCheckoutOptions<Client = unknown> {
  /** The address of the database. Set this or `pool`. */
  connectionString?: string | undefined;
  /** Your own `pg` pool, which you end yourself. */
  pool?: PostgresPool | undefined;
  /**
   * The schema of the tables. Set it if two shops share a database.
   *
   * @default "malipo_checkout"
   */
  schema?: string | undefined;
  /**
   * Runs a transaction of your client: `onPaid` then gets that client, and the goods and "done" commit
   * together. Set it if you write by Prisma, Drizzle, Kysely, Knex or TypeORM. pg-boss exports `fromPrisma`,
   * `fromDrizzle`, `fromKysely` and `fromKnex`. It is tried when the store is opened: a statement that fails rolls back
   * everything, and the rows of an UPDATE are a list of objects.
   *
   * @example
   * ```ts
   * transact: (run) => prisma.$transaction((tx) => run(tx, fromPrisma(tx)))
   * ```
   * TypeORM has no function in pg-boss:
   * ```ts
   * const executorOf = ({ queryRunner }) => ({
   *   executeSql: async (text, values) => ({
   *     rows: (await queryRunner.query(text, values, true)).records ?? [],
   *   }),
   * });
   * transact: (run) => dataSource.transaction((manager) => run(manager, executorOf(manager)))
   * ```
   */
  transact?: CheckoutTransact<Client> | undefined;
  /**
   * Keeps events other than those of payments, for `receiver.on("invoice.paid", ...)`: set it to a
   * `pgBossInbox` on the same database. The store has none of its own: such events wait for a handler with
   * leases and retries, which in PostgreSQL pg-boss does, in its own schema.
   *
   * @default none: such events are acknowledged and dropped
   */
  inbox?: Inbox | undefined;
  /** A secret that keys the digests of phones. Keep it outside the database. */
  pepper?: string | Uint8Array | undefined;
  /** @internal The clock, in milliseconds since 1970. */
  now?: (() => number) | undefined;
}

const SCHEMA_RULE = "lower-case letters, digits and underscores";

function checkSchema(schema = "malipo_checkout"): string {
  checkText("schema", schema, /^[a-z_][a-z0-9_]*$/, SCHEMA_RULE);
  checkNameLength("schema", schema);
  return schema;
}

const OPTIONS = {
  /** {@link poolFor} checks it together with `pool`. */
  connectionString: (address) => address,
  pool: (pool) => pool as pg.Pool | undefined,
  schema: checkSchema,
  transact: (transact) => optional(transact, (given) => checkFunction("transact", given)),
  inbox: (inbox) => inbox,
  /** The store of idempotency keys checks it. */
  pepper: (pepper) => pepper,
  now: (now) => now,
} satisfies OptionRows<PostgresCheckoutOptions>;

/**
 * Keeps orders, attempts, idempotency keys and reviews in PostgreSQL, in one schema beside your tables, for
 * all processes of all machines. Install `pg` yourself.
 *
 * `transaction` passes on the client of your pool. For a `connectionString`, name its type if you need more of it than
 * `query`: `postgresCheckout<pg.PoolClient>({ connectionString })`.
 *
 * @throws {ConfigurationError} for a wrong option.
 *
 * @example
 * ```ts
 * import { createCheckout } from "malipo/checkout";
 * import { postgresCheckout } from "malipo/checkout/postgres";
 *
 * const store = postgresCheckout({ connectionString: "postgres://localhost/shop" });
 * const checkout = createCheckout({
 *   store,
 *   async onPaid(order, { transaction }) {
 *     await transaction((client) => client.query("INSERT INTO tickets (order_id) VALUES ($1)", [order.id]));
 *   },
 * });
 * ```
 */
export function postgresCheckout<Client extends PostgresClient = PostgresClient>(
  options: PostgresCheckoutOptions & {
    pool?: PostgresPool<Client> | undefined;
    transact?: undefined;
  },
): CheckoutStore<Client>;
export function postgresCheckout<Client = unknown>(
  options: PostgresCheckoutOptions<Client> & { transact: CheckoutTransact<Client> },
): CheckoutStore<Client>;
export function postgresCheckout(options: PostgresCheckoutOptions): CheckoutStore {
  const own = checkOptions(options, OPTIONS, OWNER);
  const { schema, transact, inbox, pepper } = own;
  const pool = poolFor(own.connectionString, own.pool);
  const tables = new PostgresTables(pool, schema, own.now);
  const table = `${schema}.idempotency`;
  const idempotency = postgresIdempotency(pool, { table, pepper });
  /** One statement, and its rows. */
  function* one(step: Step): Generator<Step, readonly SqlRow[], readonly SqlRow[]> {
    return yield step;
  }

  return {
    idempotency,
    inbox,
    sql: () => `${tables.sql()};\n${tableStatementsFor(table).migrate};`,
    open: async () => {
      await tables.open();
      if (transact !== undefined) {
        await checkTransact(transact, { owner: OWNER, meta: tables.meta, run: tables.run });
      }
      await idempotency.migrate();
    },
    close: async () => {
      if (own.pool === undefined && !pool.ending) await pool.end();
    },
    read: async (id, transaction) => {
      const run = transaction === undefined ? tables.run : runOn(transaction);
      return readRow((await tables.steps(one(readStep(id)), run))[0]);
    },
    orderOf: (names) => tables.steps(orderOfSteps(names)),
    commit: committer(tables, pool, transact),
    due: (count) => tables.steps(dueSteps(count)),
    list: async (query) =>
      (await tables.steps(one(listStep(query)))).map(({ state }) => JSON.parse(String(state))),
    byPhone: async (phone, count) =>
      (await tables.steps(one(["byPhone", { phone, count }]))).map(({ state }) =>
        JSON.parse(String(state)),
      ),
    keep: (...kept) => tables.transaction((run) => tables.steps(keepSteps(...kept), run)),
    unmatched: async (count) =>
      (await tables.steps(one(["unmatched", { count }]))).map(({ report, at }) => ({
        report: JSON.parse(String(report)),
        at: Number(at),
      })),
    resolve: (...decided) =>
      tables.transaction((run) => tables.steps(resolveSteps(...decided), run)),
    strayOf: (reference) => tables.steps(strayStateSteps(reference)),
    addDecision: (line) => tables.transaction((run) => tables.steps(addDecisionSteps(line), run)),
    decisions: (count) => tables.steps(decisionsSteps(count)),
  };
}
