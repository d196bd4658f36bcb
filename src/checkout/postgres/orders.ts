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
import {
  checkFunction,
  checkText,
  describeValue,
  ownOptions,
} from "../../internal/check-options.ts";
import { describeError } from "../../internal/describe-error.ts";
import { makeTables } from "../../internal/postgres/make-tables.ts";
import type { Inbox } from "../../webhooks/inbox/inbox-types.ts";
import {
  type Change,
  type CheckoutStore,
  type Committed,
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
  keepSteps,
  listStep,
  orderOfSteps,
  readRow,
  type SqlRow,
  type Step,
  strayStateSteps,
} from "../sql.ts";

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
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL idle_in_transaction_session_timeout = 60000`;

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

  async transaction<Result>(work: (run: Run, client: pg.PoolClient) => Promise<Result>) {
    const client = await this.#connect();
    let isBroken = false;
    // It may end while the merchant's code does something else: that would end the process.
    const onEnd = () => {
      isBroken = true;
    };
    client.on("error", onEnd);
    try {
      await client.query(BEGIN);
      await client.query(`SELECT ${DURABLE}`);
      const result = await work((text, values) => client.query(text, values), client);
      await client.query("COMMIT");
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {
        isBroken = true;
      });
      throw error;
    } finally {
      client.off("error", onEnd);
      client.release(isBroken);
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
    const isThere = async (run: Run) =>
      (await run(`SELECT 1 WHERE to_regclass('${decisions}') IS NOT NULL`)).rows.length > 0;
    if (!(await isThere(this.run))) {
      const make = async (run: Run) => {
        await run("SELECT pg_advisory_xact_lock(hashtext('malipo'))::text");
        if (!(await isThere(run))) await run(this.sql());
      };
      await makeTables(() => this.transaction(make)).catch((cause: unknown) => {
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
  if (typeof given.executeSql === "function")
    return (...args) => (given as SqlExecutor).executeSql(...args);
  if (typeof given.query === "function")
    return (...args) => (given as { query: Run }).query(...args);
  throw new ConfigurationError(
    "`transaction` must be a pg client in a transaction, or have executeSql(text, values), as fromPrisma(tx) of pg-boss has.",
  );
}

/** @throws {ConfigurationError} for a `transact` of which the first payment would fail. */
async function checkTransact(transact: CheckoutTransact): Promise<void> {
  const wrong = (what: string) =>
    new ConfigurationError(
      `${OWNER}: \`transact\` ${what}. Write transact: (run) => db.transaction((tx) => run(tx, fromDrizzle(tx, sql))), or with fromPrisma(tx), fromKysely(tx) or fromKnex(tx): pg-boss exports the four.`,
    );
  const isDone = await transact(async (_, db) => {
    const executor = db as SqlExecutor | undefined;
    if (typeof executor?.executeSql !== "function") {
      const given = describeValue(executor);
      throw wrong(`must call run with an object that has executeSql(text, values); got ${given}`);
    }
    const { rows } = await executor.executeSql("SELECT 1 AS one");
    return Array.isArray(rows);
  });
  if (isDone !== true) throw wrong("must return what `run` resolves with, and its rows");
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
  if (transact !== undefined) checkFunction("transact", transact);
  const pool = poolFor(own);
  const tables = new PostgresTables(pool, schema, own.now);
  const table = `${schema}.idempotency`;
  const idempotency = postgresIdempotency(pool, { table, pepper });

  const commitOn = async (change: Change, run: Run, client: unknown, write: Within["write"]) => {
    const outcome = await tables.steps(commitSteps(change), run);
    if (outcome.state !== "done") throw new NotCommitted(outcome);
    await write?.(client);
    return outcome;
  };
  const commit: CheckoutStore["commit"] = async (change, { transaction, write } = {}) => {
    if (transaction !== undefined) return tables.steps(commitSteps(change), runOn(transaction));
    const isTheirs = transact !== undefined && write !== undefined;
    try {
      return isTheirs
        ? await transact(async (client, db) => {
            await db.executeSql(`SELECT ${DURABLE}`);
            return commitOn(change, (text, values) => db.executeSql(text, values), client, write);
          })
        : await tables.transaction((run, client) => commitOn(change, run, client, write));
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
      if (transact !== undefined) await checkTransact(transact);
      await idempotency.migrate();
    },
    close: async () => {
      if (own.pool === undefined && !pool.ending) await pool.end();
    },
    read: async (id, transaction) => {
      const run = transaction === undefined ? tables.run : runOn(transaction);
      return readRow((await tables.steps(one(["read", { id }]), run))[0]);
    },
    orderOf: (reference, label) => tables.steps(orderOfSteps(reference, label)),
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
    resolve: async (reference, decision) =>
      (await tables.steps(one(["resolve", { reference, decision }]))).length === 1,
    strayOf: (reference) => tables.steps(strayStateSteps(reference)),
    addDecision: (line) => tables.transaction((run) => tables.steps(addDecisionSteps(line), run)),
    decisions: (count) => tables.steps(decisionsSteps(count)),
  };
}
