/**
 * Everything in one SQLite file: idempotency keys, events and orders, for all processes of one machine.
 *
 * @module malipo/sqlite
 */

import type { DatabaseSync } from "node:sqlite";
import type { CheckoutEngine, CheckoutStore } from "../checkout/orders/checkout-store.ts";
import type { IdempotencyEngine } from "../idempotency/idempotency-engine.ts";
import type { IdempotencyStore } from "../idempotency/idempotency-store.ts";
import { type IdempotencyStoreOptions, STORE_OPTIONS } from "../idempotency/store-options.ts";
import { checkOptions, type OptionRows, wrongOption } from "../internal/check-options.ts";
import { isObject } from "../internal/is-object.ts";
import { warnOnce } from "../internal/warn-once.ts";
import { LateSqliteRoom } from "../storage/sqlite/late-room.ts";
import { modeWarning, sqliteModule } from "../storage/sqlite/open-file.ts";
import { fileOf } from "../storage/sqlite/same-file.ts";
import type { BetterSqlite3 } from "../storage/sqlite/shared-database.ts";
import { SqliteRoom } from "../storage/sqlite/sqlite-room.ts";
import type { InboxEngine, InboxOptions } from "../webhooks/inbox/inbox-engine.ts";
import type { Inbox } from "../webhooks/inbox/inbox-types.ts";
import { EngineLife, type StoredPart, type StoredSettings } from "./engine-life.ts";
import { SqlEngine } from "./sql-engine.ts";

export type { CheckoutEngine } from "../checkout/orders/checkout-store.ts";
export type { IdempotencyEngine } from "../idempotency/idempotency-engine.ts";
export type { IdempotencyStoreOptions } from "../idempotency/store-options.ts";
export type { BetterSqlite3 } from "../storage/sqlite/shared-database.ts";
export type { InboxEngine, InboxOptions } from "../webhooks/inbox/inbox-engine.ts";

/** What `transaction` of `onPaid` passes on: the database that was given, or that of the path. */
export type ConnectionOf<Source> = Source extends string ? DatabaseSync : Source;

