import type pg from "pg";
import { ConfigurationError } from "../../errors/configuration.ts";
import { DURABLE } from "../../idempotency/postgres/statements.ts";
import { parametersOf } from "../../idempotency/sql/statements.ts";
import { describeError } from "../../internal/describe-error.ts";
import { makeTables } from "../../storage/postgres/make-tables.ts";
import {
  CHECKOUT_FORMAT,
  type CheckoutDialect,
  checkoutStatements,
  checkoutTables,
  type SqlRow,
  type Step,
} from "../sql.ts";
import { connectTo, OWNER } from "../../storage/postgres/pool.ts";

/** A statement on some connection. */
export type Run = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;

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

/** How long a transaction may wait for its process, which may be frozen. */
export const LIMIT_IDLE = "SET LOCAL idle_in_transaction_session_timeout = 60000";
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; ${LIMIT_IDLE}`;

export const notKept = (cause?: unknown) =>
  new Error(
    "PostgreSQL kept nothing of the transaction, since one of its statements failed. If onPaid catches such an error, it must roll back to a savepoint that it made before the statement.",
    { cause },
  );

/** The tables of a checkout in one schema, and the statements on them. */
export class PostgresTables {
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
    const client = await connectTo(this.#pool);
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
    const client = await connectTo(this.#pool);
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
    const { meta } = this.#dialect.tables;
    const isMade = async (run: Run) =>
      (await run(`SELECT 1 WHERE to_regclass('${meta}') IS NOT NULL`)).rows.length > 0;
    if (!(await isMade(this.run))) {
      const make = async (run: Run) => {
        await run("SELECT pg_advisory_xact_lock(hashtext('malipo'))::text");
        if (!(await isMade(run))) await run(this.sql());
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
      `${OWNER}: the tables in the schema ${this.#schema} have format ${String(row?.value)}, and this version of malipo reads format ${CHECKOUT_FORMAT}. Use the version that wrote them.`,
    );
  }
}
