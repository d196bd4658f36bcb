/**
 * Orders in PostgreSQL.
 *
 * @module malipo/checkout/postgres
 */

import pg from "pg";
import { ConfigurationError } from "../../errors/configuration.ts";
import { ConnectionError } from "../../errors/connection.ts";
import { DURABLE, tableStatementsFor } from "../../idempotency/postgres/statements.ts";
import { postgresIdempotency } from "../../idempotency/postgres/store.ts";
import { parametersOf } from "../../idempotency/sql/statements.ts";
import { checkFunction, checkText, ownOptions } from "../../internal/check-options.ts";
import { describeError } from "../../internal/describe-error.ts";
import { isAborted } from "../../internal/postgres/aborted-transaction.ts";
import { checkTransact, rowsOf } from "../../internal/postgres/check-transact.ts";
import { makeTables } from "../../internal/postgres/make-tables.ts";
import { checkNameLength } from "../../internal/postgres/name-length.ts";
import { Semaphore } from "../../internal/semaphore.ts";
import type { Inbox } from "../../webhooks/inbox/inbox-types.ts";
import {
  type Change,
  type CheckoutStore,
  type Committed,
  rolledBack,
  storeClosed,
  type Within,
} from "../checkout-store.ts";
import {
  addDecisionSteps,
  CHECKOUT_FORMAT,
  type CheckoutDialect,
  checkoutStatements,
  checkoutTables,
  commitSteps,
  decisionsSteps,
  dueSteps,
  isWrittenSteps,
  keepSteps,
  latestOf,
  listStep,
  orderOfSteps,
  readRow,
  readStep,
  resolveSteps,
  type SqlRow,
  type Step,
  strayStateSteps,
} from "../sql.ts";
import { GuardedClient } from "./guarded-client.ts";

const OWNER = "postgresCheckout";

