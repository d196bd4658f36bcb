import type mysql from "mysql2/promise";
import { ConfigurationError } from "../../errors/configuration.ts";
import type { RunStatement } from "../server-tables.ts";
import { type Row, type StepResult, statement } from "../sql-steps.ts";
import {
  rowsOf as checkedRows,
  type SqlExecutor,
  type Transact,
  tryTransact,
} from "../try-transact.ts";
import { bound, foundRows, type PositionalStatement, positional } from "./mysql-dialect.ts";
import { OWNER } from "./pool.ts";

type Connection = Pick<mysql.Connection, "query">;

/** The rows that a query of the user's executor returned. */
const rowsOf = (result: unknown): Row[] =>
  checkedRows(
    result,
    (given) =>
      `${OWNER}: for a SELECT, executeSql must resolve with { rows }, a list of objects; got ${given}. With mysql2, write executeSql: async (text, values) => ({ rows: (await connection.query(text, values))[0] }).`,
  );

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

type Run = RunStatement<PositionalStatement>;

/** The columns `name` and `value` of a table, in which each process has rows of its own. */
class TriedRows {
  readonly #names = ["a", "b", "c"].map((name) => `${crypto.randomUUID()} ${name}`);
  readonly #add: PositionalStatement;
  readonly #set: PositionalStatement;
  readonly #read: PositionalStatement;
  readonly #drop: PositionalStatement;

  constructor(table: string) {
    const of = (text: string) => positional(statement(text));
    this.#add = of(`INSERT INTO ${table} (name, value) VALUES ($name, 'old')`);
    this.#set = of(`UPDATE ${table} SET value = $value WHERE name = $name`);
    this.#read = of(`SELECT value FROM ${table} WHERE name = $name`);
    this.#drop = of(`DELETE FROM ${table} WHERE name = $name`);
  }

  #name = (at: number): string => this.#names[at] ?? "no such row";
  add = (run: Run, at: number) => run(this.#add, [this.#name(at)]);
  set = async (run: Run, at: number) => (await run(this.#set, ["new", this.#name(at)])).changed;
  read = async (run: Run, at: number) => (await run(this.#read, [this.#name(at)])).rows[0]?.value;
  drop = async (run: Run, at: number) => (await run(this.#drop, [this.#name(at)])).changed;
}

/**
 * @param table - With the columns `name` and `value`.
 * @param run - Runs a statement outside of that transaction.
 * @throws {ConfigurationError} for a `transact` of which a later payment would fail, or be lost.
 */
export async function checkTransact(transact: Transact, table: string, run: Run): Promise<void> {
  const rows = new TriedRows(table);
  await rows.add(run, 0);
  await rows.add(run, 1);
  try {
    await tryTransact(transact, {
      owner: OWNER,
      advice:
        "Write transact: (run) => db.transaction((tx) => run(tx, { executeSql })), where executeSql runs one statement on tx and resolves with { rows }.",
      statements: (db, wrong) => checkStatements(runOn(db), rows, run, wrong),
      add: (db) => rows.add(runOn(db), 2),
      drop: async () => (await rows.drop(run, 2)) > 0,
    });
  } finally {
    await rows.drop(run, 0);
    await rows.drop(run, 1);
  }
}

async function checkStatements(
  within: Run,
  rows: TriedRows,
  run: Run,
  wrong: (what: string) => Error,
): Promise<void> {
  const counts = [await rows.set(within, 0), await rows.set(within, 0), await rows.set(within, 9)];
  if (String(counts) !== "1,1,0") {
    throw wrong(
      'must run all statements on one connection, whose ROW_COUNT() counts the rows that an UPDATE finds. With Sequelize, set dialectOptions: { flags: "FOUND_ROWS" }',
    );
  }
  // By the isolation level REPEATABLE READ, which is the default, it would see what it has seen before.
  await rows.read(within, 1);
  await rows.set(run, 1);
  if ((await rows.read(within, 1)) !== "new") {
    throw wrong(
      'must begin its transactions with the isolation level READ COMMITTED: it does not see what others have committed since. With Prisma, set transactionOptions: { isolationLevel: "ReadCommitted" }',
    );
  }
}
