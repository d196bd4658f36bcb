import type pg from "pg";
import { Semaphore } from "../../internal/semaphore.ts";
import { withTimeout } from "../../internal/timeout.ts";
import { type Component, metaOf, missingSteps, tableSql } from "../component.ts";
import type { Dialect } from "../dialect.ts";
import { GuardedClient } from "../guarded-client.ts";
import {
  type Room,
  runLater,
  type Tables,
  type Together,
  type TransactionOptions,
  type WorkedTogether,
} from "../room.ts";
import type { Statement, Statements, Step, Steps, Value } from "../sql-steps.ts";
import { rolledBack, SAVEPOINT } from "../transaction-end.ts";
import { isAborted, isSavepointGone } from "./aborted-transaction.ts";
import { checkTransact } from "./check-transact.ts";
import { makeTables } from "./make-tables.ts";
import { connectTo, noReply, OWNER } from "./pool.ts";
import { type NumberedStatement, numbered, postgresDialect } from "./postgres-dialect.ts";
import { explained, isDeadlock } from "./postgres-errors.ts";
import { type RunStatement, runOn, type Transact } from "./transact.ts";

/** How long a transaction may wait for its process, which may be frozen. */
const IDLE_MS = 60_000;
const limitIdle = (ms: number) => `SET LOCAL idle_in_transaction_session_timeout = ${ms}`;
const BEGIN = `BEGIN ISOLATION LEVEL READ COMMITTED; ${limitIdle(IDLE_MS)}`;

const MAX_DEADLOCKS = 5;

const notKept = (caller: string, cause?: unknown) =>
  new Error(
    `PostgreSQL kept nothing of the transaction, since one of its statements failed. If ${caller} catches such an error, it must roll back to a savepoint that it made before the statement.`,
    { cause },
  );

type Query = (text: string, values?: unknown[]) => Promise<pg.QueryResult>;

/** Runs statements of ours by a client of pg. */
const byQuery =
  (query: Query): RunStatement =>
  async ({ text, isQuery }, values) => {
    const { rows, rowCount } = await query(text, [...values]);
    return isQuery ? { rows, changed: 0 } : { rows: [], changed: rowCount ?? 0 };
  };

/** How many transactions of the merchant's code may run at once: each may need a second connection of the pool. */
const placesOf = ({ options }: Partial<pg.Pool>): number => Math.max(1, (options?.max ?? 10) - 1);

/**
 * How many rows this connection has written that are not in the statistics yet: those of this transaction at least.
 *
 * @see https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-STATS-VIEWS
 */
const COUNT_WRITTEN: NumberedStatement = {
  text: "SELECT SUM(n_tup_ins + n_tup_upd + n_tup_del)::text AS written FROM pg_stat_xact_user_tables",
  returning: "",
  names: [],
  isQuery: true,
};
const counting = { ...COUNT_WRITTEN, returning: COUNT_WRITTEN.text };

/** A statement without values, on any connection. */
const plain = (text: string): NumberedStatement => ({
  text,
  returning: text,
  names: [],
  isQuery: true,
});

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

/** The tables of a component in one schema. */
class PostgresTables<Name extends string, Connection> implements Tables<Name, Connection> {
  readonly dialect: Dialect;
  readonly #room: PostgresRoom<Connection>;
  readonly #component: Component<Name>;
  readonly #statements: Statements<Name>;
  readonly #numbered = new Map<Statement, NumberedStatement>();
  #opening: Promise<void> | undefined;

  constructor(room: PostgresRoom<Connection>, component: Component<Name>) {
    this.#room = room;
    this.dialect = room.dialect;
    this.#component = component;
    this.#statements = component.statements(room.dialect);
  }

