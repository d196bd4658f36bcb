/**
 * Everything in one database of MariaDB or MySQL: idempotency keys, events and orders, for all processes of all machines.
 *
 * @module malipo/mysql
 */

import type { Pool, PoolConnection } from "mysql2/promise";
import type { CheckoutEngine, CheckoutStore } from "../checkout/orders/checkout-store.ts";
import type { IdempotencyEngine } from "../idempotency/idempotency-engine.ts";
import type { IdempotencyStore } from "../idempotency/idempotency-store.ts";
import { type IdempotencyStoreOptions, STORE_OPTIONS } from "../idempotency/store-options.ts";
import {
  checkFunction,
  checkOptions,
  type OptionRows,
  optional,
} from "../internal/check-options.ts";
import { MysqlRoom } from "../storage/mysql/mysql-room.ts";
import type { Transact } from "../storage/try-transact.ts";
import type { InboxEngine, InboxOptions } from "../webhooks/inbox/inbox-engine.ts";
import type { Inbox } from "../webhooks/inbox/inbox-types.ts";
import { EngineLife, type StoredPart, type StoredSettings } from "./engine-life.ts";
import { SqlEngine } from "./sql-engine.ts";

export type { CheckoutEngine } from "../checkout/orders/checkout-store.ts";
export type { IdempotencyEngine } from "../idempotency/idempotency-engine.ts";
export type { IdempotencyStoreOptions } from "../idempotency/store-options.ts";
export type { SqlExecutor, Transact } from "../storage/try-transact.ts";
export type { InboxEngine, InboxOptions } from "../webhooks/inbox/inbox-engine.ts";

/** A pool of `mysql2`, whose functions take callbacks. */
export interface MysqlCallbackPool {
  /** The same pool with functions that return promises. */
  promise(): Pool;
}

/** A pool of `mysql2/promise`, or of `mysql2`. */
export type MysqlPool = Pool | MysqlCallbackPool;

/** How an engine works on MariaDB or MySQL. */
export interface MysqlOptions<Client = unknown> {
  /**
   * Runs a transaction of your client: `onPaid` and the `transaction` of a handler then get that client, and
   * your writes and "done" commit together. Set it if you write by a library of your own. It is tried before its first
   * use: its transactions have the isolation level READ COMMITTED, and the rows of a SELECT are a list of objects.
   *
   * @default a transaction on a connection of the pool
   * @example
   * ```ts
   * const executorOf = (tx) => ({
   *   executeSql: async (text, values) => ({ rows: (await tx.raw(text, values))[0] }),
   * });
   * transact: (run) =>
   *   knex.transaction((tx) => run(tx, executorOf(tx)), { isolationLevel: "read committed" })
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
  /** @internal The clock of orders, in milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/** What {@link mysql} returns. */
export interface MysqlEngine<Client = PoolConnection>
  extends IdempotencyEngine,
    InboxEngine,
    CheckoutEngine<Client> {
  /**
   * The store of idempotency keys. The same options return the same store.
   *
   * @param options - `pepper` has the default of the engine.
   * @throws {ConfigurationError} for a wrong option, and after `close`.
   */
  idempotency(options?: IdempotencyStoreOptions): IdempotencyStore;
  /**
   * An inbox. A handler's `transaction` runs its own writes and "processed" in one transaction: it passes on a
   * connection of the pool, or your client with `transact`.
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
   * All SQL that makes the tables, for a user who may, if the user of the shop may not. Grant the user of the shop
   * their use. Otherwise, each is made at its first use.
   */
  sql(): string;
  /**
   * Makes the tables that are missing, and tries `transact`.
   *
   * @throws {ConfigurationError} if the user may not make them, for tables of another version, for settings with which
   * the server would change what is stored, and for a `transact` of which a later payment would fail.
   */
  open(): Promise<void>;
  /** Ends what the engine has opened. A pool that you passed stays open. Call it when the process stops. */
  close(): Promise<void>;
  /**
   * Says what is wrong, a sentence for each: missing rights, settings with which the server loses what it acknowledged,
   * tables of another version, or that it cannot be reached. Makes nothing. An empty list says that nothing was found.
   */
  check(): Promise<string[]>;
  /** @internal What is stored of a part; `undefined` if nothing is. It makes nothing. */
  stored(part: StoredPart): Promise<StoredSettings | undefined>;
}

const OPTIONS = {
  transact: (transact) => optional(transact, (given) => checkFunction("transact", given)),
  pepper: STORE_OPTIONS.pepper,
  now: (now) => now,
} satisfies OptionRows<MysqlOptions>;

/**
 * Keeps everything in a database of MariaDB 10.6 or MySQL 8.0, beside your tables: idempotency keys, events and
 * orders are safe across crashes of all machines that share the database, and of the database. Install `mysql2` yourself.
 *
 * Pass the engine to each option that stores. Tables are made at their first use, if the user may make them, and begin
 * with `malipo_`. Nothing is safe if the database loses what it acknowledged: with `innodb_flush_log_at_trx_commit`
 * other than 1, or when a replica that lags behind takes over.
 *
 * It carries no wake-ups between processes: in one process, use `createWakeups()`.
 *
 * @param source - The address of the database, or your own pool of `mysql2`, which you end yourself.
 * @throws {ConfigurationError} for a wrong option.
 *
 * @example
 * ```ts
 * import { createCheckout } from "malipo/checkout";
 * import { mysql } from "malipo/mysql";
 *
 * const db = mysql("mysql://localhost/shop");
 * const checkout = createCheckout({
 *   store: db,
 *   async onPaid(order, { transaction }) {
 *     await transaction((connection) => connection.query("INSERT INTO tickets (order_id) VALUES (?)", [order.id]));
 *   },
 * });
 * ```
 */
export function mysql(
  source: string | MysqlPool,
  options?: MysqlOptions & { transact?: undefined },
): MysqlEngine;
export function mysql<Client = unknown>(
  source: string | MysqlPool,
  options: MysqlOptions<Client> & { transact: Transact<Client> },
): MysqlEngine<Client>;
export function mysql(source: string | MysqlPool, given: MysqlOptions = {}): MysqlEngine<unknown> {
  const { transact, now, pepper } = checkOptions(given, OPTIONS, "mysql");
  const life = new EngineLife("mysql(url)");
  const room = new MysqlRoom<unknown>({ source, transact, now });
  // A pool is known by itself: it does not tell its database.
  const place = () => (typeof source === "string" ? `mysql ${source}` : source);
  const options = { owner: "mysql", pepper, onWarning: undefined, place };
  const { idempotency, inbox, checkout, sql, open, check, stored } = new SqlEngine(
    room,
    life,
    options,
  );
  return { idempotency, inbox, checkout, sql, open, check, stored, close: () => life.close() };
}
