/**
 * Orders in PostgreSQL.
 *
 * @module malipo/checkout/postgres
 */

import type pg from "pg";
import { postgresIdempotency } from "../../idempotency/postgres/store.ts";
import { KEYS } from "../../idempotency/tables.ts";
import {
  checkFunction,
  checkOptions,
  checkText,
  type OptionRows,
  optional,
} from "../../internal/check-options.ts";
import { checkNameLength } from "../../storage/postgres/name-length.ts";
import { poolFor } from "../../storage/postgres/pool.ts";
import type { PostgresClient, PostgresPool } from "../../storage/postgres/pool-types.ts";
import { PostgresRoom } from "../../storage/postgres/postgres-room.ts";
import type { Transact } from "../../storage/postgres/transact.ts";
import type { Inbox } from "../../webhooks/index.ts";
import type { CheckoutStore } from "../checkout-store.ts";
import { sqlCheckout } from "../sql-store.ts";
import { ORDERS } from "../tables.ts";

export type {
  PostgresClient,
  PostgresPool,
  PostgresResult,
} from "../../storage/postgres/pool-types.ts";
export type { SqlExecutor, Transact as CheckoutTransact } from "../../storage/postgres/transact.ts";

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
  transact?: Transact<Client> | undefined;
  /**
   * Keeps events other than those of payments, for `receiver.on("invoice.paid", ...)`: set it to a
   * `postgresInbox` on the same database. The store has none of its own: such events wait for a handler with
   * leases and retries.
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
  options: PostgresCheckoutOptions<Client> & { transact: Transact<Client> },
): CheckoutStore<Client>;
export function postgresCheckout(options: PostgresCheckoutOptions): CheckoutStore {
  const own = checkOptions(options, OPTIONS, "postgresCheckout");
  const { schema, transact, inbox, pepper } = own;
  const pool = poolFor(own.connectionString, own.pool);
  const isOwnPool = own.pool === undefined;
  const room = new PostgresRoom({ pool, isOwnPool, schema, transact, now: own.now });
  const table = `${schema}.idempotency`;
  const idempotency = postgresIdempotency(pool, { table, pepper });
  return sqlCheckout(room.tables(ORDERS), {
    idempotency,
    inbox,
    sql: () => room.sql([ORDERS, KEYS]),
    open: async () => {
      await room.open();
      await idempotency.migrate();
    },
    close: () => room.close(),
  });
}
