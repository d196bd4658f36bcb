import type mysql from "mysql2/promise";
import { ConfigurationError } from "../../errors/configuration.ts";
import { describeValue } from "../../internal/check-options.ts";
import { isObject } from "../../internal/is-object.ts";
import type { RunStatement } from "../server-tables.ts";
import type { Row, StepResult } from "../sql-steps.ts";
import { LeftOpenError } from "../transaction-end.ts";
import { bound, foundRows, type PositionalStatement } from "./mysql-dialect.ts";
import { OWNER } from "./pool.ts";

/** What runs a statement on the connection of a transaction. */
export interface SqlExecutor {
  /** Runs one statement with the values of `?`, in their order. */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Runs something in a transaction of your client. `client` is what `transaction` passes on. */
export type Transact<Client = unknown> = <Result>(
  run: (client: Client, db: SqlExecutor) => Promise<Result>,
) => Promise<Result>;

type Connection = Pick<mysql.Connection, "query">;

/** The rows that a query of the user's executor returned. @throws {ConfigurationError} for anything but a list of objects. */
function rowsOf(result: unknown): Row[] {
  const rows: unknown = (result as { rows?: unknown } | null | undefined)?.rows;
  const isRow = (one: unknown) => isObject(one) && !Array.isArray(one);
  if (Array.isArray(rows) && rows.every(isRow)) return rows;
  const wrong = Array.isArray(rows) ? rows.find((one) => !isRow(one)) : rows;
  throw new ConfigurationError(
    `${OWNER}: for a SELECT, executeSql must resolve with { rows }, a list of objects; got ${describeValue(wrong)}. With mysql2, write executeSql: async (text, values) => ({ rows: (await connection.query(text, values))[0] }).`,
  );
}

/** How many rows a statement has written, by what mysql2 says of it. */
function changedBy({ kind }: PositionalStatement, header: mysql.ResultSetHeader): number {
  const { affectedRows, insertId, info } = header;
  // "Rows matched: 1  Changed: 0", or "Records: 2  Duplicates: 1" for a list of rows, in the language of the server.
  const [first, second] = Array.from(info.matchAll(/\d+/g), Number);
  // A row that is updated to what it was has been written, whether the flag FOUND_ROWS is set or not.
  if (kind === "update") return first ?? affectedRows;
  if (kind !== "insert if absent") return affectedRows;
  if (first !== undefined && first > 1) return affectedRows - (second ?? 0);
  return foundRows(insertId) > 0 ? 0 : affectedRows;
}

/** How rows are returned, for a pool of the user that returns them in another way. */
const AS_BY_DEFAULT: Pick<mysql.QueryOptions, "rowsAsArray" | "nestTables" | "typeCast"> = {
  rowsAsArray: false,
  nestTables: false,
  typeCast: (_, next) => next(),
};

/** Runs statements of ours on a connection of mysql2, whatever its pool was made with. */
export const byConnection =
  (connection: Connection): RunStatement<PositionalStatement> =>
  async (given, all) => {
    const [sql, values] = bound(given, all);
    const options = { ...AS_BY_DEFAULT, sql, values };
    const [result] = await connection.query<mysql.RowDataPacket[] | mysql.ResultSetHeader>(options);
    if (Array.isArray(result)) return { rows: result, changed: 0 };
    return { rows: [], changed: changedBy(given, result) };
  };

// https://dev.mysql.com/doc/dev/mysql-server/latest/mysql__com_8h.html
const IN_TRANSACTION = 1;
const AUTOCOMMIT = 2;

/** @throws {LeftOpenError} if what is written on a connection is not committed by itself. */
export async function checkIdle(connection: Connection): Promise<void> {
  const [{ serverStatus }] = await connection.query<mysql.ResultSetHeader>("DO 0");
  if ((serverStatus & (IN_TRANSACTION | AUTOCOMMIT)) !== AUTOCOMMIT) throw new LeftOpenError();
}

/** Of an executor of the user, only the rows of a query are known. */
const byExecutor =
  ({ executeSql }: SqlExecutor): RunStatement<PositionalStatement> =>
  async (given, all): Promise<StepResult> => {
    const [text, values] = bound(given, all);
    const { kind } = given;
    if (kind === "insert if absent") await executeSql("SELECT LAST_INSERT_ID(0) AS last", []);
    const result = await executeSql(text, values);
    if (kind === "query") return { rows: rowsOf(result), changed: 0 };
    if (kind === "none") return { rows: [], changed: 0 };
    const [row] = rowsOf(
      await executeSql("SELECT ROW_COUNT() AS changed, LAST_INSERT_ID() AS last", []),
    );
    const found = kind === "insert if absent" ? foundRows(Number(row?.last)) : 0;
    return { rows: [], changed: Math.max(0, Number(row?.changed) - found) };
  };

/** Runs statements on a transaction of the merchant: a connection of mysql2, or an executor for his library. */
export function runOn(transaction: unknown): RunStatement<PositionalStatement> {
  const given = transaction as Partial<SqlExecutor & Connection & { promise(): Connection }>;
  if (typeof given.executeSql === "function") {
    return byExecutor({ executeSql: (...args) => (given as SqlExecutor).executeSql(...args) });
  }
  if (typeof given.query === "function") {
    return byConnection(given.promise?.() ?? (given as Connection));
  }
  throw new ConfigurationError(
    "`transaction` must be a connection of mysql2 in a transaction, or have executeSql(text, values), which resolves with { rows }.",
  );
}
