// The tables of a component in a database that is a server, for which all statements are sent.

import { once } from "../internal/once.ts";
import type { Semaphore } from "../internal/semaphore.ts";
import { withTimeout } from "../internal/timeout.ts";
import { type Component, metaOf, type ValueTypes } from "./component.ts";
import type { Dialect } from "./dialect.ts";
import { type ConnectionMethods, GuardedClient } from "./guarded-client.ts";
import {
  runLater,
  type Tables,
  type Together,
  type TransactionOptions,
  type WorkedTogether,
} from "./room.ts";
import {
  type Statement,
  type Statements,
  type Step,
  type StepResult,
  type Steps,
  type Value,
  valueIn,
} from "./sql-steps.ts";
import { rolledBack, SAVEPOINT } from "./transaction-end.ts";
import type { Transact } from "./try-transact.ts";

/** A statement as a database takes it, with the names of its values in their order. */
export interface Prepared {
  readonly names: readonly string[];
}

/** Runs a statement of ours on some connection. */
export type RunStatement<Sent extends Prepared> = (
  given: Sent,
  values: readonly Value[],
) => Promise<StepResult>;

/** What a transaction of ours needs to know. */
export interface ServerTransaction {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** Who wrote the code in it. */
  readonly caller?: string;
}

/** What a kind of server does in its own way. */
export interface Server<Sent extends Prepared, Client extends object> {
  readonly dialect: Dialect;
  /** How many transactions with code of the merchant run at once: each may need a second connection of the pool. */
  readonly places: Semaphore;
  readonly transact: Transact | undefined;
  readonly methods: ConnectionMethods;
  /** The time of day, which tests set. */
  readonly now: (() => number) | undefined;
  /** For a call with a limit of time. */
  readonly noReply: () => Error;
  prepare(given: Statement, types: ValueTypes): Sent;
  /** A statement without values and without a count of rows: `SAVEPOINT`. */
  plain(text: string): Sent;
  /** Checks the connection. */
  open(): Promise<void>;
  /** Before the first payment depends on it: once, and again after it failed. @param meta - A table to try it on. */
  tryTransact(meta: string): Promise<void>;
  /** Makes the missing tables. */
  migrate(component: Component): Promise<void>;
  /** An error as the user gets it, with what to do. @param what - What malipo wanted to do with the tables of a component. */
  explained(what: string, error: unknown, component: Component): Promise<unknown>;
  /** Whether a table is gone. */
  isTableMissing(error: unknown): boolean;
  /** Whether a transaction that failed with this error is run again. @param times - How often it has failed so. */
  isAgain(error: unknown, times: number): boolean;
  /** One statement, on a connection of the pool. */
  run(given: Sent, values: readonly Value[], timeoutMs?: number): Promise<StepResult>;
  /** Statements in one transaction of the pool, committed if its result is to be kept. */
  transaction<Result>(
    work: (run: RunStatement<Sent>, client: Client) => Promise<Result>,
    isKept: (result: Result) => boolean,
    options: ServerTransaction,
  ): Promise<Result>;
  /** Statements in a transaction of the merchant. */
  runOn(transaction: unknown): RunStatement<Sent>;
  /** Work in a transaction of the user's library that has begun: with the settings that ours have. */
  withSettings<Result>(run: RunStatement<Sent>, work: () => Promise<Result>): Promise<Result>;
  /** A statement that limits how long the transaction may wait for its process. */
  limitIdle(ms: number): string;
  /** How many rows this connection has written so far; `undefined` if the server does not count. */
  countWritten(run: RunStatement<Sent>): Promise<number | undefined>;
  /** The error for a savepoint that could not be released. */
  savepointError(caller: string, error: unknown): unknown;
  takeWarnings(): string[];
}

/**
 * How long a transaction may wait for the code of the merchant in it, unless that says so. Its process may be frozen, and
 * others wait for the rows that it has written.
 */
