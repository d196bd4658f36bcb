import { ConfigurationError } from "../../errors/configuration.ts";
import type { RunStatement } from "../server-tables.ts";
import { rowsOf } from "./check-transact.ts";
import type { NumberedStatement } from "./postgres-dialect.ts";

/** What runs a statement on the connection of a transaction. */
export interface SqlExecutor {
  /** Runs one statement with the values of `$1`, `$2` and so on. */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Runs something in a transaction of your client. `client` is what `transaction` passes on. */
export type Transact<Client = unknown> = <Result>(
  run: (client: Client, db: SqlExecutor) => Promise<Result>,
) => Promise<Result>;

type Query = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;

/** Runs statements on a transaction of the merchant: a client of pg, or an executor for his library. */
export function runOn(owner: string, transaction: unknown): RunStatement<NumberedStatement> {
  const given = transaction as Partial<SqlExecutor & { query: Query }>;
  const execute: Query | undefined =
    typeof given.executeSql === "function"
      ? (...args) => (given as SqlExecutor).executeSql(...args)
      : typeof given.query === "function"
        ? (...args) => (given as { query: Query }).query(...args)
        : undefined;
  if (execute === undefined) {
    throw new ConfigurationError(
      "`transaction` must be a pg client in a transaction, or have executeSql(text, values), which resolves with { rows }.",
    );
  }
  return async ({ returning, isQuery }, values) => {
    const rows = rowsOf(owner, await execute(returning, [...values]));
    return isQuery ? { rows, changed: 0 } : { rows: [], changed: rows.length };
  };
}
