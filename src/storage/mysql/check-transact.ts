// What a `transact` of the user promises is tried before the first payment depends on it.
import { ConfigurationError } from "../../errors/configuration.ts";
import { describeValue } from "../../internal/check-options.ts";
import type { RunStatement } from "../server-tables.ts";
import { statement } from "../sql-steps.ts";
import { type PositionalStatement, positional } from "./mysql-dialect.ts";
import { OWNER } from "./pool.ts";
import { runOn, type SqlExecutor, type Transact } from "./transact.ts";

/** An error of ours, by which a transaction is rolled back. */
class TriedError extends Error {}

const wrong = (what: string) =>
  new ConfigurationError(
    `${OWNER}: \`transact\` ${what}. Write transact: (run) => db.transaction((tx) => run(tx, { executeSql })), where executeSql runs one statement on tx and resolves with { rows }.`,
  );

/**
 * @param table - With the columns `name` and `value`, and a row named `format`.
 * @param run - Runs a statement outside of that transaction.
 * @throws {ConfigurationError} for a `transact` of which a later payment would fail, or be lost.
 */
export async function checkTransact(
  transact: Transact,
  table: string,
  run: RunStatement<PositionalStatement>,
): Promise<void> {
  const set = positional(statement(`UPDATE ${table} SET value = $value WHERE name = $name`));
  const read = positional(statement(`SELECT value FROM ${table} WHERE name = $name`));
  const valueBy = async (by: typeof run) => (await by(read, ["format"])).rows[0]?.value;
  const runOf = (db: SqlExecutor | undefined) => {
    if (typeof db?.executeSql === "function") return runOn(db);
    throw wrong(
      `must call run with an object that has executeSql(text, values); got ${describeValue(db)}`,
    );
  };
  const returned = await transact(async (_, db) => {
    const within = runOf(db);
    const counts = [];
    for (const name of ["tried", "tried", "no such row"]) {
      counts.push((await within(set, ["1", name])).changed);
    }
    if (String(counts) !== "1,1,0") {
      throw wrong(
        "must run all statements on one connection, on which ROW_COUNT() counts rows that an UPDATE finds. With Sequelize, set dialectOptions: { flags: ['FOUND_ROWS'] }",
      );
    }
    const before = await valueBy(within);
    await run(set, [`not ${String(before)}`.slice(0, 40), "format"]);
    const after = await valueBy(within);
    await run(set, ["1", "format"]);
    if (before === after) {
      throw wrong(
        "must begin its transactions with the isolation level READ COMMITTED: it does not see what others have committed since",
      );
    }
    return table;
  });
  if (returned !== table) throw wrong("must return what `run` resolves with");
  const mark = `try ${crypto.randomUUID()}`;
  const add = positional(statement(`INSERT INTO ${table} (name, value) VALUES ($name, $value)`));
  const resolved = await transact(async (_, db) => {
    await runOf(db)(add, [mark, ""]);
    throw new TriedError("malipo tries whether this transaction is rolled back.");
  }).then(
    () => true,
    () => false,
  );
  const drop = positional(statement(`DELETE FROM ${table} WHERE name = $name`));
  if ((await run(drop, [mark])).changed > 0) {
    throw wrong("must run everything in one transaction, which is rolled back if `run` rejects");
  }
  if (resolved) throw wrong("must reject if `run` rejects");
}
