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
    await checkStatements(transact, rows, run);
  } finally {
    await rows.drop(run, 0);
    await rows.drop(run, 1);
  }
  const isResolved = await transact(async (_, db) => {
    await rows.add(runOf(db), 2);
    throw new TriedError("malipo tries whether this transaction is rolled back.");
  }).then(
    () => true,
    () => false,
  );
  if ((await rows.drop(run, 2)) > 0) {
    throw wrong("must run everything in one transaction, which is rolled back if `run` rejects");
  }
  if (isResolved) throw wrong("must reject if `run` rejects");
}

function runOf(db: SqlExecutor | undefined): Run {
  if (typeof db?.executeSql === "function") return runOn(db);
  throw wrong(
    `must call run with an object that has executeSql(text, values); got ${describeValue(db)}`,
  );
}

async function checkStatements(transact: Transact, rows: TriedRows, run: Run): Promise<void> {
  const returned = await transact(async (_, db) => {
    const within = runOf(db);
    const counts = [
      await rows.set(within, 0),
      await rows.set(within, 0),
      await rows.set(within, 9),
    ];
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
        "must begin its transactions with the isolation level READ COMMITTED: it does not see what others have committed since",
      );
    }
    return rows;
  });
  if (returned !== rows) throw wrong("must return what `run` resolves with");
}