/** How an engine works on a SQLite file. */
export interface SqliteOptions {
  /**
   * A secret that keys the digests of phones, amounts and account references. Keep it outside the file, give
   * every process the same one, and do not change it. Set it if others may read the file.
   *
   * @default none
   */
  pepper?: string | Uint8Array | undefined;
  /**
   * Gets a warning when the clock of the machine was set by more than an hour. No key is forgotten because of
   * it. Set it to send the warning to your log.
   *
   * @default `console.warn`
   */
  onWarning?: ((warning: string) => void) | undefined;
  /** @internal The clock of orders, in milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/** What {@link sqlite} returns. */
export interface SqliteEngine<Connection = DatabaseSync>
  extends IdempotencyEngine,
    InboxEngine,
    CheckoutEngine<Connection> {
  /**
   * The open database: yours, or that of the path, for your own tables beside those of malipo. To read it opens the file.
   *
   * @throws {ConfigurationError} for a file that cannot be opened.
   */
  readonly database: Connection;
  /**
   * The store of idempotency keys. The same options return the same store.
   *
   * @param options - `pepper` has the default of the engine.
   * @throws {ConfigurationError} for a wrong option, for tables of another version, and after `close`.
   */
  idempotency(options?: IdempotencyStoreOptions): IdempotencyStore;
  /**
   * An inbox on this file. A handler's `transaction` runs its own writes and "processed" in one transaction.
   *
   * @throws {ConfigurationError} for a wrong option, for tables of another version, and after `close`.
   */
  inbox(options?: InboxOptions): Inbox;
  /**
   * The store of orders, with the idempotency keys and the inbox of this engine. A checkout that stops does
   * not close the engine.
   *
   * @throws {ConfigurationError} for tables of another version, and after `close`.
   */
  checkout(): CheckoutStore<Connection>;
  /** All SQL that makes the tables, if you make them yourself. Otherwise, each is made at its first use. */
  sql(): string;
  /**
   * Makes all tables that are missing, also those that nothing has used yet.
   *
   * @throws {ConfigurationError} for a file that cannot be written, or tables of another version.
   */
  open(): Promise<void>;
  /** Closes the file. A database that you passed stays open. Call it when the process stops. */
  close(): Promise<void>;
  /**
   * Says what is wrong, a sentence for each: other users of the machine may open the file, or tables are of
   * another version. Makes nothing. An empty list says that nothing was found.
   */
  check(): Promise<string[]>;
  /** @internal What is stored of a part; `undefined` if nothing is. It makes nothing. */
  stored(part: StoredPart): Promise<StoredSettings | undefined>;
}

const OPTIONS = {
  pepper: STORE_OPTIONS.pepper,
  onWarning: warnOnce,
  now: (now = Date.now) => now,
} satisfies OptionRows<SqliteOptions>;

const isDatabase = (source: unknown): source is DatabaseSync | BetterSqlite3 =>
  isObject(source) && typeof source.prepare === "function" && typeof source.exec === "function";

/** See `Inbox.place`. */
const placeOf = (file: string): string | undefined =>
  file === "" || file === ":memory:" ? undefined : `sqlite ${file}`;

/**
 * Keeps everything in a SQLite file: idempotency keys, events and orders are safe across crashes and power
 * cuts, for all processes of one machine that share the file. It needs only Node. Use the file of your shop, so
 * that the goods and "done" commit together.
 *
 * Pass the engine to each option that stores. The file is opened, and tables are made, at their first use: a build that
 * imports your shop makes no file. Tables begin with `malipo_`. A new file is readable only by its owner. A file that
 * another connection has locked is waited for up to five seconds, while the event loop goes on: call `start` or `open`
 * before you begin a transaction by your own connection to it. A file that was deleted or replaced while the process used
 * it is noticed, and nothing is sent or acknowledged. If the file is lost or restored from a backup, what was newer is
 * lost, too.
 *
 * It carries no wake-ups between processes: in one process, use `createWakeups()`.
 *
 * @param source - The path of the file, which is created if it is missing, and is not on a network file system;
 * or your own open database: `DatabaseSync` of Node, or `Database` of better-sqlite3. A file belongs to one of the
 * two libraries: do not pass the path of a file that better-sqlite3 has open in the same process.
 * @throws {ConfigurationError} for a wrong option, for an open database that cannot be used, and in a runtime without
 * `node:sqlite`.
 *
 * @example
 * ```ts
 * import { Gateway } from "malipo";
 * import { sqlite } from "malipo/sqlite";
 * import { createWebhookReceiver } from "malipo/webhooks";
 *
 * const db = sqlite("data/shop.db");
 * const gateway = new Gateway({ idempotency: db });
 * const receiver = createWebhookReceiver({ inbox: db });
 * ```
 */
export function sqlite<Source extends string | DatabaseSync | BetterSqlite3>(
  source: Source,
  options: SqliteOptions = {},
): SqliteEngine<ConnectionOf<Source>> {
  const own = checkOptions(options, OPTIONS, "sqlite");
  if (typeof source !== "string" && !isDatabase(source)) {
    throw wrongOption(
      "source",
      "a path, or an open database of node:sqlite or better-sqlite3",
      source,
    );
  }
  const life = new EngineLife("sqlite(path)");
  const { pepper, onWarning, now } = own;
  if (typeof source === "string") sqliteModule("sqlite", source);
  const room =
    typeof source === "string"
      ? new LateSqliteRoom<ConnectionOf<Source>>(source, { now })
      : new SqliteRoom<ConnectionOf<Source>>(source, { now });
  const atStart = () => {
    const warning = modeWarning(source as string | DatabaseSync);
    return warning === undefined ? [] : [warning.message];
  };
  const place = () => placeOf(typeof source === "string" ? source : fileOf(source as DatabaseSync));
  const engine = new SqlEngine(room, life, { owner: "sqlite", pepper, onWarning, atStart, place });
  const { idempotency, inbox, checkout, sql, open, check, stored } = engine;
  const close = () => life.close();
  return {
    get database() {
      return (room instanceof LateSqliteRoom ? room.opened : room).connection;
    },
    ...{ idempotency, inbox, checkout, sql, open, close, check, stored },
  };
}
