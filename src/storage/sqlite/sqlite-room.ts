import type { DatabaseSync, StatementSync } from "node:sqlite";
import { ConfigurationError } from "../../errors/configuration.ts";
import { uptimeMs } from "../../internal/retention-clock.ts";
import { isAsyncFunction, isThenable } from "../../internal/thenable.ts";
import { type Component, formatSteps, metaOf, missingSteps, tableSql } from "../component.ts";
import { type Room, runLater, runNow, type Tables, type Together } from "../room.ts";
import {
  returnsRows,
  type Statement,
  type Statements,
  type Step,
  type StepResult,
  type Steps,
  unnamed,
  type Value,
  valueIn,
} from "../sql-steps.ts";
import {
  engineClosed,
  inSentence,
  rolledBack,
  SAVEPOINT,
  TransactionEndedError,
} from "../transaction-end.ts";
import { Disk } from "./disk.ts";
import { FileClock } from "./file-clock.ts";
import { isLocked, whenUnlocked } from "./locks.ts";
import {
  cannotUse,
  isUnusable,
  makeDurable,
  modeWarning,
  openFile,
  type SqliteSource,
  tooOld,
} from "./open-file.ts";
import { fileOf, watchFile } from "./same-file.ts";
import { type BetterSqlite3, sharedDatabase } from "./shared-database.ts";
import { SQLITE } from "./sqlite-dialect.ts";
import { inTransaction, inTransactionWhenUnlocked } from "./transaction.ts";

const OWNER = "sqlite";

const NOT_ASYNC =
  "With SQLite, `transaction` takes a function that is not async: it commits when the function returns.";

/** A transaction whose result is not to be kept. */
class NotKept<Result> extends Error {
  readonly result: Result;
  constructor(result: Result) {
    super("rolled back");
    this.result = result;
  }
}

/** A statement as a connection has prepared it. */
interface PreparedStatement {
  readonly prepared: StatementSync;
  readonly isQuery: boolean;
  /** The names of its values, each once. */
  readonly names: readonly string[];
  /** Which of these stands at each `?`. */
  readonly places: readonly number[];
}

/** Statements that are prepared on one connection, each once. Values are bound by position, since names take longer. */
class Prepared {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<Statement, PreparedStatement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** @param valueAt - The value of a name. */
  run(given: Statement, valueAt: (name: string) => Value): StepResult {
    const known = this.#statements.get(given) ?? this.#prepare(given);
    const { prepared, isQuery, names, places } = known;
    // A clock is read once for a statement.
    const found = names.map(valueAt);
    const values = places.map((at) => found[at] as Value);
    if (isQuery) return { rows: prepared.all(...values), changed: 0 };
    return { rows: [], changed: Number(prepared.run(...values).changes) };
  }

  #prepare(given: Statement): PreparedStatement {
    const { text, names: all } = unnamed(given.text);
    const sql = given.isIfAbsent ? `${text} ON CONFLICT DO NOTHING` : text;
    const names = [...new Set(all)];
    const places = all.map((name) => names.indexOf(name));
    const prepared = this.#database.prepare(sql);
    const known = { prepared, isQuery: returnsRows(sql), names, places };
    this.#statements.set(given, known);
    return known;
  }
}

/** The tables of a component in a file. */
class SqliteTables<Name extends string, Connection> implements Tables<Name, Connection> {
  readonly dialect = SQLITE;
  readonly #room: SqliteRoom<Connection>;
  readonly #component: Component<Name>;
  readonly #statements: Statements<Name>;
  readonly #warnings: string[] = [];
  #prepared: Prepared | undefined;
  #clock: FileClock | undefined;

  constructor(room: SqliteRoom<Connection>, component: Component<Name>) {
    this.#room = room;
    this.#component = component;
    this.#statements = component.statements(SQLITE);
    try {
      // The first operation may come within a transaction of the merchant, which must not make tables.
      this.#open();
    } catch {
      // The first operation reports it, unless another process had the file locked.
    }
  }

