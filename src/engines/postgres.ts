/**
 * Everything in one schema of PostgreSQL: idempotency keys, events and orders, for all processes of all machines.
 *
 * @module malipo/postgres
 */

import type pg from "pg";
import type { CheckoutEngine } from "../checkout/checkout-engine.ts";
import type { CheckoutStore } from "../checkout/checkout-store.ts";
import { poolFor } from "../checkout/postgres/checkout-pool.ts";
import { PostgresTables } from "../checkout/postgres/checkout-tables.ts";
import { checkSchema, postgresCheckout } from "../checkout/postgres/orders.ts";
import type { Wakeups } from "../client/wakeups/local.ts";
import { type PostgresWakeups, postgresWakeups } from "../client/wakeups/postgres-wakeups.ts";
import type { WakeupsEngine } from "../client/wakeups/wakeups-engine.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import type { IdempotencyEngine } from "../idempotency/idempotency-engine.ts";
import type { IdempotencyStore } from "../idempotency/idempotency-store.ts";
import { postgresIdempotency } from "../idempotency/postgres/store.ts";
import { type IdempotencyStoreOptions, STORE_OPTIONS } from "../idempotency/store-options.ts";
import {
  checkFunction,
  checkOptions,
  checkText,
  type OptionRows,
  optional,
  wrongOption,
} from "../internal/check-options.ts";
import { describeError } from "../internal/describe-error.ts";
import { isObject } from "../internal/is-object.ts";
import {
  durabilityProblemsOf,
  hasTable,
  missingRights,
  missingSchemaRight,
} from "../internal/postgres/engine-state.ts";
import { makeTables } from "../internal/postgres/make-tables.ts";
import type { PostgresClient, PostgresPool } from "../internal/postgres/pool.ts";
import type { Transact } from "../internal/postgres/transact.ts";
import type { InboxEngine, InboxOptions } from "../webhooks/inbox/inbox-engine.ts";
import { type Inbox, type InboxStats, receiptFor } from "../webhooks/inbox/inbox-types.ts";
import { retentionQuery } from "../webhooks/inbox/ledger/tables.ts";
import { INBOX_OPTIONS } from "../webhooks/inbox/pace.ts";
import type { Tuning } from "../webhooks/inbox/pg-boss/queues.ts";
import { dialectOf } from "../webhooks/inbox/pg-boss/tables.ts";
import {
  EngineLife,
  failuresOf,
  inboxMethods,
  lateInbox,
  lateWakeups,
  once,
  openOrders,
  PartsByOptions,
  readyStore,
  type StoredPart,
  type StoredSettings,
  withPackage,
} from "./engine-life.ts";

export type { CheckoutEngine } from "../checkout/checkout-engine.ts";
export type { WakeupsEngine } from "../client/wakeups/wakeups-engine.ts";
export type { IdempotencyEngine } from "../idempotency/idempotency-engine.ts";
export type { IdempotencyStoreOptions } from "../idempotency/store-options.ts";
export type { PostgresClient, PostgresPool, PostgresResult } from "../internal/postgres/pool.ts";
export type { SqlExecutor, Transact } from "../internal/postgres/transact.ts";
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
   * pg-boss exports `fromPrisma`, `fromDrizzle`, `fromKysely` and `fromKnex`. It is tried before its first use: a
   * statement that fails rolls back everything, and the rows of an UPDATE are a list of objects.
   *
   * @default a transaction on a client of the pool
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

