import type pg from "pg";
import { ConfigurationError } from "../../errors/configuration.ts";
import { describeError } from "../../internal/describe-error.ts";
import { type Component, tablesOf } from "../component.ts";
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
import type { Value } from "../sql-steps.ts";
import { inSentence, LeftOpenError } from "../transaction-end.ts";
import type { Transact } from "../try-transact.ts";
import { isAborted, isSavepointGone } from "./aborted-transaction.ts";
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
import { checkTransact, runOn } from "./transact.ts";

type Run = RunStatement<NumberedStatement>;

const limitIdle = (ms: number) => `SET LOCAL idle_in_transaction_session_timeout = ${ms}`;
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; ${limitIdle(IDLE_MS)}`;

const limitLock = (ms: number) => `SET LOCAL lock_timeout = ${ms}`;
/** A process that is frozen does not keep others from starting. */
const BEGIN_MIGRATION = `BEGIN ISOLATION LEVEL READ COMMITTED; ${limitIdle(MIGRATION_IDLE_MS)}; ${limitLock(MIGRATION_LOCK_MS)}`;

/** How often a transaction is run again. */
const MAX_AGAIN = 5;

const notKept = (caller: string, cause?: unknown) =>
  new Error(
    `PostgreSQL kept nothing of the transaction, since one of its statements failed. If ${inSentence(caller)} catches such an error, it must roll back to a savepoint that it made before the statement.`,
    { cause },
  );

type Query = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;

const queryOf =
  (client: pg.PoolClient): Query =>
  (text, values) =>
    client.query(text, values);

/** Runs statements of ours by a client of pg. */
const byQuery =
  (query: Query): Run =>
  async ({ text, isQuery }, values) => {
    const { rows, rowCount } = await query(text, [...values]);
    return isQuery ? { rows, changed: 0 } : { rows: [], changed: rowCount ?? 0 };
  };

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
export interface PostgresRoomOptions extends ServerRoomOptions<pg.Pool> {
  readonly schema: string;
}

/** The version, and settings with which this PostgreSQL can lose what it has acknowledged. */
const STATE = `SELECT current_setting('server_version') AS version,
  ARRAY(SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off') AS risks`;

/** If the role lacks no right of ours. */
const NOT_OWNER =
  "Only the owner of the tables may change them to the format of this version. Run the SQL that db.sql() prints as that role.";

/** A PostgreSQL, for all processes of all machines. */
export class PostgresRoom<Connection = pg.PoolClient> extends ServerRoom<
  NumberedStatement,
  pg.PoolClient,
  Connection
> {
  readonly owner = OWNER;
  readonly dialect: Dialect;
  readonly methods = { sends: ["query"], releases: ["release"] };
  readonly prepare = numbered;
  readonly plain = plain;
  readonly isTableMissing = isTableMissing;
  readonly runOn = runOn;
  readonly limitIdle = limitIdle;
  protected readonly withAdvice = explained;
  readonly #schema: string;

  constructor(options: PostgresRoomOptions) {
    const { pool, isOwnPool, schema, now } = options;
    super(options, {
      size: (pool as Partial<pg.Pool>).options?.max ?? 10,
      connect: (waitMs) => connectTo(pool, waitMs),
      checkIdle: async (client: Partial<pg.PoolClient>) => {
        // An older pg does not tell.
        if (["T", "E"].includes(String(client.getTransactionStatus?.()))) throw new LeftOpenError();
      },
      release: (client, isBroken) => client.release(isBroken),
      end: isOwnPool ? () => pool.end() : undefined,
      noReply,
    });
    this.#schema = schema;
    this.dialect = postgresDialect(schema, now !== undefined);
  }

  protected firstSql(): readonly string[] {
    return [`CREATE SCHEMA IF NOT EXISTS ${this.#schema}`];
  }

  /** One statement, on a connection of its own. */
  readonly #query = async (
    text: string,
    values?: unknown[],
    timeoutMs?: number,
  ): Promise<pg.QueryResult> => {
    // The connection is as it was, and is used again.
    const inTheWay = (error: unknown) => {
      if (isInTheWay(error)) return { error };
      throw error;
    };
    const outcome = await this.connections.onIdle(
      (client) => queryOf(client)(text, values).catch(inTheWay),
      { timeoutMs },
    );
    if ("error" in outcome) throw outcome.error;
    return outcome;
  };

  run(given: NumberedStatement, values: readonly Value[], timeoutMs?: number) {
    return byQuery((...sent) => this.#query(...sent, timeoutMs))(given, values);
  }

  /** Statements in one transaction, which is durable, and committed only if its result is to be kept. */
  async transaction<Result>(
    work: (run: Run, client: pg.PoolClient) => Promise<Result>,
    isKept: (result: Result) => boolean,
    { caller = "the code", ...options }: ServerTransaction = {},
  ): Promise<Result> {
    const outcome = await this.connections.onIdle(async (client) => {
      const query = queryOf(client);
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

  protected async tryRights(component: Component): Promise<void> {
    const problem = await this.missingRight(component);
    if (problem !== undefined) throw new ConfigurationError(problem);
  }

  async missingRight(component: Component): Promise<string | undefined> {
    const found = await this.#missingRight(component);
    return found && `${OWNER}: ${found}`;
  }

  #missingRight(component: Component): Promise<string | undefined> {
    return missingRight(this.#query, this.#schema, tablesOf(this.dialect, component));
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

  protected async make(component: Component): Promise<void> {
    await makeTables(() =>
      this.connections.onIdle(async (client) => {
        const query = queryOf(client);
        await query(BEGIN_MIGRATION);
        // Held until the end: two processes may start at the same time.
        await query("SELECT pg_advisory_xact_lock(hashtext('malipo'))::text");
        await query(limitLock(TABLE_LOCK_MS));
        const { rows } = await query("SELECT to_regnamespace($1) IS NULL AS is_new", [
          this.#schema,
        ]);
        // IF NOT EXISTS needs the right to make a schema, also if it is there.
        if (rows[0].is_new) await query(this.firstSql().join(";"));
        for (const steps of await this.missing(component, byQuery(query))) {
          for (const sql of steps) await query(sql);
        }
        await query("COMMIT");
      }),
    ).catch((error: unknown) => {
      throw isLocked(error) ? tablesLocked(error) : error;
    });
  }

  protected async state(): Promise<ServerState> {
    const { version, risks } = (await this.#query(STATE)).rows[0];
    const sentenceOf = (name: string) =>
      `This PostgreSQL loses what it acknowledged when it crashes: \`${name}\` is off. Set \`${name} = on\`.`;
    return { problem: tooOld(version), risks: risks.map(sentenceOf) };
  }

  protected checkTransact(transact: Transact, meta: string): Promise<void> {
    return checkTransact(transact, meta, this.#query);
  }
}
