import pg from "pg";
import type { Db } from "pg-boss";
import { withTimeout } from "../../../internal/timeout.ts";
import { EngineAwayError } from "../errors.ts";

/** How long a rollback may take. After that, the connection is closed, and PostgreSQL rolls back. */
const ROLLBACK_TIMEOUT_MS = 1_000;

/** How long a transaction may wait for its process, which may be frozen, and keep others waiting. */
const IDLE_TIMEOUT_MS = 20_000;

/** How long a statement may take: some of pg-boss's own go over whole tables. */
const STATEMENT_TIMEOUT_MS = 60_000;

export type Begin = NonNullable<Db["beginTransaction"]>;

export const noReply = (): Error => new EngineAwayError("PostgreSQL does not reply.");

/**
 * The connections of an inbox, on which pg-boss works, too. Unlike a pool, they can be closed while
 * PostgreSQL does not reply.
 *
 * @see https://node-postgres.com/apis/pool
 */
export class Database implements Db {
  readonly #pool: pg.Pool;
  readonly #isOwn: boolean;
  readonly #busy = new Set<pg.PoolClient>();

  /** @param source - An address, or a pool, which stays open. */
  constructor(source: string | pg.Pool, max = 10) {
    this.#isOwn = typeof source === "string";
    if (typeof source !== "string") {
      this.#pool = source;
      return;
    }
    const connectionString = source;
    this.#pool = new pg.Pool({
      connectionString,
      max,
      application_name: "malipo",
      connectionTimeoutMillis: 5_000,
      allowExitOnIdle: true,
    });
    // An error of an idle connection would end the process. The next statement reports it.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client) => client.on("error", () => {}));
  }

  readonly executeSql: Db["executeSql"] = async (text, values) => {
    const client = await this.#connect();
    return this.#run(client, text, STATEMENT_TIMEOUT_MS, values).finally(() =>
      this.#release(client),
    );
  };

  readonly beginTransaction: Begin = async () => {
    const client = await this.#connect();
    const begin = `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_TIMEOUT_MS}`;
    await this.#run(client, begin, STATEMENT_TIMEOUT_MS);
    const executeSql: Db["executeSql"] = async (text, values) => {
      if (!this.#busy.has(client)) throw new Error("The transaction has ended.");
      return client.query(text, values);
    };
    const end = async (text: string, timeoutMs: number) => {
      if (!this.#busy.has(client)) return;
      await this.#run(client, text, timeoutMs);
      this.#release(client);
    };
    return {
      db: { executeSql },
      commit: () => end("COMMIT", STATEMENT_TIMEOUT_MS),
      rollback: () => end("ROLLBACK", ROLLBACK_TIMEOUT_MS).catch(() => {}),
    };
  };

  async #connect(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    this.#busy.add(client);
    return client;
  }

  /** A connection whose statement fails is closed. */
  async #run(client: pg.PoolClient, text: string, timeoutMs: number, values?: unknown[]) {
    try {
      return await withTimeout(client.query(text, values), timeoutMs, noReply);
    } catch (error) {
      this.#release(client, true);
      throw error;
    }
  }

  #release(client: pg.PoolClient, close = false): void {
    if (this.#busy.delete(client)) client.release(close);
  }

  /** Closes all connections, those that wait for PostgreSQL included. */
  close(): void {
    for (const client of this.#busy) this.#release(client, true);
    if (this.#isOwn && !this.#pool.ending) void this.#pool.end();
  }
}

/** The connection that a handler's `transaction` passes on with `pgBossInbox`. */
export interface PgBossTransaction {
  /** Runs a statement, as `pg` does. */
  query<Row = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<{ rows: Row[] }>;
  /** The same, as pg-boss calls it: this may be the `db` option of its methods. */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/**
 * Runs something in a transaction of your client. `client` is what the handler's `transaction` passes
 * on, and `db` the same connection for pg-boss: `fromPrisma(tx)`, `fromDrizzle(tx, sql)`,
 * `fromKysely(trx)` or `fromKnex(trx)` of pg-boss.
 */
export type Transact = <Result>(
  // biome-ignore lint/suspicious/noExplicitAny: the client is that of any library
  run: (client: any, db: Db) => Promise<Result>,
) => Promise<Result>;

/** Runs statements in a transaction. After the timeout, it is rolled back. */
export async function inTransaction<Result>(
  begin: Begin,
  run: (db: Db) => Promise<Result>,
  timeoutMs: number,
): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  const inTime = <Value>(promise: Promise<Value>) =>
    withTimeout(promise, Math.max(1, deadline - performance.now()), noReply);
  const begun = begin();
  const { db, commit, rollback } = await inTime(begun).catch((error: unknown) => {
    void begun.then((late) => late.rollback()).catch(() => {});
    throw error;
  });
  try {
    const result = await inTime(run(db));
    await inTime(commit());
    return result;
  } catch (error) {
    await rollback();
    throw error;
  }
}
