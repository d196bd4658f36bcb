import { ConfigurationError } from "../errors/configuration.ts";

/**
 * The merchant's code has ended the transaction that it ran in: what else it wrote may have been kept, so it is not run
 * again.
 */
export class TransactionEndedError extends Error {
  /** Properties, since the store and what stands on it may be two copies of the package. */
  readonly isTransactionEnded = true;
  readonly isLastAttempt = true;

  constructor(what: string, cause?: unknown) {
    super(`${what} Some of its writes may have been kept, and others not.`, { cause });
  }
}

export const isTransactionEnded = (error: unknown): error is TransactionEndedError =>
  (Object(error) as Partial<TransactionEndedError>).isTransactionEnded === true;

/** Who has written the code, in the middle of a sentence. */
export const inSentence = (caller: string): string => caller.replace(/^The /, "the ");

/** For code that committed or rolled back by itself. @param caller - Who wrote it: `onPaid`. */
export const rolledBack = (caller: string, cause?: unknown): TransactionEndedError =>
  new TransactionEndedError(
    `${caller} committed or rolled back the transaction that \`transaction\` had begun. To give up a transaction, throw an error.`,
    cause,
  );

/** Code of the user has given a connection back to the pool in the middle of a transaction. It is closed. */
export class LeftOpenError extends Error {
  constructor() {
    super(
      "A connection of your pool had a transaction that was left open: what malipo writes in it might never be committed. The connection was closed, and the database has rolled that transaction back. Find the code that gives a connection back without COMMIT or ROLLBACK, or that sends BEGIN by the pool.",
    );
  }
}

/** For a call after the end of an engine. */
export const engineClosed = (): ConfigurationError =>
  new ConfigurationError(
    "This engine was closed, so the call did nothing. Make its calls before close(), or make another engine.",
  );

/** The name of a savepoint that is there as long as the transaction of the merchant's code is. */
export const SAVEPOINT = "malipo_transaction";
