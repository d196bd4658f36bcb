/**
 * Orders in SQLite.
 *
 * @module malipo/checkout/sqlite
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ConfigurationError } from "../../errors/configuration.ts";
import { parametersOf } from "../../idempotency/sql/statements.ts";
import { TABLE_SQL as KEYS_SQL } from "../../idempotency/sqlite/statements.ts";
import { sqliteIdempotency } from "../../idempotency/sqlite/store.ts";
import { checkOptions, type OptionRows } from "../../internal/check-options.ts";
import { isLocked, whenUnlocked } from "../../storage/sqlite/locks.ts";
import {
  cannotUse,
  makeDurable,
  openFile,
  type SqliteSource,
} from "../../storage/sqlite/open-file.ts";
import { type FileCheck, fileOf, logOf, watchFile } from "../../storage/sqlite/same-file.ts";
import { inTransaction, prepareAll } from "../../storage/sqlite/transaction.ts";
import { isThenable } from "../../internal/thenable.ts";
import { sqliteInbox } from "../../webhooks/inbox/sqlite/inbox.ts";
import { TABLE_SQL as INBOX_SQL } from "../../webhooks/inbox/sqlite/tables.ts";
import {
  type CheckoutStore,
  type Committed,
  type OrderWrite,
  rolledBack,
  storeClosed,
  TransactionEndedError,
  type Within,
} from "../checkout-store.ts";
import type { OrderState } from "../order.ts";
import {
  addDecisionSteps,
  CHECKOUT_FORMAT,
  type CheckoutDialect,
  type CheckoutStatement,
  checkoutStatements,
  checkoutTables,
  commitSteps,
  decisionsSteps,
  dueSteps,
  isWrittenSteps,
  keepSteps,
  listStep,
  orderOfSteps,
  readRow,
  readStep,
  resolveSteps,
  type SqlRow,
  type SqlValues,
  type Step,
  strayStateSteps,
} from "../sql.ts";
import { type BetterSqlite3, sharedDatabase } from "../../storage/sqlite/shared-database.ts";

export type { BetterSqlite3 } from "../../storage/sqlite/shared-database.ts";

const OWNER = "sqliteCheckout";

const DIALECT: CheckoutDialect = {
  tables: {
    orders: "malipo_checkout_orders",
    payments: "malipo_checkout_payments",
    prompts: "malipo_checkout_prompts",
    decisions: "malipo_checkout_decisions",
    meta: "malipo_checkout_meta",
  },
  integer: "INTEGER",
  counter: "INTEGER",
  suffix: " STRICT",
  now: "$clock",
  lockPhone: "SELECT $phone AS phone",
};

const STATEMENTS = checkoutStatements(DIALECT);
/** The names of the values in each statement. */
const NAMES = Object.fromEntries(
  Object.entries(STATEMENTS).map(([name, sql]) => [name, parametersOf(sql)]),
) as unknown as Readonly<Record<CheckoutStatement, readonly string[]>>;

/** Options of a store in SQLite. */
export interface SqliteCheckoutOptions {
  /**
   * A secret that keys the digests of phones. Keep it outside the file. Set it if others may read the
   * file.
   *
   * @default none
   */
  pepper?: string | Uint8Array | undefined;
  /** @internal The clock, in milliseconds since 1970. */
  now?: (() => number) | undefined;
}

const OPTIONS = {
  /** The store of idempotency keys checks it. */
  pepper: (pepper) => pepper,
  now: (now = Date.now) => now,
} satisfies OptionRows<SqliteCheckoutOptions>;

/** What `transaction` of `onPaid` passes on: the database that was given, or that of the path. */
export type ConnectionOf<Source> = Source extends string ? DatabaseSync : Source;

/** A change that is not `done`: its transaction is rolled back. */
class NotCommitted extends Error {
  readonly outcome: Committed;
  constructor(outcome: Committed) {
    super(outcome.state);
    this.outcome = outcome;
  }
}

class SqliteFile {
  readonly database: DatabaseSync;
  readonly #now: () => number;
  readonly #source: SqliteSource;
  readonly #checkFile: FileCheck;
  #checkLog: FileCheck = () => undefined;
  #statements: Readonly<Record<CheckoutStatement, StatementSync>> | undefined;
  isClosed = false;