/** What an inbox in PostgreSQL takes. */
export interface PostgresInboxOptions extends InboxOptions {
  /**
   * The name of the inbox. Set it if two receivers in one schema must not share their events. At most 50
   * letters, digits, dots, hyphens and underscores. Another name is another, empty inbox: first let the old one
   * run empty.
   *
   * @default "malipo-webhooks"
   */
  queue?: string | undefined;
  /** @internal */
  tuning?: Tuning | undefined;
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
   * An inbox. Install `pg-boss` yourself if you use it. A handler's `transaction` runs its own writes and
   * "processed" in one transaction: it passes on a client with `query`, or yours with `transact`.
   *
   * @throws {ConfigurationError} for a wrong option, and after `close`.
   */
  inbox(options?: PostgresInboxOptions): Inbox;
  /**
   * The store of orders, with the idempotency keys and the inbox of this engine. The inbox is used only in a
   * process with a handler for events other than those of payments; without one, such events are acknowledged
   * and dropped. A checkout that stops does not close the engine.
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
   * The SQL that makes the tables of keys and orders, for a role that may, if the role of the shop may not.
   * Grant the role of the shop their use. Otherwise, each is made at its first use.
   */
  sql(): string;
  /**
   * Makes the tables of keys and orders if they are missing, and tries `transact`.
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
  stored(part: StoredPart, queue?: string): Promise<StoredSettings | undefined>;
}

const CHANNEL = "1 to 63 lower-case letters, digits and underscores, and not begin with a digit";

const OPTIONS = {
  schema: checkSchema,
  transact: (transact) => optional(transact, (given) => checkFunction("transact", given)),
  pepper: STORE_OPTIONS.pepper,
  channel: (channel) =>
    optional(channel, (name) => checkText("channel", name, /^[a-z_][a-z0-9_]{0,62}$/, CHANNEL)),
  listenPool: (pool) => optional(pool, (given) => checkPool("listenPool", given)),
  now: (now) => now,
} satisfies OptionRows<PostgresOptions>;

const QUEUE = "malipo-webhooks";
const QUEUE_EXPECTED = "1 to 50 letters, digits, dots, hyphens and underscores";

const PART_OPTIONS = {
  ...INBOX_OPTIONS,
  queue: (queue = QUEUE) => checkText("queue", queue, /^[\w.-]{1,50}$/, QUEUE_EXPECTED),
  tuning: (tuning = {}) => tuning,
} satisfies OptionRows<PostgresInboxOptions>;

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
  options: PostgresOptions = {},
): PostgresEngine<unknown> {
  const own = checkOptions(options, OPTIONS, "postgres");
  if (typeof source !== "string") checkPool("source", source);
  return new Postgres(source, own).engine();
}

const isNotThere = async (): Promise<never> => {
  throw new Error("This process has no handler for events other than those of payments.");
};
const EMPTY = { list: async () => [], read: isNotThere, requeue: isNotThere, drop: isNotThere };

/** The inbox of a checkout without a handler for other events: they are acknowledged and dropped. */
const NO_EVENTS: Inbox = {
  accept: async () => receiptFor("accepted"),
  start: async () => {},
  stop: async () => {},
  drain: async () => ({ processed: 0, left: 0 }),
  stats: async () => NOTHING,
  horizon: async () => ({ now: Date.now(), remembersSince: 0 }),
  ...{ deadLetters: EMPTY, conflicts: EMPTY, waiting: EMPTY },
  doublePayments: { ...EMPTY, add: async () => true },
};
const NOTHING: InboxStats = {
  ...{ waiting: 0, unhandled: 0, running: 0, dead: 0, conflicts: 0, retrying: 0, lagMs: 0 },
  ...{ oldestRetrying: null, oldestWaiting: null },
};

/** An inbox that needs its package only in a process with a handler. */
function inboxOnDemand(inbox: Inbox): { readonly inbox: Inbox; useInbox(): void } {
  let isUsed = false;
  return {
    inbox: {
      ...inboxMethods(async () => (isUsed ? inbox : NO_EVENTS), inbox.retentionMs),
      stop: (timeoutMs) => inbox.stop(timeoutMs),
    },
    useInbox: () => {
      isUsed = true;
    },
  };
}

type Checked = {
  readonly [Name in keyof typeof OPTIONS]: ReturnType<(typeof OPTIONS)[Name]>;
};

class Postgres {
  readonly #source: string | PostgresPool;
  readonly #own: Checked;
  readonly #life = new EngineLife("postgres(url)");
  readonly #keysTable: string;
  readonly #keys: PartsByOptions<IdempotencyStoreOptions, IdempotencyStore>;
  #pool: pg.Pool | undefined;
  #wakeups: Wakeups | undefined;

  constructor(source: string | PostgresPool, own: Checked) {
    this.#source = source;
    this.#own = own;
    this.#keysTable = `${own.schema}.idempotency`;
    this.#keys = new PartsByOptions((given) => this.#keysWith(given));
  }

  engine(): PostgresEngine<unknown> {
    return {
      idempotency: (options) => this.#idempotency(options),
      inbox: (options) => this.#inbox(options),
      checkout: () => this.#checkout(),
      wakeups: () => this.#wakeupsOnce(),
      sql: () => this.#checkout().sql(),
      open: () => this.#checkout().open(),
      close: () => this.#life.close(),
      check: () => this.#check(),
      stored: (part, queue) => this.#stored(part, queue),
    };
  }

  /** The pool of the user, or the one of this engine, made at its first use. */
  #poolNow(): pg.Pool {
    this.#life.check();
    if (this.#pool !== undefined) return this.#pool;
    const source = this.#source;
    if (typeof source !== "string") {
      this.#pool = source as unknown as pg.Pool;
      return this.#pool;
    }
    const pool = poolFor(source, undefined);
    this.#life.onClose(() => pool.end());
    this.#pool = pool;
    return pool;
  }

  #idempotency(given: IdempotencyStoreOptions = {}): IdempotencyStore {
    this.#life.check();
    const options = { ...given, pepper: given.pepper ?? this.#own.pepper };
    return this.#keys.get(
      checkOptions(options, STORE_OPTIONS, "The idempotency store of postgres"),
    );
  }

