// Transactions of a library of the user on PostgreSQL: two processes that do the same are told apart by the rows of an
// UPDATE.
import { ConfigurationError } from "../../errors/configuration.ts";
import type { RunStatement } from "../server-tables.ts";
import type { Row } from "../sql-steps.ts";
import {
  rowsOf as checkedRows,
  type SqlExecutor,
  type Transact,
  tryTransact,
} from "../try-transact.ts";
import { OWNER } from "./pool.ts";
import type { NumberedStatement } from "./postgres-dialect.ts";

type Query = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;

const TYPEORM =
  "With TypeORM, write executeSql: async (text, values) => ({ rows: (await manager.queryRunner.query(text, values, true)).records ?? [] }).";

/** `query` of TypeORM returns `[rows, count]` for an UPDATE. */
const rowsOf = (result: unknown): Row[] =>
  checkedRows(
    result,
    (given) =>
      `${OWNER}: executeSql must resolve with { rows }, a list of objects, also for an UPDATE; a row was ${given}. ${TYPEORM}`,
  );

/** Runs statements on a transaction of the merchant: a client of pg, or an executor for his library. */
export function runOn(transaction: unknown): RunStatement<NumberedStatement> {
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
    const rows = rowsOf(await execute(returning, [...values]));
    return isQuery ? { rows, changed: 0 } : { rows: [], changed: rows.length };
  };
}

/**
 * @param meta - A table with the columns `name` and `value`, and a row named `format`.
 * @param run - Runs a statement outside of that transaction.
 * @throws {ConfigurationError} for a `transact` of which a later payment would fail, or be lost.
 */
export async function checkTransact(transact: Transact, meta: string, run: Query): Promise<void> {
  const mark = `try ${crypto.randomUUID()}`;
  await tryTransact(transact, {
    owner: OWNER,
    advice:
      "Write transact: (run) => db.transaction((tx) => run(tx, fromDrizzle(tx, sql))), or with fromPrisma(tx), fromKysely(tx) or fromKnex(tx): pg-boss exports the four.",
    async statements(db, wrong) {
      for (const [name, count] of [
        ["format", 1],
        ["no such row", 0],
      ] as const) {
        const text = `UPDATE ${meta} SET value = value WHERE name = $1 RETURNING name`;
        const rows = rowsOf(await db.executeSql(text, [name]));
        if (rows.length !== count || rows.some((row) => row.name !== name)) {
          throw wrong("must pass the rows on that an UPDATE returns");
        }
      }
    },
    add: (db) => db.executeSql(`INSERT INTO ${meta} VALUES ($1, '')`, [mark]),
    async drop() {
      const { rows } = await run(`DELETE FROM ${meta} WHERE name = $1 RETURNING name`, [mark]);
      return rows.length > 0;
    },
  });
}
