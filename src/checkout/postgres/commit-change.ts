// The transaction of a change. That of `onPaid` is believed only if the change was read in it after the merchant's code.
import type pg from "pg";
import { ConfigurationError } from "../../errors/configuration.ts";
import { DURABLE } from "../../idempotency/postgres/statements.ts";
import { isAborted } from "../../storage/postgres/aborted-transaction.ts";
import { rowsOf } from "../../storage/postgres/check-transact.ts";
import { Semaphore } from "../../internal/semaphore.ts";
import {
  type CheckoutStore,
  type Committed,
  type OrderWrite,
  rolledBack,
  type Within,
} from "../checkout-store.ts";
import { commitSteps, isWrittenSteps, type SqlRow } from "../sql.ts";
import { OWNER } from "../../storage/postgres/pool.ts";
import { LIMIT_IDLE, notKept, type PostgresTables, type Run } from "./checkout-tables.ts";
import { GuardedClient } from "../../storage/guarded-client.ts";

/** What runs a statement on the connection of a transaction: pg-boss has it for Prisma and others. */
export interface SqlExecutor {
  /** Runs one statement with the values of `$1`, `$2` and so on. */
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Runs something in a transaction of your client. `client` is what `transaction` passes on. */
export type CheckoutTransact<Client = unknown> = <Result>(
  run: (client: Client, db: SqlExecutor) => Promise<Result>,
) => Promise<Result>;

/** Runs statements on a transaction of the merchant. */
export function runOn(transaction: unknown): Run {
  const given = transaction as Partial<SqlExecutor & { query: Run }>;
  const checked = async (result: unknown) => ({ rows: [...rowsOf(OWNER, await result)] });
  if (typeof given.executeSql === "function")
    return (...args) => checked((given as SqlExecutor).executeSql(...args));
  if (typeof given.query === "function")
    return (...args) => checked((given as { query: Run }).query(...args));
  throw new ConfigurationError(
    "`transaction` must be a pg client in a transaction, or have executeSql(text, values), as fromPrisma(tx) of pg-boss has.",
  );
}

/** A change that is not `done`: its transaction is rolled back. */
class NotCommitted extends Error {
  readonly outcome: Committed;
  constructor(outcome: Committed) {
    super(outcome.state);
    this.outcome = outcome;
  }
}

type Work = NonNullable<Within["work"]>;

/**
 * How many rows this connection has written that are not in the statistics yet: those of this transaction at least.
 *
 * @see https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-STATS-VIEWS
 */
async function countWritten(run: Run): Promise<number> {
  const { rows } = await run(
    "SELECT SUM(n_tup_ins + n_tup_upd + n_tup_del)::text AS written FROM pg_stat_xact_user_tables",
  );
  return Number((rows[0] as SqlRow | undefined)?.written ?? 0);
}

/** How many transactions of `onPaid` may run at once: each may need a second connection of the pool. */
const goodsPlaces = ({ options }: Partial<pg.Pool>): number =>
  Math.max(1, (options?.max ?? 10) - 1);

/** Commits what is written of orders, alone or together with what the merchant's code writes. */
class Committer {
  readonly #tables: PostgresTables;
  readonly #transact: CheckoutTransact | undefined;
  readonly #places: Semaphore;

  constructor(tables: PostgresTables, pool: pg.Pool, transact: CheckoutTransact | undefined) {
    this.#tables = tables;
    this.#transact = transact;
    this.#places = new Semaphore(goodsPlaces(pool));
  }

  async commit(write: OrderWrite, within: Within): Promise<Committed> {
    const { transaction, work, signal } = within;
    const transact = this.#transact;
    if (transaction !== undefined) {
      return this.#tables.steps(commitSteps(write), runOn(transaction));
    }
    try {
      if (work === undefined) {
        return await this.#tables.transaction((run) => this.#commitOn(write, run));
      }
      return await this.#places.use(signal, () =>
        transact === undefined
          ? this.#commitByUs(write, work, within)
          : this.#commitByThem(write, work, transact, within),
      );
    } catch (error) {
      if (error instanceof NotCommitted) return error.outcome;
      throw error;
    }
  }

  /** With the goods, in a transaction of the pool. */
  #commitByUs(write: OrderWrite, work: Work, { onLate = () => {}, onEmpty, signal }: Within) {
    return this.#tables.transaction(async (run, client) => {
      const guard = new GuardedClient(client, onLate);
      try {
        const guarded = async () => {
          await work(guard.client);
          await guard.idle();
        };
        return await this.#commitOn(write, run, guarded, onEmpty);
      } finally {
        guard.end();
      }
    }, signal);
  }

  /** With the goods, in a transaction of the user's client. */
  async #commitByThem(
    write: OrderWrite,
    work: Work,
    transact: CheckoutTransact,
    { onEmpty }: Within,
  ): Promise<Committed> {
    const outcome = await transact(async (client, db) => {
      const run = runOn(db);
      await run(`SELECT ${DURABLE}`);
      await run(LIMIT_IDLE);
      return this.#commitOn(write, run, () => work(client), onEmpty);
    });
    // What the library said of its COMMIT is not known here.
    await this.#readBack(write, this.#tables.run);
    return outcome;
  }

  /** Writes the order, and runs the merchant's code, in a transaction that is open. */
  async #commitOn(
    write: OrderWrite,
    run: Run,
    work?: () => unknown,
    onEmpty?: () => void,
  ): Promise<Committed> {
    const outcome = await this.#tables.steps(commitSteps(write), run);
    if (outcome.state !== "done") throw new NotCommitted(outcome);
    if (work === undefined) return outcome;
    const before = await countWritten(run);
    await work();
    await this.#readBack(write, run).catch((error) => {
      throw isAborted(error) ? notKept(error) : error;
    });
    // Without `track_counts`, nothing is counted: not even the row of the order.
    if (before > 0 && (await countWritten(run)) === before) onEmpty?.();
    return outcome;
  }

  /** @throws {TransactionEndedError} if the order is not as it was written. */
  async #readBack(write: OrderWrite, run: Run): Promise<void> {
    if (!(await this.#tables.steps(isWrittenSteps(write), run))) throw rolledBack();
  }
}

/** How a store commits. @param transact - Of the user, if there is one. */
export function committer(
  tables: PostgresTables,
  pool: pg.Pool,
  transact: CheckoutTransact | undefined,
): CheckoutStore["commit"] {
  const own = new Committer(tables, pool, transact);
  return (write, within = {}) => own.commit(write, within);
}