  /** @throws while another process has the file locked. */
  #open(): Prepared {
    if (this.#prepared !== undefined) return this.#prepared;
    const { database } = this.#room;
    this.#room.disk();
    const prepared = new Prepared(database);
    inTransaction(database, () => {
      const steps = formatSteps(SQLITE, this.#component);
      const found = runNow(steps, ([given]) => prepared.run(given, () => null));
      for (const sql of missingSteps(SQLITE, this.#component, found).flat()) database.exec(sql);
    });
    this.#clock = new FileClock(database, metaOf(SQLITE, this.#component));
    this.#prepared = prepared;
    return prepared;
  }

  #clockOf(name: string): Value {
    if (name === "wall") return this.#room.now();
    if (name === "uptime") return uptimeMs();
    if (name !== "retention") return null;
    const warning = this.#clock?.advance();
    if (warning !== undefined) this.#warnings.push(warning);
    return this.#clock?.now() ?? null;
  }

  /** A statement at once, on the connection of the file or of the merchant. */
  #run = ([given, values]: Step<Name>, prepared: Prepared = this.#open()): StepResult => {
    const found = typeof given === "string" ? this.#statements[given] : given;
    return prepared.run(found, (name) => valueIn(values, name) ?? this.#clockOf(name));
  };

  open(): Promise<void> {
    return this.#room.use(() => void this.#open());
  }

  run<Returned>(steps: () => Steps<Name, Returned>): Promise<Returned> {
    // Each step by itself: one that finds the file locked is tried again, and those before it are not.
    return runLater(steps(), (step) => this.#room.use(() => this.#run(step)));
  }

  async transaction<Returned>(
    steps: () => Steps<Name, Returned>,
    { isKept, isLater = false }: { isKept?: (result: Returned) => boolean; isLater?: boolean } = {},
  ): Promise<Returned> {
    const work = () => {
      const result = runNow(steps(), this.#run);
      if (isKept?.(result) === false) throw new NotKept(result);
      return result;
    };
    try {
      return await this.#room.use(() => {
        this.#open();
        return this.#room.write(work, isLater);
      });
    } catch (error) {
      if (error instanceof NotKept) return error.result;
      throw error;
    }
  }

  async within<Returned>(transaction: unknown, steps: () => Steps<Name, Returned>) {
    await this.open();
    const prepared = new Prepared(transaction as DatabaseSync);
    const result = runNow(steps(), (step) => this.#run(step, prepared));
    this.#room.disk().check();
    return result;
  }

  async together<Before, Worked>(parts: Together<Name, Before, Worked, Connection>) {
    if (isAsyncFunction(parts.work)) throw new ConfigurationError(NOT_ASYNC);
    await this.open();
    const { database } = this.#room;
    try {
      const done = await inTransactionWhenUnlocked(database, () => this.#togetherNow(parts));
      // What was written to a file that is gone must not count as done in silence.
      this.#room.disk().check();
      return done;
    } catch (error) {
      if (error instanceof NotKept) return { before: error.result as Before };
      throw this.#room.explained(error);
    }
  }

  #togetherNow<Before, Worked>(parts: Together<Name, Before, Worked, Connection>) {
    const { database } = this.#room;
    const before = runNow(parts.before(), this.#run);
    if (!parts.isReady(before)) throw new NotKept(before);
    database.exec(`SAVEPOINT ${SAVEPOINT}`);
    const writtenBefore = this.#countWritten();
    const result = writeNow(() => parts.work(this.#room.connection), parts.caller);
    const isEmpty = this.#countWritten() === writtenBefore;
    // If nothing waits for it, its rejection would end the process.
    if (isThenable(result)) Promise.resolve(result).catch(() => {});
    try {
      database.exec(`RELEASE ${SAVEPOINT}`);
    } catch (error) {
      // https://www.sqlite.org/lang_savepoint.html
      throw /no such savepoint/.test(String(error)) ? rolledBack(parts.caller, error) : error;
    }
    runNow(parts.after(before), this.#run);
    if (isEmpty) parts.onEmpty?.();
    if (isThenable(result)) throw new TransactionEndedError(NOT_ASYNC);
    return { before, worked: { result: result as Worked } };
  }

  /** @see https://www.sqlite.org/lang_corefunc.html#total_changes */
  #countWritten(): unknown {
    return this.#room.database.prepare("SELECT total_changes() AS written").get()?.written;
  }

  sync(): Promise<void> {
    return this.#room.disk().sync();
  }

  takeWarnings(): string[] {
    return this.#warnings.splice(0);
  }
}

/** A lock inside our own transaction is not waited for: this process holds the file. */
function writeNow<Result>(write: () => Result, caller: string): Result {
  try {
    return write();
  } catch (error) {
    if (!isLocked(error)) throw error;
    throw new Error(
      `The file is locked by the transaction of ${inSentence(caller)} itself. Write by the connection that \`transaction\` passes on, not by another one.`,
      { cause: error },
    );
  }
}

/** All SQL that makes the tables of some components. */
export const sqlOf = (components: readonly Component[]): string =>
  components.map((one) => `${tableSql(SQLITE, one).join(";\n")};`).join("\n");

/** How a file is opened. */
export interface SqliteRoomOptions {
  /** The time of day, in milliseconds since 1970. */
  readonly now: () => number;
}

/** A SQLite file, for all processes of one machine. */
export class SqliteRoom<Connection = DatabaseSync> implements Room<Connection> {
  readonly dialect = SQLITE;
  readonly database: DatabaseSync;
  /** What the merchant's code gets. */
  readonly connection: Connection;
  readonly now: () => number;
  readonly #source: SqliteSource;
  readonly #checkFile: () => Error | undefined;
  #disk: Disk | undefined;
  #isClosed = false;

  /** @throws {ConfigurationError} for a file that cannot be used, unless it is locked. */
  constructor(source: string | DatabaseSync | BetterSqlite3, { now }: SqliteRoomOptions) {
    const isPath = typeof source === "string";
    this.database = isPath ? openFile(OWNER, source) : sharedDatabase(source);
    this.connection = (isPath ? this.database : source) as Connection;
    this.now = now;
    this.#source = isPath ? source : this.database;
    this.#checkFile = watchFile(fileOf(this.database));
    try {
      this.disk();
    } catch (error) {
      // If it is locked, the first operation goes on.
      if (isLocked(error)) return;
      this.database.close();
      throw cannotUse(OWNER, this.#source, error);
    }
  }

  /** The disk below the file. @throws while another process has the file locked. */
  disk(): Disk {
    if (this.#disk !== undefined) return this.#disk;
    const row = this.database.prepare("SELECT sqlite_version() AS version").get();
    const problem = tooOld(String(row?.version));
    if (problem !== undefined) throw new ConfigurationError(problem);
    makeDurable(this.database);
    // A delivery touches the index of keys at random: the later a page is written back, the more changes are written at
    // once. This allows 40 MB of log.
    this.database.exec("PRAGMA wal_autocheckpoint = 10000");
    // A file that this process may only read is found out now.
    inTransaction(this.database, () => {});
    this.#disk = new Disk(this.database, this.#checkFile);
    return this.#disk;
  }

  /** An error, as the user gets it: with the path of a file that cannot be used, and what to do. */
  explained(error: unknown): unknown {
    const isUsable = this.#disk !== undefined && !isLocked(error) && !isUnusable(error);
    return isUsable ? error : cannotUse(OWNER, this.#source, error);
  }

  /** Works on the file as soon as it is free. The work must have changed nothing if it throws. */
  async use<Result>(work: () => Result): Promise<Result> {
    if (this.#isClosed) throw engineClosed();
    try {
      return await whenUnlocked(() => {
        const disk = this.disk();
        disk.check();
        const result = work();
        // After the work: what was written to a file that is gone cannot be trusted.
        disk.check();
        return result;
      });
    } catch (error) {
      throw error instanceof NotKept ? error : this.explained(error);
    }
  }

  /** Commits, and waits for the disk unless it may be later. */
  write<Result>(work: () => Result, isLater: boolean): Result {
    if (!isLater || !this.disk().canWait) return inTransaction(this.database, work);
    this.database.exec("PRAGMA synchronous = NORMAL");
    try {
      return inTransaction(this.database, work);
    } finally {
      // For the user's own writes to this database.
      this.database.exec("PRAGMA synchronous = FULL");
    }
  }

  tables<Name extends string>(component: Component<Name>): Tables<Name, Connection> {
    return new SqliteTables(this, component);
  }

  look<Returned>(steps: Steps<never, Returned>): Promise<Returned> {
    const prepared = new Prepared(this.database);
    return runLater(steps, ([given]) => this.use(() => prepared.run(given, () => null)));
  }

  sql(components: readonly Component[]): string {
    return sqlOf(components);
  }

  open(): Promise<void> {
    return this.use(() => {});
  }

  async check(): Promise<string[]> {
    await this.open();
    const warning = modeWarning(this.#source);
    return warning === undefined ? [] : [warning.message];
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#disk?.close();
    this.database.close();
  }
}
