/**
 * Everything in one schema of PostgreSQL: idempotency keys, events and orders, for all processes of all machines.
 *
 * @module malipo/postgres
 */

import type pg from "pg";
import type { CheckoutEngine, CheckoutStore } from "../checkout/orders/checkout-store.ts";
import type { Wakeups } from "../client/wakeups/local.ts";
import { type PostgresWakeups, postgresWakeups } from "../client/wakeups/postgres-wakeups.ts";
import type { WakeupsEngine } from "../client/wakeups/wakeups-engine.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import type { IdempotencyEngine } from "../idempotency/idempotency-engine.ts";
import type { IdempotencyStore } from "../idempotency/idempotency-store.ts";
import { type IdempotencyStoreOptions, STORE_OPTIONS } from "../idempotency/store-options.ts";
import {
  checkFunction,
  checkOptions,
  checkText,
  type OptionRows,
  optional,
  wrongOption,
} from "../internal/check-options.ts";
import { isObject } from "../internal/is-object.ts";
import { checkNameLength } from "../storage/postgres/name-length.ts";
import { poolFor } from "../storage/postgres/pool.ts";
import type { PostgresClient, PostgresPool } from "../storage/postgres/pool-types.ts";
import { PostgresRoom } from "../storage/postgres/postgres-room.ts";
import type { Transact } from "../storage/try-transact.ts";
import type { InboxEngine, InboxOptions } from "../webhooks/inbox/inbox-engine.ts";
import type { Inbox } from "../webhooks/inbox/inbox-types.ts";
import { EngineLife, lateWakeups, type StoredPart, type StoredSettings } from "./engine-life.ts";
import { SqlEngine } from "./sql-engine.ts";

export type { CheckoutEngine } from "../checkout/orders/checkout-store.ts";
export type { WakeupsEngine } from "../client/wakeups/wakeups-engine.ts";
export type { IdempotencyEngine } from "../idempotency/idempotency-engine.ts";
export type { IdempotencyStoreOptions } from "../idempotency/store-options.ts";
export type {
  PostgresClient,
  PostgresPool,
  PostgresResult,
} from "../storage/postgres/pool-types.ts";
export type { SqlExecutor, Transact } from "../storage/try-transact.ts";
export type { InboxEngine, InboxOptions } from "../webhooks/inbox/inbox-engine.ts";