  /** Once; again after it failed. */
  open(): Promise<void> {
    this.#opening ??= this.#migrate().catch((error: unknown) => {
      this.#opening = undefined;
      throw explained(`make or read the tables of ${this.#component.what}`, error);
    });
    return this.#opening;
  }

  async #migrate(): Promise<void> {
    const { dialect } = this;
    const meta = metaOf(dialect, this.#component);
    const formatOn = async (query: Query): Promise<string | undefined> => {
      const { rows: made } = await query(`SELECT 1 WHERE to_regclass('${meta}') IS NOT NULL`);
      if (made.length === 0) return undefined;
      const { rows } = await query(`SELECT value FROM ${meta} WHERE name = 'format'`);
      return String(rows[0]?.value);
    };
    const missing = async (query: Query) =>
      missingSteps(dialect, this.#component, await formatOn(query));
    if ((await missing(this.#room.query)).length === 0) return;
    await makeTables(() =>
      this.#room.onClient(async (query) => {
        await query(BEGIN);
        // Held until the end: two processes may start at the same time.
        await query("SELECT pg_advisory_xact_lock(hashtext('malipo'))::text");
        for (const steps of await missing(query)) {
          await query(this.#room.schemaSql());
          for (const sql of steps) await query(sql);
        }
        await query("COMMIT");
      }),
    );
  }

  #numberedOf(given: Name | Statement): NumberedStatement {
    const found = typeof given === "string" ? this.#statements[given] : given;
    const known = this.#numbered.get(found) ?? numbered(found, this.#component.types);
    this.#numbered.set(found, known);
    return known;
  }

  /** Steps of this component on some connection. */
  #on<Returned>(steps: Steps<Name, Returned>, run: RunStatement): Promise<Returned> {
    const valueAt = (values: Step[1], name: string): Value =>
      values[name] ?? (name === "wall" ? (this.#room.now?.() ?? null) : null);
    return runLater(steps, ([given, values]) => {
      const known = this.#numberedOf(given);
      return run(
        known,
        known.names.map((name) => valueAt(values, name)),
      );
    });
  }

  async run<Returned>(steps: () => Steps<Name, Returned>): Promise<Returned> {
    await this.open();
    return this.#on(steps(), byQuery(this.#room.query));
  }

  async transaction<Returned>(
    steps: () => Steps<Name, Returned>,
    { isKept = () => true, timeoutMs }: TransactionOptions<Returned> = {},
  ): Promise<Returned> {
    await (timeoutMs === undefined ? this.open() : withTimeout(this.open(), timeoutMs, noReply));
    for (let deadlocks = 0; ; deadlocks++) {
      try {
        return await this.#room.transaction(
          (run) => this.#on(steps(), run),
          isKept,
          timeoutMs === undefined ? {} : { timeoutMs },
        );
      } catch (error) {
        if (deadlocks === MAX_DEADLOCKS || !isDeadlock(error)) throw error;
      }
    }
  }

  async within<Returned>(transaction: unknown, steps: () => Steps<Name, Returned>) {
    await this.open();
    return this.#on(steps(), runOn(OWNER, transaction));
  }

  async together<Before, Worked>(
    parts: Together<Name, Before, Worked, Connection>,
  ): Promise<WorkedTogether<Before, Worked>> {
    await this.open();
    const { transact } = this.#room;
    return this.#room.places.use(parts.signal, () =>
      transact === undefined ? this.#byUs(parts) : this.#byThem(parts, transact),
    );
  }

  /** In a transaction of the pool. */
  #byUs<Before, Worked>(parts: Together<Name, Before, Worked, Connection>) {
    const { signal, onLate = () => {} } = parts;
    return this.#room.transaction<WorkedTogether<Before, Worked>>(
      async (run, client) => {
        const guard = new GuardedClient(client, onLate, parts.caller);
        try {
          return await this.#worked(parts, run, async () => {
            const result = await parts.work(guard.client as Connection);
            await guard.idle();
            return result;
          });
        } finally {
          guard.end();
        }
      },
      ({ worked }) => worked !== undefined,
      { ...(signal && { signal }), caller: parts.caller },
    );
  }

  /** In a transaction of the user's client. */
  async #byThem<Before, Worked>(
    parts: Together<Name, Before, Worked, Connection>,
    transact: Transact,
  ): Promise<WorkedTogether<Before, Worked>> {
    let notReady: WorkedTogether<Before, Worked> | undefined;
    const rollBack = new Error("malipo rolls this transaction back: nothing was to be done.");
    const done = await transact(async (client, db) => {
      const run = runOn(OWNER, db);
      await run(plain(`SELECT ${this.dialect.durable}`), []);
      await run(plain(limitIdle(IDLE_MS)), []);
      const worked = await this.#worked(parts, run, async () => parts.work(client as Connection));
      if (worked.worked !== undefined) return worked;
      notReady = worked;
      throw rollBack;
    }).catch((error: unknown) => {
      if (notReady === undefined) throw error;
      return notReady;
    });
    // What the library said of its COMMIT is not known here.
    if (done.worked !== undefined) {
      await this.#on(parts.seen(done.before), byQuery(this.#room.query));
    }
    return done;
  }

  /** What stands around the merchant's code, in a transaction that is open. */
  async #worked<Before, Worked>(
    parts: Together<Name, Before, Worked, Connection>,
    run: RunStatement,
    work: () => Promise<Worked>,
  ): Promise<WorkedTogether<Before, Worked>> {
    const { caller } = parts;
    const countWritten = async () => Number((await run(counting, [])).rows[0]?.written ?? 0);
    const before = await this.#on(parts.before(), run);
    if (!parts.isReady(before)) return { before };
    await run(plain(`SAVEPOINT ${SAVEPOINT}`), []);
    const writtenBefore = await countWritten();
    await run(plain(limitIdle(parts.idleMs ?? IDLE_MS)), []);
    const result = await work();
    await run(plain(`RELEASE SAVEPOINT ${SAVEPOINT}`), []).catch((error: unknown) => {
      if (isAborted(error)) throw notKept(caller, error);
      // A lost connection is no fault of the code: PostgreSQL rolls back.
      throw isSavepointGone(error) ? rolledBack(caller, error) : error;
    });
    const isEmpty = (await countWritten()) === writtenBefore;
    await run(plain(limitIdle(IDLE_MS)), []);
    await this.#on(parts.after(before), run);
    if (isEmpty) parts.onEmpty?.();
    return { before, worked: { result } };
  }

  /** A commit waits for the disk. */
  async sync(): Promise<void> {}

  takeWarnings(): string[] {
    return this.#room.takeWarnings();
  }
}