/** What runs a statement on the connection of a transaction: pg-boss has it for Prisma and others. */
export interface SqlExecutor {
  /** Runs one statement with the values of `$1`, `$2` and so on. */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Runs something in a transaction of your client. `client` is what `transaction` passes on. */
export type CheckoutTransact<Client = unknown> = <Result>(
  run: (client: Client, db: SqlExecutor) => Promise<Result>,
) => Promise<Result>;

/** How orders are stored in PostgreSQL. */
export interface PostgresCheckoutOptions<Client = unknown> {
  /** The address of the database. Set this or `pool`. */
  connectionString?: string | undefined;
  /** Your own `pg` pool, which you end yourself. */
  pool?: pg.Pool | undefined;
  /**
   * The schema of the tables. Set it if two shops share a database.
   *
   * @default "malipo_checkout"
   */
  schema?: string | undefined;
  /**
   * Runs a transaction of your client: `onPaid` then gets that client, and the goods and "done" commit
   * together. Set it if you write by Prisma, Drizzle, Kysely or Knex. pg-boss exports `fromPrisma`,
   * `fromDrizzle`, `fromKysely` and `fromKnex`.
   *
   * @example
   * ```ts
   * transact: (run) => prisma.$transaction((tx) => run(tx, fromPrisma(tx)))
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

const OPTIONS = ["connectionString", "pool", "schema", "transact", "inbox", "pepper", "now"];

/** A statement on some connection. */
type Run = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;

const dialectOf = (schema: string, isGiven: boolean): CheckoutDialect => ({
  tables: {
    orders: `${schema}.orders`,
    payments: `${schema}.payments`,
    prompts: `${schema}.prompts`,
    decisions: `${schema}.decisions`,
    meta: `${schema}.meta`,
  },
  integer: "bigint",
  counter: "bigint GENERATED ALWAYS AS IDENTITY",
  suffix: "",
  // A subselect runs once for a statement: only so is an index used that is compared with it.
  now: isGiven ? "$clock" : "(SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint)",
  lockPhone: "SELECT pg_advisory_xact_lock(hashtext($phone))::text AS locked",
});

const NUMBERS = [
  "version",
  "now",
  "at",
  "since",
  "until",
  "number",
  "is_open",
  "is_foreign",
  "has_review",
  "due_at",
];
const TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  [...NUMBERS, "count", "after_at", "clock"].map((name) => [name, "bigint"]),
);

/** The statements with their values by number, as PostgreSQL takes them. */
const numbered = (statements: ReturnType<typeof checkoutStatements>) =>
  Object.fromEntries(
    Object.entries(statements).map(([name, sql]) => {
      const names = parametersOf(sql);
      const text = sql.replaceAll(
        /\$(\w+)/g,
        (_, one: string) => `$${names.indexOf(one) + 1}::${TYPES[one] ?? "text"}`,
      );
      return [name, { text, names }];
    }),
  ) as unknown as Record<Step[0], { readonly text: string; readonly names: readonly string[] }>;

/** A change that is not `done`: its transaction is rolled back. */
class NotCommitted extends Error {
  readonly outcome: Committed;
  constructor(outcome: Committed) {
    super(outcome.state);
    this.outcome = outcome;
  }
}

/** How long a transaction may wait for its process, which may be frozen. */
const LIMIT_IDLE = "SET LOCAL idle_in_transaction_session_timeout = 60000";
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; ${LIMIT_IDLE}`;

const notKept = (cause?: unknown) =>
  new Error(
    "PostgreSQL kept nothing of the transaction, since one of its statements failed. If onPaid catches such an error, it must roll back to a savepoint that it made before the statement.",
    { cause },
  );

type Write = NonNullable<Within["write"]>;

/**
 * How many rows this connection has written that are not in the statistics yet: those of this transaction at least.
 *
 * @see https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-STATS-VIEWS
 */
async function countWritten(run: Run): Promise<number> {
  const { rows } = await run(
    "SELECT SUM(n_tup_ins + n_tup_upd + n_tup_del)::text AS written FROM pg_stat_xact_user_tables",
  );
  return Number((rows[0] as SqlRow | undefined)?.written ?? 0);
}

/** How many transactions of `onPaid` may run at once: each may need a second connection of the pool. */
const goodsPlaces = ({ options }: pg.Pool): number => Math.max(1, (options.max ?? 10) - 1);

class PostgresTables {
  readonly #pool: pg.Pool;
  readonly #dialect: CheckoutDialect;
  readonly #schema: string;
  readonly #statements: ReturnType<typeof numbered>;

  readonly #now: (() => number) | undefined;

  constructor(pool: pg.Pool, schema: string, now: (() => number) | undefined) {
    this.#pool = pool;
    this.#schema = schema;
    this.#now = now;
    this.#dialect = dialectOf(schema, now !== undefined);
    this.#statements = numbered(checkoutStatements(this.#dialect));
  }

  readonly run: Run = async (text, values) => {
    const client = await this.#connect();
    let isBroken = false;
    const onEnd = () => {
      isBroken = true;
    };
    client.on("error", onEnd);
    try {
      return await client.query(text, values);
    } catch (error) {
      // As `query` of a pool does: what is left on the connection is not known.
      isBroken = true;
      throw error;
    } finally {
      client.off("error", onEnd);
      client.release(isBroken);
    }
  };

  /** @throws {ConnectionError} if no connection is free in time, or none can be made. */
  async #connect(): Promise<pg.PoolClient> {
    if (this.#pool.ending) throw storeClosed();
    const since = performance.now();
    try {
      return await this.#pool.connect();
    } catch (error) {
      if (this.#pool.ending) throw storeClosed();
      // One with a code says what is wrong, such as ECONNREFUSED.
      if (!(error instanceof Error) || "code" in error) throw error;
      throw noConnection(this.#pool, performance.now() - since, error);
    }
  }

  /** The table with the format. */
  get meta(): string {
    return this.#dialect.tables.meta;
  }

  /** Runs steps, one after another. */
  async steps<Result>(
    steps: Generator<Step, Result, readonly SqlRow[]>,
    run: Run = this.run,
  ): Promise<Result> {
    let next = steps.next();
    while (!next.done) {
      const [name, values] = next.value;
      const { text, names } = this.#statements[name];
      const { rows } = await run(
        text,
        names.map((one) => (one === "clock" ? this.#now?.() : values[one]) ?? null),
      );
      next = steps.next(rows as SqlRow[]);
    }
    return next.value;
  }

  /** @param signal - Its abort closes the connection: PostgreSQL then rolls back, whatever the work does. */
  async transaction<Result>(
    work: (run: Run, client: pg.PoolClient) => Promise<Result>,
    signal?: AbortSignal,
  ) {
    const client = await this.#connect();
    let isBroken = false;
    // It may end while the merchant's code does something else: that would end the process.
    const onEnd = () => {
      isBroken = true;
    };
    let isReleased = false;
    const release = () => {
      if (!isReleased) client.release(isBroken);
      isReleased = true;
    };
    const giveUp = () => {
      isBroken = true;
      release();
    };
    client.on("error", onEnd);
    signal?.addEventListener("abort", giveUp);
    try {
      signal?.throwIfAborted();
      await client.query(BEGIN);
      await client.query(`SELECT ${DURABLE}`);
      const result = await work((text, values) => client.query(text, values), client);
      const { command } = await client.query("COMMIT");
      // https://www.postgresql.org/docs/current/sql-commit.html: an aborted transaction is rolled back, without an error.
      if (command !== "COMMIT") throw notKept();
      return result;
    } catch (error) {
      if (!isReleased) {
        await client.query("ROLLBACK").catch(() => {
          isBroken = true;
        });
      }
      throw error;
    } finally {
      signal?.removeEventListener("abort", giveUp);
      client.off("error", onEnd);
      release();
    }
  }

  sql(): string {
    return [`CREATE SCHEMA IF NOT EXISTS ${this.#schema}`, ...checkoutTables(this.#dialect)].join(
      ";\n",
    );
  }

  /** @throws {ConfigurationError} if the tables are missing and may not be made, or of another format. */
  async open(): Promise<void> {
    const { decisions, meta } = this.#dialect.tables;
    const latest = latestOf(this.#dialect);
    const isThere = async (run: Run, name: string) =>
      (await run(`SELECT 1 WHERE to_regclass('${name}') IS NOT NULL`)).rows.length > 0;
    if (!(await isThere(this.run, latest))) {
      const make = async (run: Run) => {
        await run("SELECT pg_advisory_xact_lock(hashtext('malipo'))::text");
        if (!(await isThere(run, latest))) await run(this.sql());
      };
      await makeTables(() => this.transaction(make)).catch(async (cause: unknown) => {
        // Only an index is missing, and this role may not make it: some reads are slower.
        if (await isThere(this.run, decisions)) return;
        throw new ConfigurationError(
          `${OWNER} cannot make its tables in the schema ${this.#schema} (${describeError(cause)}). Run the SQL of store.sql() as a role that may, and grant this role their use.`,
          { cause },
        );
      });
    }
    const { rows } = await this.run(`SELECT value FROM ${meta} WHERE name = 'format'`);
    const [row] = rows as SqlRow[];
    if (row?.value === String(CHECKOUT_FORMAT)) return;
    throw new ConfigurationError(
      `${OWNER}: the tables in the schema ${this.#schema} have format ${String(row?.value)}; this version reads format ${CHECKOUT_FORMAT}. Use the version of malipo that wrote them.`,
    );
  }
}

