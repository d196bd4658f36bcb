// Transactions of a library of the user. What one promises is tried before the first payment depends on it: goods commit
// together with "done".
import { ConfigurationError } from "../errors/configuration.ts";
import { describeValue } from "../internal/check-options.ts";
import { isObject } from "../internal/is-object.ts";
import type { Row } from "./sql-steps.ts";

/** What runs a statement on the connection of a transaction. */
export interface SqlExecutor {
  /** Runs one statement with its values: of `$1`, `$2` and so on in PostgreSQL, and of each `?` in MariaDB and MySQL. */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Runs something in a transaction of your client. `client` is what `transaction` passes on. */
export type Transact<Client = unknown> = <Result>(
  run: (client: Client, db: SqlExecutor) => Promise<Result>,
) => Promise<Result>;

/**
 * The rows that the user's executor returned.
 *
 * @param wrong - What to say about anything but a list of objects.
 * @throws {ConfigurationError}
 */
export function rowsOf(result: unknown, wrong: (given: string) => string): Row[] {
  const rows: unknown = (result as { rows?: unknown } | null | undefined)?.rows;
  const isRow = (one: unknown) => isObject(one) && !Array.isArray(one);
  if (Array.isArray(rows) && rows.every(isRow)) return rows;
  const other = Array.isArray(rows) ? rows.find((one) => !isRow(one)) : rows;
  throw new ConfigurationError(wrong(describeValue(other)));
}

/** An error of ours, by which a transaction is rolled back. */
class TriedError extends Error {}

/** How a `transact` is tried on one kind of server. */
export interface TransactTrial {
  /** The function of malipo that the user called. */
  readonly owner: string;
  /** What to write. */
  readonly advice: string;
  /** Tries statements that succeed. @param wrong - Makes the error for what does not. */
  statements(db: SqlExecutor, wrong: (what: string) => Error): Promise<void>;
  /** Writes a row. */
  add(db: SqlExecutor): Promise<unknown>;
  /** Deletes that row outside of the transaction. Resolves with whether it was there. */
  drop(): Promise<boolean>;
}

/** @throws {ConfigurationError} for a `transact` of which a later payment would fail, or be lost. */
export async function tryTransact(transact: Transact, trial: TransactTrial): Promise<void> {
  const wrong = (what: string) =>
    new ConfigurationError(`${trial.owner}: \`transact\` ${what}. ${trial.advice}`);
  const executorOf = (db: SqlExecutor | undefined): SqlExecutor => {
    if (typeof db?.executeSql === "function") return db;
    const given = describeValue(db);
    throw wrong(`must call run with an object that has executeSql(text, values); got ${given}`);
  };
  const returned = await transact(async (_, db) => {
    await trial.statements(executorOf(db), wrong);
    return trial;
  });
  if (returned !== trial) throw wrong("must return what `run` resolves with");
  const isResolved = await transact(async (_, db) => {
    await trial.add(executorOf(db));
    throw new TriedError("malipo tries whether this transaction is rolled back.");
  }).then(
    () => true,
    () => false,
  );
  if (await trial.drop()) {
    throw wrong("must run everything in one transaction, which is rolled back if `run` rejects");
  }
  if (isResolved) throw wrong("must reject if `run` rejects");
}
