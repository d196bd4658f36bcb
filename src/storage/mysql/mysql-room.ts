import type mysql from "mysql2/promise";
import { ConfigurationError } from "../../errors/configuration.ts";
import { describeError } from "../../internal/describe-error.ts";
import { Semaphore } from "../../internal/semaphore.ts";
import { waitAtMost, withTimeout } from "../../internal/timeout.ts";
import { type Component, formatSteps, missingSteps, tableSql } from "../component.ts";
import type { Dialect } from "../dialect.ts";
import { type Room, runLater, type Tables } from "../room.ts";
import {
  CODE_IDLE_MS,
  endedBy,
  IDLE_MS,
  MIGRATION_IDLE_MS,
  MIGRATION_LOCK_MS,
  type RunStatement,
  type Server,
  ServerTables,
  type ServerTransaction,
  TABLE_LOCK_MS,
  tablesLocked,
} from "../server-tables.ts";
import { type Steps, statement, type Value } from "../sql-steps.ts";
import { engineClosed, LeftOpenError } from "../transaction-end.ts";
import { checkTransact } from "./check-transact.ts";
import { missingRightToMake, tryRights, userOf } from "./granted-rights.ts";
import { lockTable, mysqlDialect, type PositionalStatement, positional } from "./mysql-dialect.ts";
import {
  explained,
  isAgain,
  isLocked,
  isSavepointGone,
  isTableMissing,
  isTaken,
  isThere,
  lacksRight,
} from "./mysql-errors.ts";
import { connectTo, noReply, OWNER, sizeOf } from "./pool.ts";
import { settingsProblem, settingsRisks } from "./server-settings.ts";
import { byConnection, checkIdle, runOn, type Transact } from "./transact.ts";

type Run = RunStatement<PositionalStatement>;

const plain = (text: string): PositionalStatement => positional(statement(text));
const query = (text: string): PositionalStatement => ({ text, names: [], kind: "query" });

// A connection that waits longer than this between two statements is closed by the server. It is the one limit that both
// MariaDB and MySQL have for a transaction whose process is frozen.
const limitIdle = (ms: number) =>
  `SET SESSION wait_timeout = ${Math.max(1, Math.ceil(ms / 1_000))}`;
const KEEP_LIMIT = plain("SET @malipo_wait_timeout = @@SESSION.wait_timeout");
/** For those who use the connection next. The merchant's code may have set `autocommit`. */
const RESTORE = plain("SET SESSION wait_timeout = @malipo_wait_timeout, SESSION autocommit = 1");
const BEGIN = [
  KEEP_LIMIT,
  plain(limitIdle(IDLE_MS)),
  plain("SET TRANSACTION ISOLATION LEVEL READ COMMITTED"),
  plain("START TRANSACTION"),
];
// Whatever `completion_type` is.
const COMMIT = plain("COMMIT AND NO CHAIN");
const ROLLBACK = plain("ROLLBACK AND NO CHAIN");

/** Rows that this connection has written. MySQL counts those of its temporary tables, too. */
const WRITTEN = query(
  "SHOW SESSION STATUS WHERE Variable_name IN ('Handler_write', 'Handler_update', 'Handler_delete')",
);

const SETTINGS = query("SHOW VARIABLES");
const DATABASE = query("SELECT DATABASE() AS name");

/** One lock for all tables in a database, whose name may be longer than that of a lock. */
const LOCK_NAME = "CONCAT('malipo ', MD5(DATABASE()))";
const LOCK = plain(`SELECT GET_LOCK(${LOCK_NAME}, ${MIGRATION_LOCK_MS / 1_000}) AS got`);
const UNLOCK = plain(`SELECT RELEASE_LOCK(${LOCK_NAME}) AS released`);
/** A process that is frozen, or a table that another program has locked, does not keep others from starting. */
const LIMIT_MIGRATION = plain(
  `SET SESSION wait_timeout = ${MIGRATION_IDLE_MS / 1_000}, SESSION lock_wait_timeout = ${TABLE_LOCK_MS / 1_000}`,
);

/** How often a transaction is run again that found a unique value taken. */
const MAX_TAKEN = 5;

/** How long a close waits for the connections that are in use. */
const CLOSE_MS = 500;

/** How a database is reached. */
export interface MysqlRoomOptions {
  readonly pool: mysql.Pool;
  /** Whether the pool was made for an address: then it is ended with the room. */
  readonly isOwnPool: boolean;
  readonly transact: Transact | undefined;
  /** The time of day, which tests set. */
  readonly now: (() => number) | undefined;
}