/** How long a call waits for a connection of the store's own pool while all are in use. A customer waits, too. */
const QUEUE_MS = 25_000;
/** How long a new connection may take: a PostgreSQL that does not respond is noticed sooner. */
const CONNECT_MS = 5_000;

class OwnClient extends pg.Client {
  constructor(config: pg.ClientConfig = {}) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS });
  }
}

function noConnection({ totalCount }: pg.Pool, waitedMs: number, cause: Error): ConnectionError {
  const [all, none] =
    totalCount === 1 ? ["1 connection", "it was not"] : [`${totalCount} connections`, "none was"];
  const message =
    totalCount === 0
      ? `PostgreSQL accepted no connection (${describeError(cause)}). See whether it is up and takes more connections.`
      : `The pool has ${all} to PostgreSQL, and ${none} free within ${Math.round(waitedMs / 1_000)} s. Pass \`pool\` with a higher \`max\`, and look for transactions that stay open.`;
  return new ConnectionError(`${OWNER}: ${message} This call did nothing.`, "not_sent", { cause });
}

function poolFor({ connectionString, pool }: PostgresCheckoutOptions): pg.Pool {
  if ((connectionString === undefined) === (pool === undefined)) {
    throw new ConfigurationError(`${OWNER} takes either \`connectionString\` or \`pool\`.`);
  }
  if (pool !== undefined) return pool;
  const own = new pg.Pool({
    connectionString,
    application_name: "malipo",
    connectionTimeoutMillis: QUEUE_MS,
    Client: OwnClient,
    allowExitOnIdle: true,
  });
  // An error of an idle connection would end the process. The next statement reports it.
  own.on("error", () => {});
  return own;
}