  /** What reads the pool at each query, so that a closed engine says so. */
  readonly #client = {
    query: (text: string, values?: unknown[]) => this.#poolNow().query(text, values),
  } as PostgresClient;

  #keysWith(options: IdempotencyStoreOptions): IdempotencyStore {
    return readyStore(
      postgresIdempotency(this.#client, { ...options, table: this.#keysTable }),
      this.#makeKeys,
    );
  }

  /** Makes the table of keys, and its schema, if it is missing. */
  readonly #makeKeys = once(async () => {
    const { schema } = this.#own;
    const table = this.#keysTable;
    const keys = postgresIdempotency(this.#client, { table });
    if (await hasTable(this.#client, table)) return keys.migrate();
    try {
      // A role that may make no schema may make tables in one that is there.
      const exists = "SELECT 1 WHERE to_regnamespace($1) IS NOT NULL";
      if ((await this.#client.query(exists, [schema])).rows.length === 0) {
        await makeTables(() => this.#client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`));
      }
      await keys.migrate();
    } catch (cause) {
      if (cause instanceof ConfigurationError) throw cause;
      throw new ConfigurationError(
        `postgres cannot make the table ${table} (${describeError(cause)}). Run the SQL of db.sql() as a role that may, and grant this role its use.`,
        { cause },
      );
    }
  });

  #inbox(given: PostgresInboxOptions = {}): Inbox {
    this.#life.check();
    const options = checkOptions(given, PART_OPTIONS, "The inbox of postgres");
    const { retentionMs, queue, tuning, pace } = options;
    const { schema, transact } = this.#own;
    const inbox = lateInbox(async () => {
      this.#life.check();
      const source = this.#source;
      const connection =
        typeof source === "string"
          ? { connectionString: source }
          : { connectionString: undefined, pool: this.#poolNow() };
      const { pgBossInbox } = await withPackage(
        "pg-boss",
        "The inbox of postgres",
        () => import("../webhooks/inbox/pg-boss/inbox.ts"),
      );
      const ownTuning = given.pace === undefined ? tuning : { ...tuning, pace };
      const made = { ...connection, schema, queue, retentionMs, tuning: ownTuning };
      return pgBossInbox({ ...made, transact: transact as never });
    }, retentionMs);
    this.#life.onClose(() => inbox.stop(0));
    return inbox;
  }

  #checkout(): CheckoutStore {
    this.#life.check();
    const { schema, transact, now } = this.#own;
    const keys = { ...this.#idempotency(), migrate: this.#makeKeys };
    const pool = this.#poolNow();
    const { inbox, useInbox } = inboxOnDemand(this.#inbox());
    const common = { pool, schema, now, inbox, idempotency: keys };
    const store = (
      transact === undefined ? postgresCheckout(common) : postgresCheckout({ ...common, transact })
    ) as CheckoutStore;
    const idempotency = this.#idempotency();
    return { ...openOrders(store, this.#life), idempotency, useInbox };
  }

  #wakeupsOnce(): Wakeups {
    this.#life.check();
    const { channel, listenPool } = this.#own;
    this.#wakeups ??= lateWakeups(this.#life, (): PostgresWakeups => {
      const pool = this.#poolNow();
      return postgresWakeups({ pool, listenPool: listenPool ?? pool }, { channel });
    });
    return this.#wakeups;
  }

  async #stored(part: StoredPart, queue: string = QUEUE): Promise<StoredSettings | undefined> {
    const { meta } = dialectOf(this.#own.schema, queue).tables;
    const table = { idempotency: this.#keysTable, checkout: this.#meta, inbox: meta }[part];
    if (!(await hasTable(this.#client, table))) return undefined;
    if (part !== "inbox") return {};
    const { rows } = await this.#client.query<{ value: string }>(retentionQuery(meta));
    return { retentionMs: rows[0] === undefined ? undefined : Number(rows[0].value) };
  }

  get #meta(): string {
    return `${this.#own.schema}.meta`;
  }

  async #check(): Promise<string[]> {
    this.#life.check();
    const { schema } = this.#own;
    try {
      const problems = await durabilityProblemsOf(this.#client);
      const parts = [
        ["idempotency", this.#keysTable],
        ["checkout", `${schema}.orders`],
      ] as const;
      let isMissing = false;
      for (const [part, table] of parts) {
        if ((await this.#stored(part)) === undefined) isMissing = true;
        else problems.push(...(await missingRights(this.#client, table)));
      }
      if (isMissing) problems.push(...(await missingSchemaRight(this.#client, schema)));
      if (problems.length > 0) return problems;
      return await failuresOf(
        () => this.#tryKeys(),
        () => this.#tryOrders(),
      );
    } catch (error) {
      return failuresOf(() => {
        throw error;
      });
    }
  }

  async #tryKeys(): Promise<void> {
    if ((await this.#stored("idempotency")) === undefined) return;
    await postgresIdempotency(this.#client, { table: this.#keysTable }).list({ limit: 1 });
  }

  async #tryOrders(): Promise<void> {
    if ((await this.#stored("checkout")) === undefined) return;
    await new PostgresTables(this.#poolNow(), this.#own.schema, undefined).open();
  }
}
