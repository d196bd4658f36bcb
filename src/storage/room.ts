// One database with the tables of malipo in it. A store is written over this, whatever the database is.
import type { Component } from "./component.ts";
import type { Dialect } from "./dialect.ts";
import type { Step, StepResult, Steps } from "./sql-steps.ts";

/** How a transaction is run. */
export interface TransactionOptions<Returned> {
  /** Whether the result is to be kept. If not, everything is rolled back, and the result is returned. */
  readonly isKept?: (result: Returned) => boolean;
  /**
   * It need not be on the disk when this resolves: {@link Tables.sync} waits for it. Only a database that works in this
   * process makes a difference.
   */
  readonly isLater?: boolean;
  /**
   * Each step may be committed by itself: a server then needs no round trips to begin and to commit. If a row was taken
   * meanwhile, all steps are run again, after those that were committed.
   */
  readonly isSplit?: boolean;
  /** How long the database has, in milliseconds. After that, its connection is closed, and everything is rolled back. */
  readonly timeoutMs?: number;
}

/** Code of the merchant that runs in a transaction of ours, and what stands around it. */
export interface Together<Name extends string, Before, Worked, Connection> {
  /** Before the code of the merchant. */
  readonly before: () => Steps<Name, Before>;
  /** Whether the merchant's code runs after it. If not, everything is rolled back. */
  readonly isReady: (before: Before) => boolean;
  readonly work: (connection: Connection) => Worked | Promise<Worked>;
  /**
   * After the merchant's code, in the same transaction. It must throw if what was written before is not there any more, or
   * if this process may not write the end.
   */
  readonly after: (before: Before) => Steps<Name, void>;
  /**
   * After the commit of a transaction of the merchant's library, whose answer is not known: throws unless what was written
   * is there.
   */
  readonly seen: (before: Before) => Steps<Name, void>;
  /** Who has written the code, at the beginning of a sentence: `onPaid`. */
  readonly caller: string;
  /** How long the transaction may wait for the code, in milliseconds, if the database has such a limit. Default: a minute. */
  readonly idleMs?: number | undefined;
  /** Is called if the code has written no row, if the database tells. */
  readonly onEmpty?: (() => void) | undefined;
  /** Is called if the connection is used after the end of the transaction, if that can be seen. */
  readonly onLate?: (() => void) | undefined;
  /** Its abort ends the transaction, whatever the code does. */
  readonly signal?: AbortSignal | undefined;
}

/** What became of it: `worked` is missing if the code of the merchant did not run. */
export interface WorkedTogether<Before, Worked> {
  readonly before: Before;
  readonly worked?: { readonly result: Worked };
}

/** The tables of one component in one database. */
export interface Tables<Name extends string, Connection = unknown> {
  readonly dialect: Dialect;
  /** Makes or migrates the tables, once, and tries what a merchant gave. Each of the other methods does so too. */
  open(): Promise<void>;
  /** Runs steps, each by itself. @param timeoutMs - As {@link TransactionOptions.timeoutMs}, for each step. */
  run<Returned>(steps: () => Steps<Name, Returned>, timeoutMs?: number): Promise<Returned>;
  /** Runs steps in one transaction. It is rolled back if they throw. They may be run again after a deadlock. */
  transaction<Returned>(
    steps: () => Steps<Name, Returned>,
    options?: TransactionOptions<Returned>,
  ): Promise<Returned>;
  /** Runs steps in a transaction of the merchant, which is begun and ended elsewhere. */
  within<Returned>(transaction: unknown, steps: () => Steps<Name, Returned>): Promise<Returned>;
  /** Runs steps and code of the merchant in one transaction, whose end is believed only if it was seen. */
  together<Before, Worked>(
    parts: Together<Name, Before, Worked, Connection>,
  ): Promise<WorkedTogether<Before, Worked>>;
  /** Resolves when all that was committed is on the disk. */
  sync(): Promise<void>;
  /** What the user must know and was not told yet, each once: a clock that was set, a setting that loses data. */
  takeWarnings(): string[];
}

/** A database, and the connections to it. */
export interface Room<Connection = unknown> {
  readonly dialect: Dialect;
  /** The tables of a component. */
  tables<Name extends string>(component: Component<Name>): Tables<Name, Connection>;
  /** Runs queries that name no value. It makes no table. */
  look<Returned>(steps: Steps<never, Returned>): Promise<Returned>;
  /** All SQL of some components, for a user who may not make tables. */
  sql(components: readonly Component[]): string;
  /** Checks the connection. @throws {ConfigurationError} for what waiting cannot heal. */
  open(): Promise<void>;
  /** One sentence for each thing that is wrong: with rights, durability, clocks or versions. */
  check(): Promise<string[]>;
  /** The right that its user lacks to make or use the tables of a component, as a sentence. It makes nothing. */
  missingRight?(component: Component): Promise<string | undefined>;
  /** Ends what it has opened itself. A call after this is rejected. */
  close(): Promise<void>;
}

/** The steps of a component, whose statements are known by their names. */
export type Run<Name extends string> = (step: Step<Name>) => StepResult;
export type RunLater<Name extends string> = (step: Step<Name>) => Promise<StepResult>;

/** Runs steps, each at once. */
export function runNow<Name extends string, Returned>(
  steps: Steps<Name, Returned>,
  run: Run<Name>,
): Returned {
  let next = steps.next();
  while (!next.done) next = steps.next(run(next.value));
  return next.value;
}

/** Runs steps, one after another. */
export async function runLater<Name extends string, Returned>(
  steps: Steps<Name, Returned>,
  run: RunLater<Name>,
): Promise<Returned> {
  let next = steps.next();
  while (!next.done) next = steps.next(await run(next.value));
  return next.value;
}