/** Runs statements on a transaction of the merchant. */
function runOn(transaction: unknown): Run {
  const given = transaction as Partial<SqlExecutor & { query: Run }>;
  const checked = async (result: unknown) => ({ rows: [...rowsOf(OWNER, await result)] });
  if (typeof given.executeSql === "function")
    return (...args) => checked((given as SqlExecutor).executeSql(...args));
  if (typeof given.query === "function")
    return (...args) => checked((given as { query: Run }).query(...args));
  throw new ConfigurationError(
    "`transaction` must be a pg client in a transaction, or have executeSql(text, values), as fromPrisma(tx) of pg-boss has.",
  );
}

/**
 * Keeps orders, attempts, idempotency keys and reviews in PostgreSQL, in one schema beside your tables, for
 * all processes of all machines. Install `pg` yourself.
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
export function postgresCheckout(
  options: PostgresCheckoutOptions & { transact?: undefined },
): CheckoutStore<pg.PoolClient>;
export function postgresCheckout<Client = unknown>(
  options: PostgresCheckoutOptions<Client> & { transact: CheckoutTransact<Client> },
): CheckoutStore<Client>;
export function postgresCheckout(options: PostgresCheckoutOptions): CheckoutStore {
  const own = ownOptions(options, OPTIONS, OWNER);
  const { transact, inbox, pepper } = own;
  const expected = "lower-case letters, digits and underscores";
  const schema = own.schema ?? "malipo_checkout";
  checkText("schema", schema, /^[a-z_][a-z0-9_]*$/, expected);
  checkNameLength("schema", schema);
  if (transact !== undefined) checkFunction("transact", transact);
  const pool = poolFor(own);
  const tables = new PostgresTables(pool, schema, own.now);
  const table = `${schema}.idempotency`;
  const idempotency = postgresIdempotency(pool, { table, pepper });

  const places = new Semaphore(goodsPlaces(pool));
  const readBack = async (change: Change, run: Run) => {
    if (!(await tables.steps(isWrittenSteps(change), run))) throw rolledBack();
  };
  const commitOn = async (
    change: Change,
    run: Run,
    write: (() => unknown) | undefined,
    onEmpty?: () => void,
  ) => {
    const outcome = await tables.steps(commitSteps(change), run);
    if (outcome.state !== "done") throw new NotCommitted(outcome);
    if (write === undefined) return outcome;
    const before = await countWritten(run);
    await write();
    await readBack(change, run).catch((error) => {
      throw isAborted(error) ? notKept(error) : error;
    });
    // Without `track_counts`, nothing is counted: not even the row of the order.
    if (before > 0 && (await countWritten(run)) === before) onEmpty?.();
    return outcome;
  };
  const commitByThem = async (
    change: Change,
    given: CheckoutTransact,
    write: Write,
    { onEmpty }: Within,
  ) => {
    const outcome = await given(async (client, db) => {
      const run = runOn(db);
      await run(`SELECT ${DURABLE}`);
      await run(LIMIT_IDLE);
      return commitOn(change, run, () => write(client), onEmpty);
    });
    // What the library said of its COMMIT is not known here.
    await readBack(change, tables.run);
    return outcome;
  };
  const commitByUs = (change: Change, { write, onLate = () => {}, onEmpty, signal }: Within) =>
    tables.transaction(async (run, client) => {
      if (write === undefined) return commitOn(change, run, undefined);
      const guard = new GuardedClient(client, onLate);
      try {
        const written = async () => {
          await write(guard.client);
          await guard.idle();
        };
        return await commitOn(change, run, written, onEmpty);
      } finally {
        guard.end();
      }
    }, signal);
  const commit: CheckoutStore["commit"] = async (change, within = {}) => {
    const { transaction, write, signal } = within;
    if (transaction !== undefined) return tables.steps(commitSteps(change), runOn(transaction));
    try {
      if (write === undefined) return await commitByUs(change, {});
      return await places.use(signal, () =>
        transact === undefined
          ? commitByUs(change, within)
          : commitByThem(change, transact, write, within),
      );
    } catch (error) {
      if (error instanceof NotCommitted) return error.outcome;
      throw error;
    }
  };
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
    commit,
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