export const CODE_IDLE_MS = 60_000;
/** How long it may wait for our own code, which waits for nothing between two statements. */
export const IDLE_MS = 10_000;

/** How long a process that makes the tables may be frozen, and how long others wait for it. */
export const MIGRATION_IDLE_MS = 10_000;
export const MIGRATION_LOCK_MS = 60_000;

/** How long a step waits for a table that another program has locked: all that use the table wait behind the step. */
export const TABLE_LOCK_MS = 5_000;

export const tablesLocked = (cause?: unknown): Error =>
  new Error(
    "Another process has had the tables of malipo locked for too long: it makes them, or holds a transaction or a backup open. They were not changed. Try again when it has ended.",
    { cause },
  );

/** The tables of a component on a server. */
export class ServerTables<
  Name extends string,
  Connection,
  Sent extends Prepared,
  Client extends object,
> implements Tables<Name, Connection>
{
  readonly dialect: Dialect;
  readonly #server: Server<Sent, Client>;
  readonly #component: Component<Name>;
  readonly #statements: Statements<Name>;
  readonly #prepared = new Map<Statement, Sent>();
  #open: () => Promise<void>;

  constructor(server: Server<Sent, Client>, component: Component<Name>) {
    this.#server = server;
    this.dialect = server.dialect;
    this.#component = component;
    this.#statements = component.statements(server.dialect);
    this.#open = this.#opener();
  }

  open(): Promise<void> {
    return this.#open();
  }

  /** Nothing is stored before what the merchant gave has been checked. */
  #opener(): () => Promise<void> {
    const server = this.#server;
    const component = this.#component;
    return once(async () => {
      try {
        await server.open();
        await server.migrate(component);
        await server.tryTransact(metaOf(this.dialect, component));
      } catch (error) {
        const what = `make or read the tables of ${component.what}`;
        throw await server.explained(what, error, component);
      }
    });
  }

  #openIn(timeoutMs: number | undefined): Promise<void> {
    const { noReply } = this.#server;
    return timeoutMs === undefined ? this.open() : withTimeout(this.open(), timeoutMs, noReply);
  }

  /** If the tables are gone that were there before, the next call makes them again. */
  async #noting<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (this.#server.isTableMissing(error)) this.#open = this.#opener();
      throw error;
    }
  }

  #preparedOf(given: Name | Statement): Sent {
    const found = typeof given === "string" ? this.#statements[given] : given;
    const known = this.#prepared.get(found) ?? this.#server.prepare(found, this.#component.types);
    this.#prepared.set(found, known);
    return known;
  }

  /** Steps of this component on some connection. */
  #on<Returned>(steps: Steps<Name, Returned>, run: RunStatement<Sent>): Promise<Returned> {
    const valueAt = (values: Step[1], name: string): Value =>
      valueIn(values, name) ?? (name === "wall" ? (this.#server.now?.() ?? null) : null);
    return runLater(steps, ([given, values]) => {
      const known = this.#preparedOf(given);
      return run(
        known,
        known.names.map((name) => valueAt(values, name)),
      );
    });
  }

  async run<Returned>(steps: () => Steps<Name, Returned>, timeoutMs?: number): Promise<Returned> {
    await this.#openIn(timeoutMs);
    return this.#noting(this.#alone(steps(), timeoutMs));
  }

  /** Each step on a connection of its own. */
  #alone<Returned>(steps: Steps<Name, Returned>, timeoutMs?: number): Promise<Returned> {
    return this.#on(steps, (...given) => this.#server.run(...given, timeoutMs));
  }

  async transaction<Returned>(
    steps: () => Steps<Name, Returned>,
    { isKept = () => true, isSplit = false, timeoutMs }: TransactionOptions<Returned> = {},
  ): Promise<Returned> {
    await this.#openIn(timeoutMs);
    const options = timeoutMs === undefined ? {} : { timeoutMs };
    const once = () =>
      isSplit
        ? this.#alone(steps(), timeoutMs)
        : this.#server.transaction((run) => this.#on(steps(), run), isKept, options);
    for (let failed = 1; ; failed++) {
      try {
        return await this.#noting(once());
      } catch (error) {
        if (!this.#server.isAgain(error, failed)) throw error;
      }
    }
  }

  async within<Returned>(transaction: unknown, steps: () => Steps<Name, Returned>) {
    await this.open();
    return this.#on(steps(), this.#server.runOn(transaction));
  }

  async together<Before, Worked>(
    parts: Together<Name, Before, Worked, Connection>,
  ): Promise<WorkedTogether<Before, Worked>> {
    await this.open();
    const { transact, places } = this.#server;
    return places.use(parts.signal, () =>
      transact === undefined ? this.#byUs(parts) : this.#byThem(parts, transact),
    );
  }

  /** In a transaction of the pool. */
  #byUs<Before, Worked>(parts: Together<Name, Before, Worked, Connection>) {
    const { signal, onLate = () => {}, caller } = parts;
    return this.#server.transaction<WorkedTogether<Before, Worked>>(
      async (run, client) => {
        const guard = new GuardedClient(client, onLate, caller, this.#server.methods);
        try {
          return await this.#worked(parts, run, IDLE_MS, async () => {
            const result = await parts.work(guard.client as unknown as Connection);
            await guard.idle();
            return result;
          });
        } finally {
          guard.end();
        }
      },
      ({ worked }) => worked !== undefined,
      { ...(signal && { signal }), caller },
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
      const run = this.#server.runOn(db);
      const worked = await this.#server.withSettings(run, () =>
        // After it, the transaction waits for further code of the merchant.
        this.#worked(parts, run, CODE_IDLE_MS, async () => parts.work(client as Connection)),
      );
      if (worked.worked !== undefined) return worked;
      notReady = worked;
      throw rollBack;
    }).catch((error: unknown) => {
      if (notReady === undefined) throw error;
      return notReady;
    });
    // What the library said of its COMMIT is not known here.
    if (done.worked !== undefined) await this.#alone(parts.seen(done.before));
    return done;
  }

  /** What stands around the merchant's code, in a transaction that is open. */
  async #worked<Before, Worked>(
    parts: Together<Name, Before, Worked, Connection>,
    run: RunStatement<Sent>,
    idleMs: number,
    work: () => Promise<Worked>,
  ): Promise<WorkedTogether<Before, Worked>> {
    const server = this.#server;
    const before = await this.#on(parts.before(), run);
    if (!parts.isReady(before)) return { before };
    await run(server.plain(`SAVEPOINT ${SAVEPOINT}`), []);
    const writtenBefore = await server.countWritten(run);
    await run(server.plain(server.limitIdle(parts.idleMs ?? CODE_IDLE_MS)), []);
    const result = await work();
    await run(server.plain(`RELEASE SAVEPOINT ${SAVEPOINT}`), []).catch((error: unknown) => {
      throw server.savepointError(parts.caller, error);
    });
    const isEmpty =
      writtenBefore !== undefined && (await server.countWritten(run)) === writtenBefore;
    await run(server.plain(server.limitIdle(idleMs)), []);
    await this.#on(parts.after(before), run);
    if (isEmpty) parts.onEmpty?.();
    return { before, worked: { result } };
  }

  /** A commit waits for the disk. */
  async sync(): Promise<void> {}

  takeWarnings(): string[] {
    return this.#server.takeWarnings();
  }
}

/**
 * The error for a savepoint that could not be released.
 *
 * @param isGone - Whether the code of the merchant has ended the transaction. If a connection was lost, it has not: the
 *   database rolls back.
 */
export const endedBy = (caller: string, error: unknown, isGone: boolean): unknown =>
  isGone ? rolledBack(caller, error) : error;