/** Settings with which this PostgreSQL can lose what it has acknowledged. */
const RISKS =
  "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'";

/** A PostgreSQL, for all processes of all machines. */
export class PostgresRoom<Connection = pg.PoolClient> implements Room<Connection> {
  readonly dialect: Dialect;
  readonly places: Semaphore;
  readonly transact: Transact | undefined;
  readonly now: (() => number) | undefined;
  readonly #options: PostgresRoomOptions;
  #opening: Promise<void> | undefined;
  #warnings: string[] = [];

  constructor(options: PostgresRoomOptions) {
    this.#options = options;
    this.transact = options.transact;
    this.now = options.now;
    this.dialect = postgresDialect(options.schema, options.now !== undefined);
    this.places = new Semaphore(placesOf(options.pool));
  }

  tables<Name extends string>(component: Component<Name>): Tables<Name, Connection> {
    return new PostgresTables(this, component);
  }

  schemaSql(): string {
    return `CREATE SCHEMA IF NOT EXISTS ${this.#options.schema}`;
  }

  sql(components: readonly Component[]): string {
    const all = components.flatMap((one) => tableSql(this.dialect, one));
    return `${[this.schemaSql(), ...all].join(";\n")};`;
  }

  /** One statement, on a connection of its own. */
  readonly query: Query = (text, values) => this.onClient((query) => query(text, values));

  /**
   * Work on one connection. If the work fails, the connection is closed: what is left on it is not known.
   *
   * @param signal - Its abort closes the connection: PostgreSQL then rolls back, whatever the work does.
   * @param timeoutMs - After that, the connection is closed, too.
   */
  async onClient<Result>(
    work: (query: Query, client: pg.PoolClient) => Promise<Result>,
    { signal, timeoutMs }: { signal?: AbortSignal; timeoutMs?: number } = {},
  ): Promise<Result> {
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
    client.on("error", onEnd);
    signal?.addEventListener("abort", giveUp);
    try {
      signal?.throwIfAborted();
      const working = work((text, values) => client.query(text, values), client);
      return await (timeoutMs === undefined ? working : withTimeout(working, timeoutMs, noReply));
    } catch (error) {
      isBroken = true;
      throw error;
    } finally {
      signal?.removeEventListener("abort", giveUp);
      client.off("error", onEnd);
      release();
    }
  }

  /** Statements in one transaction, which is durable, and committed only if its result is to be kept. */
  async transaction<Result>(
    work: (run: RunStatement, client: pg.PoolClient) => Promise<Result>,
    isKept: (result: Result) => boolean,
    {
      caller = "the code",
      ...options
    }: { signal?: AbortSignal; timeoutMs?: number; caller?: string } = {},
  ): Promise<Result> {
    const outcome = await this.onClient(async (query, client) => {
      try {
        await query(BEGIN);
        await query(`SELECT ${this.dialect.durable}`);
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

  /** Once; again after it failed. */
  open(): Promise<void> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw explained("use this database", error);
    });
    return this.#opening;
  }

  async #open(): Promise<void> {
    this.#warnings.push(...(await this.check()));
    const { transact } = this;
    if (transact === undefined) return;
    const meta = `${this.#options.schema}.tried`;
    await this.query(
      `${this.schemaSql()}; CREATE TABLE IF NOT EXISTS ${meta} (name text PRIMARY KEY, value text NOT NULL);
      INSERT INTO ${meta} VALUES ('format', '1') ON CONFLICT DO NOTHING`,
    );
    await checkTransact(transact, { owner: OWNER, meta, run: this.query });
  }

  async check(): Promise<string[]> {
    const { rows } = await this.query(RISKS);
    return rows.map(
      ({ name }) =>
        `This PostgreSQL loses what it acknowledged when it crashes: \`${name}\` is off. Set \`${name} = on\`.`,
    );
  }

  takeWarnings(): string[] {
    return this.#warnings.splice(0);
  }

  async close(): Promise<void> {
    const { pool, isOwnPool } = this.#options;
    if (isOwnPool && !pool.ending) await pool.end();
  }
}