/** A MariaDB or MySQL, for all processes of all machines. */
export class MysqlRoom<Connection = mysql.PoolConnection>
  implements Room<Connection>, Server<PositionalStatement, mysql.PoolConnection>
{
  readonly dialect: Dialect;
  readonly places: Semaphore;
  readonly transact: Transact | undefined;
  readonly now: (() => number) | undefined;
  readonly noReply = noReply;
  readonly methods = {
    sends: ["query", "execute", "beginTransaction", "commit", "rollback", "prepare", "changeUser"],
    releases: ["release", "end"],
  };
  readonly prepare = positional;
  readonly plain = plain;
  readonly isTableMissing = isTableMissing;
  readonly runOn = runOn;
  readonly limitIdle = limitIdle;
  readonly #options: MysqlRoomOptions;
  /** What closes each connection that is in use. */
  readonly #busy = new Set<() => void>();
  #opening: Promise<void> | undefined;
  #trying: Promise<void> | undefined;
  #isClosed = false;
  readonly #warnings = new Set<string>();
  /** Each statement on a connection of its own. */
  readonly #run: Run = (...given) => this.run(...given);

  constructor(options: MysqlRoomOptions) {
    const { pool, transact, now } = options;
    this.#options = options;
    this.transact = transact;
    this.now = now;
    this.dialect = mysqlDialect(now !== undefined);
    this.places = new Semaphore(Math.max(1, sizeOf(pool) - 1));
  }

  tables<Name extends string>(component: Component<Name>): Tables<Name, Connection> {
    return new ServerTables(this, component);
  }

  async look<Returned>(steps: Steps<never, Returned>): Promise<Returned> {
    try {
      return await runLater(steps, ([given]) => this.run(plain(given.text), []));
    } catch (error) {
      throw explained("use this database", error);
    }
  }

  sql(components: readonly Component[]): string {
    const all = components.flatMap((one) => tableSql(this.dialect, one));
    return `${[...lockTable(), ...all].join(";\n")};`;
  }

  /** One statement, on a connection of its own. After a deadlock, it has changed nothing, and is run again. */
  async run(given: PositionalStatement, values: readonly Value[], timeoutMs?: number) {
    const options = timeoutMs === undefined ? {} : { timeoutMs };
    for (let failed = 1; ; failed++) {
      try {
        return await this.#onConnection((run) => run(given, values), options);
      } catch (error) {
        if (!isAgain(error, failed)) throw error;
      }
    }
  }

  /** Work on one connection that is in no transaction. */
  async #onConnection<Result>(
    work: (run: Run, connection: mysql.PoolConnection) => Promise<Result>,
    options: ServerTransaction = {},
  ): Promise<Result> {
    if (this.#options.isOwnPool) return this.#onAny(work, options);
    for (let closed = 0; ; closed++) {
      try {
        return await this.#onAny(async (run, connection) => {
          await checkIdle(connection);
          return work(run, connection);
        }, options);
      } catch (error) {
        if (!(error instanceof LeftOpenError) || closed > sizeOf(this.#options.pool)) throw error;
        this.#warnings.add(error.message);
      }
    }
  }

  /** Work on one connection. If the work fails, the connection is closed: what is left on it is not known. */
  async #onAny<Result>(
    work: (run: Run, connection: mysql.PoolConnection) => Promise<Result>,
    { signal, timeoutMs }: ServerTransaction,
  ): Promise<Result> {
    if (this.#isClosed) throw engineClosed();
    const connection = await connectTo(this.#options.pool, timeoutMs);
    let isBroken = false;
    // It may end while the merchant's code does something else: that would end the process.
    const onEnd = () => {
      isBroken = true;
    };
    // The server rolls back what is open on a connection that is closed.
    const giveUp = () => {
      isBroken = true;
      connection.destroy();
    };
    this.#busy.add(giveUp);
    connection.on("error", onEnd);
    signal?.addEventListener("abort", giveUp);
    try {
      signal?.throwIfAborted();
      const working = work(byConnection(connection), connection);
      return await (timeoutMs === undefined ? working : withTimeout(working, timeoutMs, noReply));
    } catch (error) {
      isBroken = true;
      throw error;
    } finally {
      signal?.removeEventListener("abort", giveUp);
      connection.off("error", onEnd);
      this.#busy.delete(giveUp);
      if (isBroken) connection.destroy();
      else connection.release();
    }
  }

  /** Statements in one transaction, which is committed only if its result is to be kept. */
  async transaction<Result>(
    work: (run: Run, connection: mysql.PoolConnection) => Promise<Result>,
    isKept: (result: Result) => boolean,
    options: ServerTransaction = {},
  ): Promise<Result> {
    const outcome = await this.#onConnection(async (run, connection) => {
      const end = async <Ended>(ended: Ended): Promise<Ended> => {
        await run(RESTORE, []);
        return ended;
      };
      try {
        for (const begin of BEGIN) await run(begin, []);
        const result = await work(run, connection);
        await run(isKept(result) ? COMMIT : ROLLBACK, []);
        // It is committed, whatever becomes of the connection.
        return await end({ result }).catch(() => {
          connection.destroy();
          return { result };
        });
      } catch (error) {
        // If it cannot be rolled back, the connection is closed.
        await run(ROLLBACK, []).catch(() => {
          throw error;
        });
        return end({ error });
      }
    }, options);
    if ("error" in outcome) throw outcome.error;
    return outcome.result;
  }

  isAgain(error: unknown, times: number): boolean {
    return isAgain(error, times) || (times <= MAX_TAKEN && isTaken(error));
  }

  async withSettings<Result>(run: Run, work: () => Promise<Result>): Promise<Result> {
    await run(KEEP_LIMIT, []);
    await run(plain(limitIdle(CODE_IDLE_MS)), []);
    try {
      return await work();
    } finally {
      // If the connection is lost, there is nothing to restore.
      await run(plain("SET SESSION wait_timeout = @malipo_wait_timeout"), []).catch(() => {});
    }
  }

  async countWritten(run: Run): Promise<number> {
    const { rows } = await run(WRITTEN, []);
    return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
  }

  savepointError(caller: string, error: unknown): unknown {
    return endedBy(caller, error, isSavepointGone(error));
  }

  async migrate(component: Component): Promise<void> {
    await this.#makeMissing(component);
    await tryRights(this.#run, this.dialect, component);
  }

  async explained(what: string, error: unknown): Promise<unknown> {
    if (!lacksRight(error)) return explained(what, error);
    const { advice } = await userOf(this.#run);
    const message = `${OWNER} cannot ${what} (${describeError(error)}). ${advice}`;
    return new ConfigurationError(message, { cause: error });
  }

  async missingRight(component: Component): Promise<string | undefined> {
    try {
      const missing = await this.#missing(component, this.#run);
      if (missing.length > 0) return await missingRightToMake(this.#run);
      await tryRights(this.#run, this.dialect, component);
      return undefined;
    } catch (error) {
      if (!lacksRight(error)) throw error;
      return describeError(await this.explained(`use the tables of ${component.what}`, error));
    }
  }

  async #missing(component: Component, run: Run) {
    const steps = formatSteps(this.dialect, component);
    const found = await runLater(steps, ([given]) => run(positional(given), []));
    return missingSteps(this.dialect, component, found);
  }

  /** Makes the missing tables. Each statement is committed by itself: what a killed process has begun is done again. */
  async #makeMissing(component: Component): Promise<void> {
    const missing = await this.#missing(component, this.#run);
    if (missing.length === 0) return;
    await this.#locked(async (run) => {
      const steps = await this.#missing(component, run);
      if (steps.length > 0) await this.#make(run, [...lockTable(), ...steps.flat()]);
    });
  }

  async #make(run: Run, statements: readonly string[]): Promise<void> {
    for (const sql of statements) {
      await run(plain(sql), []).catch((error: unknown) => {
        if (!isThere(error)) throw error;
      });
    }
  }

  /** Work that one process of all does at a time. */
  #locked(work: (run: Run) => Promise<void>): Promise<void> {
    return this.#onConnection(async (run, connection) => {
      await run(LIMIT_MIGRATION, []);
      const { rows } = await run(LOCK, []);
      if (Number(rows[0]?.got) !== 1) throw tablesLocked();
      await work(run).catch((error: unknown) => {
        throw isLocked(error) ? tablesLocked(error) : error;
      });
      await run(UNLOCK, []);
      // Its limits are not for others.
      connection.destroy();
    });
  }

  /** Once; again after it failed. */
  open(): Promise<void> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw explained("use this database", error);
    });
    return this.#opening;
  }

  async #open(): Promise<void> {
    const settings = await this.#settings();
    const problem = settingsProblem(settings);
    if (problem !== undefined) throw new ConfigurationError(`${OWNER}: ${problem}`);
    for (const risk of settingsRisks(settings)) this.#warnings.add(risk);
  }

  async tryTransact(meta: string): Promise<void> {
    const { transact } = this;
    if (transact === undefined) return;
    this.#trying ??= checkTransact(transact, meta, this.#run).catch((error: unknown) => {
      this.#trying = undefined;
      throw error;
    });
    await this.#trying;
  }

  async #settings(): Promise<ReadonlyMap<string, string>> {
    // Also of a connection that the settings make unusable.
    const [{ rows }, database] = await this.#onAny(
      async (run) => [await run(SETTINGS, []), await run(DATABASE, [])] as const,
      {},
    );
    const [row] = database.rows;
    const all = rows.map(
      ({ Variable_name, Value }) => [String(Variable_name), String(Value)] as const,
    );
    return new Map([...all, ["database", String(row?.name ?? "")]]);
  }

  async check(): Promise<string[]> {
    const settings = await this.#settings();
    const problem = settingsProblem(settings);
    return [...(problem === undefined ? [] : [problem]), ...settingsRisks(settings)];
  }

  takeWarnings(): string[] {
    const warnings = [...this.#warnings];
    this.#warnings.clear();
    return warnings;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (!this.#options.isOwnPool) return;
    // It rejects for a connection that was lost: that one needs no end.
    const ending = this.#options.pool.end().catch(() => {});
    // A connection that waits for the server would keep the process for minutes.
    if (await waitAtMost(ending, CLOSE_MS)) return;
    for (const giveUp of this.#busy) giveUp();
    await waitAtMost(ending, CLOSE_MS);
  }
}