/** How an engine works on PostgreSQL. */
export interface PostgresOptions<Client = unknown> {
  /**
   * The schema of all tables. Set it if two shops, or two environments, share a database. Lower-case letters,
   * digits and underscores.
   *
   * @default "malipo_checkout"
   */
  schema?: string | undefined;
  /**
   * Runs a transaction of your client: `onPaid` and the `transaction` of a handler then get that client, and
   * your writes and "done" commit together. Set it if you write by Prisma, Drizzle, Kysely, Knex or TypeORM.
   * It is tried before its first use: a statement that fails rolls back everything, and the rows of an UPDATE are
   * a list of objects.
   *
   * @default a transaction on a client of the pool
   * @example
   * ```ts
   * const executorOf = (tx) => ({
   *   executeSql: async (text, values = []) => ({ rows: await tx.$queryRawUnsafe(text, ...values) }),
   * });
   * transact: (run) => prisma.$transaction((tx) => run(tx, executorOf(tx)))
   * ```
   * With TypeORM:
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
   * A secret that keys the digests of phones, amounts and account references. Keep it outside the database,
   * give every process the same one, and do not change it. Set it if others may read the database.
   *
   * @default none
   */
  pepper?: string | Uint8Array | undefined;
  /**
   * The channel of LISTEN and NOTIFY that carries wake-ups: lower-case letters, digits and underscores, 63 at
   * most. Set it if two applications share a database.
   *
   * @default "malipo_wakeups"
   */
  channel?: string | undefined;
  /**
   * The pool from which the one connection is taken that listens for wake-ups. Set it if the engine goes through
   * PgBouncer in transaction mode, which cannot listen: a pool that goes straight to the database, with `max: 1`.
   *
   * @default the pool of the engine
   */
  listenPool?: Pick<PostgresPool, "connect"> | undefined;
  /** @internal The clock of orders, in milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/** What {@link postgres} returns. */
export interface PostgresEngine<Client = PostgresClient>
  extends IdempotencyEngine,
    InboxEngine,
    CheckoutEngine<Client>,
    WakeupsEngine {
  /**
   * The store of idempotency keys. The same options return the same store. Every change is on the disk before
   * it is acknowledged, whatever `synchronous_commit` is set to.
   *
   * @param options - `pepper` has the default of the engine.
   * @throws {ConfigurationError} for a wrong option, and after `close`.
   */
  idempotency(options?: IdempotencyStoreOptions): IdempotencyStore;
  /**
   * An inbox. A handler's `transaction` runs its own writes and "processed" in one transaction: it passes on a
   * client of the pool, or yours with `transact`.
   *
   * @throws {ConfigurationError} for a wrong option, and after `close`.
   */
  inbox(options?: InboxOptions): Inbox;
  /**
   * The store of orders, with the idempotency keys and the inbox of this engine. A checkout that stops does not close
   * the engine.
   *
   * @throws {ConfigurationError} after `close`.
   */
  checkout(): CheckoutStore<Client>;
  /**
   * Wake-ups between machines, over LISTEN and NOTIFY: a webhook that arrives at one ends a wait at another with
   * the next read. They are only hints: a lost one makes a wait some seconds longer, and loses no payment. It
   * keeps one connection to listen, from the first wait on.
   *
   * @throws {ConfigurationError} after `close`.
   */
  wakeups(): Wakeups;
  /**
   * All SQL that makes the tables, for a role that may, if the role of the shop may not. Grant the role of the shop
   * their use. Otherwise, each is made at its first use.
   */
  sql(): string;
  /**
   * Makes the tables that are missing, and tries `transact`.
   *
   * @throws {ConfigurationError} if the role may not make them, for tables of another version, and for a
   * `transact` of which a later payment would fail.
   */
  open(): Promise<void>;
  /** Ends what the engine has opened. A pool that you passed stays open. Call it when the process stops. */
  close(): Promise<void>;
  /**
   * Says what is wrong, a sentence for each: settings with which the database loses what it acknowledged, missing
   * rights, tables of another version, or that it cannot be reached. Makes nothing. An empty list says that
   * nothing was found.
   */
  check(): Promise<string[]>;
  /** @internal What is stored of a part; `undefined` if nothing is. It makes nothing. */
  stored(part: StoredPart): Promise<StoredSettings | undefined>;
}

const CHANNEL = "1 to 63 lower-case letters, digits and underscores, and not begin with a digit";

const SCHEMA = /^[a-z_][a-z0-9_]*$/;

function checkSchema(schema = "malipo_checkout"): string {
  checkText("schema", schema, SCHEMA, "lower-case letters, digits and underscores");
  checkNameLength("schema", schema);
  return schema;
}

const OPTIONS = {
  schema: checkSchema,
  transact: (transact) => optional(transact, (given) => checkFunction("transact", given)),
  pepper: STORE_OPTIONS.pepper,
  channel: (channel) =>
    optional(channel, (name) => checkText("channel", name, /^[a-z_][a-z0-9_]{0,62}$/, CHANNEL)),
  listenPool: (pool) => optional(pool, (given) => checkPool("listenPool", given)),
  now: (now) => now,
} satisfies OptionRows<PostgresOptions>;

function checkPool<Pool>(name: string, pool: Pool): Pool {
  if (isObject(pool) && typeof pool.connect === "function") return pool;
  throw wrongOption(name, name === "source" ? "an address or a pg pool" : "a pg pool", pool);
}

/**
 * Keeps everything in PostgreSQL, in one schema beside your tables: idempotency keys, events and orders are safe
 * across crashes of all machines that share the database, and of the database. Install `pg` yourself.
 *
 * Pass the engine to each option that stores. Tables are made at their first use, if the role may make them.
 * PgBouncer in transaction mode works. Nothing is safe if the database loses what it acknowledged: with `fsync = off`,
 * or when a standby that is replicated asynchronously takes over.
 *
 * `transaction` passes on the client of your pool. For an address, name its type if you need more of it than
 * `query`: `postgres<pg.PoolClient>(url)`.
 *
 * @param source - The address of the database, or your own `pg` pool, which you end yourself. Give a pool an `error`
 * listener, as pg asks: without one, a lost connection ends the process.
 * @throws {ConfigurationError} for a wrong option.
 *
 * @example
 * ```ts
 * import { createCheckout } from "malipo/checkout";
 * import { postgres } from "malipo/postgres";
 *
 * const db = postgres("postgres://localhost/shop");
 * const checkout = createCheckout({
 *   store: db,
 *   async onPaid(order, { transaction }) {
 *     await transaction((client) => client.query("INSERT INTO tickets (order_id) VALUES ($1)", [order.id]));
 *   },
 * });
 * ```
 */
export function postgres<Client extends PostgresClient = PostgresClient>(
  source: string | PostgresPool<Client>,
  options?: PostgresOptions & { transact?: undefined },
): PostgresEngine<Client>;
export function postgres<Client = unknown>(
  source: string | PostgresPool,
  options: PostgresOptions<Client> & { transact: Transact<Client> },
): PostgresEngine<Client>;
export function postgres(
  source: string | PostgresPool,
  given: PostgresOptions = {},
): PostgresEngine<unknown> {
  const own = checkOptions(given, OPTIONS, "postgres");
  if (typeof source !== "string") checkPool("source", source);
  const { schema, transact, now, pepper, channel, listenPool } = own;
  const life = new EngineLife("postgres(url)");
  const isOwnPool = typeof source === "string";
  const pool = isOwnPool ? poolFor(source, undefined) : (source as unknown as pg.Pool);
  const room = new PostgresRoom<unknown>({ pool, isOwnPool, schema, transact, now });
  const place = () => placeOf(source, schema);
  const options = { owner: "postgres", pepper, onWarning: undefined, place };
  const engine = new SqlEngine(room, life, options);
  const { idempotency, inbox, checkout, sql, open, check, stored } = engine;
  const wakeups = lateWakeups(
    life,
    (): PostgresWakeups => postgresWakeups({ pool, listenPool: listenPool ?? pool }, { channel }),
  );
  return {
    ...{ idempotency, inbox, checkout, sql, open, check, stored },
    wakeups: () => {
      life.check();
      // The listener would keep the only connection, and all else would wait for it.
      if (listenPool === undefined && pool.options?.max === 1) throw noPlaceToListen();
      return wakeups;
    },
    close: () => life.close(),
  };
}

/** See `Inbox.place`. A pool that does not tell its database is known by itself. */
function placeOf(source: string | PostgresPool, schema: string): unknown {
  if (typeof source === "string") return JSON.stringify(["postgres", source, schema]);
  const { options } = source as Partial<pg.Pool>;
  if (options === undefined) return source;
  const { connectionString, host, port, database } = options;
  return JSON.stringify(["postgres", { connectionString, host, port, database }, schema]);
}

const noPlaceToListen = () =>
  new ConfigurationError(
    "postgres: the pool has one connection, and `wakeups` keeps one to listen: nothing else could be done. Set `max` of the pool to 2 or more, or pass `listenPool`.",
  );
