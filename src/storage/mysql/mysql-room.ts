import type mysql from "mysql2/promise";
import { ConfigurationError } from "../../errors/configuration.ts";
import { describeError } from "../../internal/describe-error.ts";
import type { Component } from "../component.ts";
import type { Dialect } from "../dialect.ts";
import { ServerRoom, type ServerRoomOptions, type ServerState } from "../server-room.ts";
import {
  CODE_IDLE_MS,
  endedBy,
  IDLE_MS,
  MIGRATION_IDLE_MS,
  MIGRATION_LOCK_MS,
  type RunStatement,
  type ServerTransaction,
  TABLE_LOCK_MS,
  tablesLocked,
} from "../server-tables.ts";
import { statement, type Value } from "../sql-steps.ts";
import type { Transact } from "../try-transact.ts";
import {
  explained,
  isAgain,
  isLocked,
  isSavepointGone,
  isTableMissing,
  isTaken,
  isThere,
  lacksRight,
  missingRightToMake,
  settingsProblem,
  settingsRisks,
  tryRights,
  userOf,
} from "./mysql-advice.ts";
import { lockTable, mysqlDialect, type PositionalStatement, positional } from "./mysql-dialect.ts";
import { connectionsOf, type MysqlSource, OWNER } from "./pool.ts";
import { byConnection, checkTransact, runOn } from "./transact.ts";

type Run = RunStatement<PositionalStatement>;

const plain = (text: string): PositionalStatement => positional(statement(text));
const query = (text: string): PositionalStatement => ({ text, names: [], kind: "query" });

// A connection that waits longer than this between two statements is closed by the server. It is the one limit that both
// MariaDB and MySQL have for a transaction whose process is frozen.
const idleLimit = (ms: number) => `SESSION wait_timeout = ${Math.max(1, Math.ceil(ms / 1_000))}`;
const limitIdle = (ms: number) => `SET ${idleLimit(ms)}`;
/** In one round trip. */
const keepAndLimitIdle = (ms: number) =>
  plain(`SET @malipo_wait_timeout = @@SESSION.wait_timeout, ${idleLimit(ms)}`);
/** For those who use the connection next. The merchant's code may have set `autocommit`. */
const RESTORE = plain("SET SESSION wait_timeout = @malipo_wait_timeout, SESSION autocommit = 1");
const BEGIN = [
  keepAndLimitIdle(IDLE_MS),
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

/** How a database is reached. */
export interface MysqlRoomOptions extends Pick<ServerRoomOptions<never>, "transact" | "now"> {
  /** An address, or a pool of the user, which stays open. */
  readonly source: MysqlSource;
}

/** A MariaDB or MySQL, for all processes of all machines. */
export class MysqlRoom<Connection = mysql.PoolConnection> extends ServerRoom<
  PositionalStatement,
  mysql.PoolConnection,
  Connection
> {
  readonly owner = OWNER;
  readonly dialect: Dialect;
  readonly methods = {
    sends: ["query", "execute", "beginTransaction", "commit", "rollback", "prepare", "changeUser"],
    releases: ["release", "end"],
  };
  readonly prepare = positional;
  readonly plain = plain;
  readonly isTableMissing = isTableMissing;
  readonly runOn = runOn;
  readonly limitIdle = limitIdle;
  protected readonly withAdvice = explained;
  protected readonly firstSql = lockTable;
  /** Each statement on a connection of its own. */
  readonly #run: Run = (...given) => this.run(...given);

  constructor(options: MysqlRoomOptions) {
    super(options, connectionsOf(options.source));
    this.dialect = mysqlDialect(options.now !== undefined);
  }

  /** One statement, on a connection of its own. After a deadlock, it has changed nothing, and is run again. */
  async run(given: PositionalStatement, values: readonly Value[], timeoutMs?: number) {
    for (let failed = 1; ; failed++) {
      try {
        return await this.connections.onIdle((one) => byConnection(one)(given, values), {
          timeoutMs,
        });
      } catch (error) {
        if (!isAgain(error, failed)) throw error;
      }
    }
  }

  /** Statements in one transaction, which is committed only if its result is to be kept. */
  async transaction<Result>(
    work: (run: Run, connection: mysql.PoolConnection) => Promise<Result>,
    isKept: (result: Result) => boolean,
    options: ServerTransaction = {},
  ): Promise<Result> {
    const outcome = await this.connections.onIdle(async (connection) => {
      const run = byConnection(connection);
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
    await run(keepAndLimitIdle(CODE_IDLE_MS), []);
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

  protected tryRights(component: Component): Promise<void> {
    return tryRights(this.#run, this.dialect, component);
  }

  async explained(what: string, error: unknown): Promise<unknown> {
    if (!lacksRight(error)) return explained(what, error);
    const { advice } = await userOf(this.#run);
    const message = `${OWNER} cannot ${what} (${describeError(error)}). ${advice}`;
    return new ConfigurationError(message, { cause: error });
  }

  async missingRight(component: Component): Promise<string | undefined> {
    try {
      const missing = await this.missing(component, this.#run);
      if (missing.length > 0) return await missingRightToMake(this.#run);
      await this.tryRights(component);
      return undefined;
    } catch (error) {
      if (!lacksRight(error)) throw error;
      return describeError(await this.explained(`use the tables of ${component.what}`, error));
    }
  }

  /** Each statement is committed by itself: what a killed process has begun is done again. */
  protected make(component: Component): Promise<void> {
    return this.#locked(async (run) => {
      const steps = await this.missing(component, run);
      if (steps.length === 0) return;
      for (const sql of [...lockTable(), ...steps.flat()]) {
        await run(plain(sql), []).catch((error: unknown) => {
          if (!isThere(error)) throw error;
        });
      }
    });
  }

  /** Work that one process of all does at a time. */
  #locked(work: (run: Run) => Promise<void>): Promise<void> {
    return this.connections.onIdle(async (connection) => {
      const run = byConnection(connection);
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

  protected async state(): Promise<ServerState> {
    // Also of a connection that the settings make unusable.
    const [{ rows }, database] = await this.connections.onAny(async (connection) => {
      const run = byConnection(connection);
      return [await run(SETTINGS, []), await run(DATABASE, [])] as const;
    });
    const [row] = database.rows;
    const all = rows.map(
      ({ Variable_name, Value }) => [String(Variable_name), String(Value)] as const,
    );
    const settings = new Map([...all, ["database", String(row?.name ?? "")]]);
    return { problem: settingsProblem(settings), risks: settingsRisks(settings) };
  }

  protected checkTransact(transact: Transact, meta: string): Promise<void> {
    return checkTransact(transact, meta, this.#run);
  }
}
