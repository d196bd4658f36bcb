import type pg from "pg";
import { ConfigurationError } from "../../errors/configuration.ts";
import { describeError } from "../../internal/describe-error.ts";
import { Semaphore } from "../../internal/semaphore.ts";
import { waitAtMost, withTimeout } from "../../internal/timeout.ts";
import { type Component, formatSteps, missingSteps, tableSql, tablesOf } from "../component.ts";
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
import type { Steps, Value } from "../sql-steps.ts";
import { engineClosed, inSentence, LeftOpenError } from "../transaction-end.ts";
import { isAborted, isSavepointGone } from "./aborted-transaction.ts";
import { checkTransact } from "./check-transact.ts";
import { missingRight } from "./engine-state.ts";
import { makeTables } from "./make-tables.ts";
import { connectTo, noReply, OWNER } from "./pool.ts";
import { type NumberedStatement, numbered, postgresDialect } from "./postgres-dialect.ts";
import {
  explained,
  isInTheWay,
  isLocked,
  isTableMissing,
  lacksRight,
  tooOld,
} from "./postgres-errors.ts";
import { runOn, type Transact } from "./transact.ts";

type Run = RunStatement<NumberedStatement>;

const limitIdle = (ms: number) => `SET LOCAL idle_in_transaction_session_timeout = ${ms}`;
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; ${limitIdle(IDLE_MS)}`;

const limitLock = (ms: number) => `SET LOCAL lock_timeout = ${ms}`;
/** A process that is frozen does not keep others from starting. */
const BEGIN_MIGRATION = `BEGIN ISOLATION LEVEL READ COMMITTED; ${limitIdle(MIGRATION_IDLE_MS)}; ${limitLock(MIGRATION_LOCK_MS)}`;

/** How often a transaction is run again. */
const MAX_AGAIN = 5;

/** How long a close waits for the connections that are in use. */
const CLOSE_MS = 500;

const notKept = (caller: string, cause?: unknown) =>
  new Error(
    `PostgreSQL kept nothing of the transaction, since one of its statements failed. If ${inSentence(caller)} catches such an error, it must roll back to a savepoint that it made before the statement.`,
    { cause },
  );

type Query = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;
type Work<Result> = (query: Query, client: pg.PoolClient) => Promise<Result>;

interface ClientOptions {
  /** Its abort closes the connection: PostgreSQL then rolls back, whatever the work does. */
  readonly signal?: AbortSignal;
  /** After that, the connection is closed, too. */
  readonly timeoutMs?: number;
}

/** Whether code of the user has left a transaction open on a connection. An older pg does not tell. */
const isInTransaction = (client: Partial<pg.PoolClient>): boolean =>
  ["T", "E"].includes(String(client.getTransactionStatus?.()));

/** Runs statements of ours by a client of pg. */
const byQuery =
  (query: Query): Run =>
  async ({ text, isQuery }, values) => {
    const { rows, rowCount } = await query(text, [...values]);
    return isQuery ? { rows, changed: 0 } : { rows: [], changed: rowCount ?? 0 };
  };

/** How many transactions of the merchant's code may run at once: each may need a second connection of the pool. */
const placesOf = ({ options }: Partial<pg.Pool>): number => Math.max(1, (options?.max ?? 10) - 1);

/** A statement without values, on any connection. */
function plain(text: string): NumberedStatement {
  return { text, returning: text, names: [], isQuery: true };
}

/**
 * How many rows this connection has written that are not in the statistics yet: those of this transaction at least.
 * Nothing if PostgreSQL does not count.
 *
 * @see https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-STATS-VIEWS
 */
const COUNT_WRITTEN = plain(
  `SELECT SUM(n_tup_ins + n_tup_upd + n_tup_del)::text AS written FROM pg_stat_xact_user_tables
    WHERE current_setting('track_counts') = 'on'`,
);

/** How a database is reached. */
export interface PostgresRoomOptions {
  readonly pool: pg.Pool;
  /** Whether the pool was made for an address: then it is ended with the room. */
  readonly isOwnPool: boolean;
  readonly schema: string;
  readonly transact: Transact | undefined;
  /** The time of day, which tests set. */
  readonly now: (() => number) | undefined;
}

/** The version, and settings with which this PostgreSQL can lose what it has acknowledged. */
const STATE = `SELECT current_setting('server_version') AS version,
  ARRAY(SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off') AS risks`;

/** If the role lacks no right of ours. */
const NOT_OWNER =
  "Only the owner of the tables may change them to the format of this version. Run the SQL that db.sql() prints as that role.";

/** A PostgreSQL, for all processes of all machines. */
export class PostgresRoom<Connection = pg.PoolClient>
  implements Room<Connection>, Server<NumberedStatement, pg.PoolClient>
{
  readonly dialect: Dialect;
  readonly places: Semaphore;
  readonly transact: Transact | undefined;
  readonly methods = { sends: ["query"], releases: ["release"] };
  readonly noReply = noReply;
  readonly prepare = numbered;
  readonly plain = plain;
  readonly isTableMissing = isTableMissing;
  readonly limitIdle = limitIdle;
  readonly now: (() => number) | undefined;
  readonly #options: PostgresRoomOptions;
  /** What closes each connection that is in use. */
  readonly #busy = new Set<() => void>();
  #opening: Promise<void> | undefined;
  #trying: Promise<void> | undefined;
  readonly #warnings = new Set<string>();
  #isClosed = false;

  constructor(options: PostgresRoomOptions) {
    this.#options = options;
    this.transact = options.transact;
    this.now = options.now;
    this.dialect = postgresDialect(options.schema, options.now !== undefined);
    this.places = new Semaphore(placesOf(options.pool));
  }

  tables<Name extends string>(component: Component<Name>): Tables<Name, Connection> {
    return new ServerTables(this, component);
  }

  schemaSql(): string {
    return `CREATE SCHEMA IF NOT EXISTS ${this.#options.schema}`;
  }

  async look<Returned>(steps: Steps<never, Returned>): Promise<Returned> {
    try {
      return await runLater(steps, ([given]) => byQuery(this.query)(plain(given.text), []));
    } catch (error) {
      throw explained("use this database", error);
    }
  }

  sql(components: readonly Component[]): string {
    const all = components.flatMap((one) => tableSql(this.dialect, one));
    return `${[this.schemaSql(), ...all].join(";\n")};`;
  }

  /** One statement, on a connection of its own. */
  readonly query = async (
    text: string,
    values?: unknown[],
    timeoutMs?: number,
  ): Promise<pg.QueryResult> => {
    // The connection is as it was, and is used again.
    const inTheWay = (error: unknown) => {
      if (isInTheWay(error)) return { error };
      throw error;
    };
    const outcome = await this.#onClient(
      (query) => query(text, values).catch(inTheWay),
      timeoutMs === undefined ? {} : { timeoutMs },
    );
    if ("error" in outcome) throw outcome.error;
    return outcome;
  };

  run(given: NumberedStatement, values: readonly Value[], timeoutMs?: number) {
    return byQuery((...sent) => this.query(...sent, timeoutMs))(given, values);
  }

  /** Work on one connection that is in no transaction. */
  async #onClient<Result>(work: Work<Result>, options: ClientOptions = {}): Promise<Result> {
    for (;;) {
      try {
        return await this.#onAny(work, options);
      } catch (error) {
        if (!(error instanceof LeftOpenError)) throw error;
        this.#warnings.add(error.message);
      }
    }
  }

  /**
   * Work on one connection. If the work fails, the connection is closed: what is left on it is not known.
   */
  async #onAny<Result>(work: Work<Result>, { signal, timeoutMs }: ClientOptions): Promise<Result> {
    if (this.#isClosed) throw engineClosed();
    const client = await connectTo(this.#options.pool, timeoutMs);
    let isBroken = false;
    // It may end while the merchant's code does something else: that would end the process.
    const onEnd = () => {
      isBroken = true;
    };
    let isReleased = false;
    const release = () => {
      if (!isReleased) client.release(isBroken);
      isReleased = true;
    };
    const giveUp = () => {
      isBroken = true;
      release();
    };
    this.#busy.add(giveUp);
    client.on("error", onEnd);
    signal?.addEventListener("abort", giveUp);
    try {
      signal?.throwIfAborted();
      if (isInTransaction(client)) throw new LeftOpenError();
      const working = work((text, values) => client.query(text, values), client);
      return await (timeoutMs === undefined ? working : withTimeout(working, timeoutMs, noReply));
    } catch (error) {
      isBroken = true;
      throw error;
    } finally {
      signal?.removeEventListener("abort", giveUp);
      client.off("error", onEnd);
      this.#busy.delete(giveUp);
      release();
    }
  }

  /** Statements in one transaction, which is durable, and committed only if its result is to be kept. */
  async transaction<Result>(
    work: (run: Run, client: pg.PoolClient) => Promise<Result>,
    isKept: (result: Result) => boolean,
    { caller = "the code", ...options }: ServerTransaction = {},
  ): Promise<Result> {
    const outcome = await this.#onClient(async (query, client) => {
      try {
        await query(`${BEGIN}; SELECT ${this.dialect.durable}`);
        const result = await work(byQuery(query), client);
        if (!isKept(result)) {
          await query("ROLLBACK");
          return { result };
        }
        const { command } = await query("COMMIT");
        // https://www.postgresql.org/docs/current/sql-commit.html: an aborted transaction is rolled back, without an error.
        if (command !== "COMMIT") throw notKept(caller);
        return { result };
      } catch (error) {
        // If it cannot be rolled back, the connection is closed.
        await query("ROLLBACK").catch(() => {
          throw error;
        });
        return { error };
      }
    }, options);
    if ("error" in outcome) throw outcome.error;
    return outcome.result as Result;
  }

  runOn(transaction: unknown): Run {
    return runOn(OWNER, transaction);
  }

  isAgain(error: unknown, times: number): boolean {
    return times <= MAX_AGAIN && isInTheWay(error);
  }

  /** The settings end with the transaction. */
  async withSettings<Result>(run: Run, work: () => Promise<Result>): Promise<Result> {
    await run(plain(`SELECT ${this.dialect.durable}`), []);
    await run(plain(limitIdle(CODE_IDLE_MS)), []);
    return work();
  }

  async countWritten(run: Run): Promise<number | undefined> {
    const written = (await run(COUNT_WRITTEN, [])).rows[0]?.written ?? undefined;
    return written === undefined ? undefined : Number(written);
  }

  savepointError(caller: string, error: unknown): unknown {
    return isAborted(error)
      ? notKept(caller, error)
      : endedBy(caller, error, isSavepointGone(error));
  }

  async migrate(component: Component): Promise<void> {
    await this.#makeMissing(component);
    const problem = await this.missingRight(component);
    if (problem !== undefined) throw new ConfigurationError(problem);
  }

  async missingRight(component: Component): Promise<string | undefined> {
    const found = await this.#missingRight(component);
    return found && `${OWNER}: ${found}`;
  }

  #missingRight(component: Component): Promise<string | undefined> {
    return missingRight(this.query, this.#options.schema, tablesOf(this.dialect, component));
  }

  async explained(what: string, error: unknown, component: Component): Promise<unknown> {
    if (!lacksRight(error)) return explained(what, error);
    try {
      const advice = (await this.#missingRight(component)) ?? NOT_OWNER;
      const message = `${OWNER} cannot ${what} (${describeError(error)}). ${advice}`;
      return new ConfigurationError(message, { cause: error });
    } catch {
      // The right to connect is what it lacks.
      return explained(what, error);
    }
  }

  async #makeMissing(component: Component): Promise<void> {
    const { dialect } = this;
    const { schema } = this.#options;
    const missing = async (query: Query) => {
      const steps = formatSteps(dialect, component);
      const found = await runLater(steps, ([given]) => byQuery(query)(plain(given.text), []));
      return missingSteps(dialect, component, found);
    };
    if ((await missing(this.query)).length === 0) return;
    await makeTables(() =>
      this.#onClient(async (query) => {
        await query(BEGIN_MIGRATION);
        // Held until the end: two processes may start at the same time.
        await query("SELECT pg_advisory_xact_lock(hashtext('malipo'))::text");
        await query(limitLock(TABLE_LOCK_MS));
        const { rows } = await query("SELECT to_regnamespace($1) IS NULL AS is_new", [schema]);
        // IF NOT EXISTS needs the right to make a schema, also if it is there.
        if (rows[0].is_new) await query(this.schemaSql());
        for (const steps of await missing(query)) {
          for (const sql of steps) await query(sql);
        }
        await query("COMMIT");
      }),
    ).catch((error: unknown) => {
      throw isLocked(error) ? tablesLocked(error) : error;
    });
  }

  /** Once; again after it failed. */
  open(): Promise<void> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<void> {
    const { version, risks } = await this.#state();
    const problem = tooOld(version);
    if (problem !== undefined) throw new ConfigurationError(`${OWNER}: ${problem}`);
    for (const risk of risks) this.#warnings.add(risk);
  }

  async #state(): Promise<{ version: string; risks: string[] }> {
    const { rows } = await this.query(STATE).catch((error: unknown) => {
      throw explained("use this database", error);
    });
    const { version, risks } = rows[0];
    const sentenceOf = (name: string) =>
      `This PostgreSQL loses what it acknowledged when it crashes: \`${name}\` is off. Set \`${name} = on\`.`;
    return { version, risks: risks.map(sentenceOf) };
  }

  async tryTransact(meta: string): Promise<void> {
    const { transact, query: run } = this;
    if (transact === undefined) return;
    this.#trying ??= checkTransact(transact, { owner: OWNER, meta, run }).catch(
      (error: unknown) => {
        this.#trying = undefined;
        throw error;
      },
    );
    await this.#trying;
  }

  async check(): Promise<string[]> {
    const { version, risks } = await this.#state();
    return [tooOld(version) ?? [], risks].flat();
  }

  takeWarnings(): string[] {
    const warnings = [...this.#warnings];
    this.#warnings.clear();
    return warnings;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const { pool, isOwnPool } = this.#options;
    if (!isOwnPool || pool.ending) return;
    const ending = pool.end();
    // A connection that waits for PostgreSQL would keep the process for minutes.
    if (await waitAtMost(ending, CLOSE_MS)) return;
    for (const giveUp of this.#busy) giveUp();
    await waitAtMost(ending, CLOSE_MS);
  }
}
