import { ConfigurationError } from "../../errors/configuration.ts";
import { MAX_ATTEMPTS } from "./types.ts";

// What every inbox says alike.

/** The text of anything that a handler threw, as a dead letter shows it. */
export function errorText(error: unknown): string {
  try {
    return String(error);
  } catch {
    return "The handler threw a value that has no text.";
  }
}

/** The error of a dead letter of which every attempt killed its process. */
export const PROCESS_DIED = "The process died while it processed this event.";

/** A handler called `transaction` on an inbox without one. No later attempt can succeed. */
export class NoTransactionError extends ConfigurationError {
  /** A property, since the receiver and the inbox may be two copies of the package. */
  readonly isLastAttempt = true;

  constructor() {
    super(
      "The handler called `transaction`, and this inbox has none, so nothing was written. Use sqliteInbox or pgBossInbox (with `boss`, its `db` must support transactions), or do without `transaction` and pass `idempotencyKey` on. Then requeue the event: receiver.deadLetters lists it.",
    );
  }
}

const MAX_CAUSES = 10;

/** Whether a failed attempt was the last one: the event becomes a dead letter. */
export function isLastAttempt(attempt: number, error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++) {
    if ((cause as Partial<NoTransactionError>).isLastAttempt === true) return true;
    cause = cause.cause;
  }
  return attempt >= MAX_ATTEMPTS;
}

export const deadLetterNotFound = (id: string): ConfigurationError =>
  new ConfigurationError(
    `There is no dead letter ${JSON.stringify(id)}. receiver.deadLetters.list() gives them all.`,
  );

export const conflictNotFound = (id: string): ConfigurationError =>
  new ConfigurationError(
    `There is no conflict ${JSON.stringify(id)}. receiver.conflicts.list() gives them all.`,
  );

/** For a method that an inbox of the user's own may leave out. */
export const cannot = (what: string): ConfigurationError =>
  new ConfigurationError(
    `This inbox cannot ${what}. memoryInbox, sqliteInbox, bullmqInbox and pgBossInbox can.`,
  );

export const alreadyStarted = (): ConfigurationError =>
  new ConfigurationError(
    "This inbox has been started already. Create one inbox for each receiver.",
  );

export const leaseLost = (): Error =>
  new Error("The lease was lost: another process has this event now.");

export const receiverStopped = (): Error => new Error("The receiver was stopped.");

/** For a transaction whose event this process no longer has. */
export const notProcessedHere = (): Error =>
  new Error("The event is processed already, or its lease was lost to another process.");

/** The engine neither stored the event nor had it before: it may have failed over in between. */
export class EventMissingError extends Error {
  constructor(engine: string) {
    super(
      `The event is not in ${engine} right after it was added. The delivery is not acknowledged: the service sends it again.`,
    );
  }
}