  constructor(database: DatabaseSync, source: SqliteSource, now: () => number) {
    this.database = database;
    this.#source = source;
    this.#now = now;
    this.#checkFile = watchFile(fileOf(database));
  }

  /** @throws while another process has the file locked. */
  open(): Readonly<Record<CheckoutStatement, StatementSync>> {
    if (this.#statements !== undefined) return this.#statements;
    const { database } = this;
    makeDurable(database);
    inTransaction(database, () => {
      const { meta } = DIALECT.tables;
      const made = database.prepare("SELECT name FROM sqlite_master WHERE name = ?");
      if (made.get(meta) === undefined)
        for (const sql of checkoutTables(DIALECT)) database.exec(sql);
      const row = database.prepare(`SELECT value FROM ${meta} WHERE name = 'format'`).get();
      if (row?.value !== String(CHECKOUT_FORMAT)) throw wrongFormat(row?.value);
    });
    this.#checkLog = watchFile(logOf(database));
    this.#statements = prepareAll(database, STATEMENTS);
    return this.#statements;
  }

  #run([name, values]: Step, database: DatabaseSync): readonly SqlRow[] {
    const statements = this.open();
    const statement =
      database === this.database ? statements[name] : database.prepare(STATEMENTS[name]);
    const all: SqlValues = { ...values, clock: this.#now() };
    return statement.all(Object.fromEntries(NAMES[name].map((one) => [one, all[one] ?? null])));
  }

  /** Runs steps, each at once. */
  steps<Result>(
    steps: Generator<Step, Result, readonly SqlRow[]>,
    database: DatabaseSync = this.database,
  ): Result {
    let next = steps.next();
    while (!next.done) next = steps.next(this.#run(next.value, database));
    return next.value;
  }

  /** @throws if the file is no longer at its path: after a restart, nothing of what was written would be there. */
  checkSame(): void {
    const failure = this.#checkFile() ?? this.#checkLog();
    if (failure !== undefined) throw failure;
  }

  /** Works on the file as soon as it is free. The file is checked after the commit, before the caller hears of it. */
  async use<Result>(work: () => Result): Promise<Result> {
    if (this.isClosed) throw storeClosed();
    try {
      return await whenUnlocked(() => {
        this.open();
        const result = work();
        this.checkSame();
        return result;
      });
    } catch (error) {
      throw isLocked(error) ? cannotUse(OWNER, this.#source, error) : error;
    }
  }

  /** All steps in one transaction. */
  transaction<Result>(steps: () => Generator<Step, Result, readonly SqlRow[]>): Promise<Result> {
    return this.use(() => inTransaction(this.database, () => this.steps(steps())));
  }
}

const NOT_ASYNC =
  "With sqliteCheckout, `transaction` takes a function that is not async: it commits when the function returns.";

/** A lock inside our own transaction is not waited for: this process holds the file. */
function writeNow<Result>(write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    if (!isLocked(error)) throw error;
    throw new Error(
      "The file is locked by the transaction of onPaid itself. Write by the connection that `transaction` passes on, not by another one.",
      { cause: error },
    );
  }
}

const wrongFormat = (format: unknown) =>
  new ConfigurationError(
    `sqliteCheckout: the tables have format ${String(format)}, and this version of malipo reads format ${CHECKOUT_FORMAT}. Use the version that wrote them.`,
  );

/** How a store commits. @param connection - What the code of the merchant gets. */
function committer<Connection>(
  file: SqliteFile,
  connection: Connection,
): CheckoutStore<Connection>["commit"] {
  const { database } = file;
  // https://www.sqlite.org/lang_corefunc.html#total_changes
  const countWritten = () => database.prepare("SELECT total_changes() AS written").get()?.written;
  const commitNow = (write: OrderWrite, { work, onEmpty }: Within<Connection>): Committed => {
    const outcome = file.steps(commitSteps(write));
    if (outcome.state !== "done") throw new NotCommitted(outcome);
    if (work === undefined) return outcome;
    const before = countWritten();
    const isLeftOpen = isThenable(writeNow(() => work(connection)));
    if (!file.steps(isWrittenSteps(write))) throw rolledBack();
    if (countWritten() === before) onEmpty?.();
    if (isLeftOpen) throw new TransactionEndedError(NOT_ASYNC);
    return outcome;
  };
  return async (write, within = {}) => {
    const { transaction, isAsync = false } = within;
    if (transaction !== undefined) {
      const committed = file.steps(commitSteps(write), theirs(transaction));
      file.checkSame();
      return committed;
    }
    if (isAsync) throw new ConfigurationError(NOT_ASYNC);
    try {
      return await file.use(() => inTransaction(database, () => commitNow(write, within)));
    } catch (error) {
      if (error instanceof NotCommitted) return error.outcome;
      throw error;
    }
  };
}

/**
 * Keeps orders, attempts, idempotency keys, webhooks and reviews in a SQLite file, for all processes of
 * one machine. Use the file of your shop, so that the goods and "done" commit together.
 *
 * @param source - The path of the file, which is created if it is missing; or your own open database:
 * `DatabaseSync` of Node, or `Database` of better-sqlite3. A file belongs to one of the two libraries: do
 * not pass the path of a file that better-sqlite3 has open in the same process.
 * @throws {ConfigurationError} for a file that cannot be used.
 *
 * @example
 * ```ts
 * import { createCheckout } from "malipo/checkout";
 * import { sqliteCheckout } from "malipo/checkout/sqlite";
 *
 * const checkout = createCheckout({ store: sqliteCheckout("data/shop.db"), onPaid });
 * ```
 */
export function sqliteCheckout<Source extends string | DatabaseSync | BetterSqlite3>(
  source: Source,
  options: SqliteCheckoutOptions = {},
): CheckoutStore<ConnectionOf<Source>> {
  const { pepper, now } = checkOptions(options, OPTIONS, OWNER);
  const isPath = typeof source === "string";
  const database = isPath ? openFile(OWNER, source) : sharedDatabase(source);
  const connection = (isPath ? database : source) as ConnectionOf<Source>;
  const idempotency = sqliteIdempotency(database, { pepper });
  const inbox = sqliteInbox(database);
  const file = new SqliteFile(database, isPath ? source : database, now);
  try {
    file.open();
  } catch (error) {
    // If it is locked, the first operation makes the tables.
    if (!isLocked(error)) throw cannotUse(OWNER, isPath ? source : database, error);
  }
  return {
    idempotency,
    inbox,
    sql: () => [...checkoutTables(DIALECT), KEYS_SQL, INBOX_SQL].join(";\n"),
    open: () => file.use(() => {}),
    close: async () => {
      if (!file.isClosed) inbox.close();
      file.isClosed = true;
    },
    read: async (id, transaction) => {
      const read = (on?: DatabaseSync) => readRow(file.steps(one(readStep(id)), on)[0]);
      return transaction === undefined ? file.use(() => read()) : read(theirs(transaction));
    },
    orderOf: (names) => file.use(() => file.steps(orderOfSteps(names))),
    commit: committer(file, connection),
    due: (count) => file.use(() => file.steps(dueSteps(count))),
    list: (query) => file.use(() => ordersIn(file.steps(one(listStep(query))))),
    byPhone: (phone, count) =>
      file.use(() => ordersIn(file.steps(one(["byPhone", { phone, count }])))),
    keep: (...kept) => file.transaction(() => keepSteps(...kept)),
    unmatched: (count) =>
      file.use(() =>
        file
          .steps(one(["unmatched", { count }]))
          .map(({ report, at }) => ({ report: JSON.parse(String(report)), at: Number(at) })),
      ),
    resolve: (...decided) => file.transaction(() => resolveSteps(...decided)),
    strayOf: (reference) => file.use(() => file.steps(strayStateSteps(reference))),
    addDecision: (line) => file.transaction(() => addDecisionSteps(line)),
    decisions: (count) => file.use(() => file.steps(decisionsSteps(count))),
  };
}

/** The orders of some rows. */
const ordersIn = (rows: readonly SqlRow[]): OrderState[] =>
  rows.map(({ state }) => JSON.parse(String(state)));

/** The merchant's connection, whose transaction is open. */
const theirs = (transaction: unknown) => transaction as DatabaseSync;

/** One statement as steps. */
function* one(step: Step): Generator<Step, readonly SqlRow[], readonly SqlRow[]> {
  return yield step;
}
