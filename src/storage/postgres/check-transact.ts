// What a `transact` of the user promises is tried before the first payment depends on it: two processes that do the same
// are told apart by the rows of an UPDATE, and goods commit together with "done".
import { ConfigurationError } from "../../errors/configuration.ts";
import { describeValue } from "../../internal/check-options.ts";
import { isObject } from "../../internal/is-object.ts";

type Rows = readonly Readonly<Record<string, unknown>>[];
interface Executor {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}
type Transact = <Result>(
  run: (client: unknown, db: Executor) => Promise<Result>,
) => Promise<Result>;

const TYPEORM =
  "With TypeORM, write executeSql: async (text, values) => ({ rows: (await manager.queryRunner.query(text, values, true)).records ?? [] }).";

/**
 * The rows of a statement that the user's executor ran.
 *
 * @throws {ConfigurationError} for anything but a list of objects: `query` of TypeORM returns `[rows, count]` for an
 * UPDATE.
 */
export function rowsOf(owner: string, result: unknown): Rows {
  const rows: unknown = (result as { rows?: unknown } | null | undefined)?.rows;
  const isRow = (one: unknown) => isObject(one) && !Array.isArray(one);
  if (Array.isArray(rows) && rows.every(isRow)) return rows;
  const wrong = Array.isArray(rows) ? rows.find((one) => !isRow(one)) : rows;
  throw new ConfigurationError(
    `${owner}: executeSql must resolve with { rows }, a list of objects, also for an UPDATE; a row was ${describeValue(wrong)}. ${TYPEORM}`,
  );
}

/** An error of ours, by which a transaction is rolled back. */
class TriedError extends Error {}

/** Where a `transact` is tried: a table with the columns `name` and `value`, and a row named `format`. */
export interface TransactPlace {
  /** The function of malipo that the user called. */
  readonly owner: string;
  readonly meta: string;
  /** Runs a statement outside of that transaction. */
  run(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** @throws {ConfigurationError} for a `transact` of which a later payment would fail, or be lost. */
export async function checkTransact(
  transact: Transact,
  { owner, meta, run }: TransactPlace,
): Promise<void> {
  const wrong = (what: string) =>
    new ConfigurationError(
      `${owner}: \`transact\` ${what}. Write transact: (run) => db.transaction((tx) => run(tx, fromDrizzle(tx, sql))), or with fromPrisma(tx), fromKysely(tx) or fromKnex(tx): pg-boss exports the four.`,
    );
  const executorOf = (db: Executor | undefined): Executor => {
    if (typeof db?.executeSql === "function") return db;
    const given = describeValue(db);
    throw wrong(`must call run with an object that has executeSql(text, values); got ${given}`);
  };
  const returned = await transact(async (_, db) => {
    const executor = executorOf(db);
    for (const [name, count] of [
      ["format", 1],
      ["no such row", 0],
    ] as const) {
      const text = `UPDATE ${meta} SET value = value WHERE name = $1 RETURNING name`;
      const rows = rowsOf(owner, await executor.executeSql(text, [name]));
      if (rows.length !== count || rows.some((row) => row.name !== name)) {
        throw wrong("must pass the rows on that an UPDATE returns");
      }
    }
    return meta;
  });
  if (returned !== meta) throw wrong("must return what `run` resolves with, and its rows");
  const mark = `try ${crypto.randomUUID()}`;
  const resolved = await transact(async (_, db) => {
    await executorOf(db).executeSql(`INSERT INTO ${meta} VALUES ($1, '')`, [mark]);
    throw new TriedError("malipo tries whether this transaction is rolled back.");
  }).then(
    () => true,
    () => false,
  );
  const { rows } = await run(`DELETE FROM ${meta} WHERE name = $1 RETURNING name`, [mark]);
  if (rows.length > 0)
    throw wrong("must run everything in one transaction, which is rolled back if `run` rejects");
  if (resolved) throw wrong("must reject if `run` rejects");
}
