import { ConfigurationError } from "../../errors/configuration.ts";
import { SQL_ENGINES } from "../../internal/engine-parts.ts";
import { errorText } from "../../internal/error-text.ts";
import { causesOf, EngineAwayError } from "../../storage/engine-away.ts";
import { type Lists, MAX_ATTEMPTS } from "./inbox-types.ts";

// The errors that all inboxes share.

/** The error of a dead letter of which every attempt killed its process. */
export const PROCESS_DIED = "The process died while it processed this event.";

/** A handler called `transaction` on an inbox without one. No later attempt can succeed. */
export class NoTransactionError extends ConfigurationError {
  /** A property, since the receiver and the inbox may be two copies of the package. */
  readonly isLastAttempt = true;

  constructor() {
    super(
      `The handler called \`transaction\`, and this inbox has none, so nothing was written. Use another engine (${SQL_ENGINES}), or do without \`transaction\` and pass \`idempotencyKey\` on. Then requeue the event: receiver.deadLetters lists it, and \`npx malipo inbox requeue <id>\` does the same from a shell.`,
    );
  }
}

/** Whether a failed attempt was the last one: the event becomes a dead letter. */
export function isLastAttempt(attempt: number, error: unknown): boolean {
  const isLast = (cause: Partial<NoTransactionError>) => cause.isLastAttempt === true;
  return causesOf(error).some(isLast) || attempt >= MAX_ATTEMPTS;
}

const LISTS = {
  deadLetters: ["dead letter", ""],
  conflicts: ["conflict", " --conflicts"],
  doublePayments: ["double payment", " --double-payments"],
} as const;

/** For an id that a list does not have. */
export function notFoundIn(list: keyof Lists, id: string): ConfigurationError {
  if (list === "waiting") {
    return new ConfigurationError(
      `There is no event ${JSON.stringify(id)} that waits. It may be processed: \`npx malipo inbox list --waiting\` prints those that are not.`,
    );
  }
  const [what, flag] = LISTS[list];
  return new ConfigurationError(
    `There is no ${what} ${JSON.stringify(id)}. receiver.${list}.list() returns them all, and \`npx malipo inbox list${flag}\` prints them.`,
  );
}

/** What an inbox of the user's own may leave out. @throws {ConfigurationError} if it does. */
export function required<Part>(part: Part | undefined, what: string): Part {
  if (part !== undefined) return part;
  throw new ConfigurationError(
    `This inbox cannot ${what}. Those of memory(), ${SQL_ENGINES} and redis(url) can.`,
  );
}

export const alreadyStarted = (): ConfigurationError =>
  new ConfigurationError(
    "This inbox has been started already. Create one inbox for each receiver.",
  );

/** @param key - That of the event, if it is known. */
export const leaseLost = (key?: string): Error =>
  new Error(
    `The lease of ${key === undefined ? "an event" : `the event ${JSON.stringify(key)}`} was lost: another process has the event now. The handler may have blocked this process for longer than the lease: do long computations in a worker thread.`,
  );

export const receiverStopped = (): Error => new Error("The receiver was stopped.");

/** Acknowledged events were deleted that no process took before their retention ended. */
export class DeletedError extends Error {
  /** A property, since the receiver and the inbox may be two copies of the package. */
  readonly isDeletion = true;
  constructor(count: number) {
    super(
      `${count} acknowledged ${count === 1 ? "event was" : "events were"} deleted without being processed: no process worked on their kinds for the whole retention. Add a handler, or name their kinds in \`ignore\`.`,
    );
  }
}

/** The error of a dead letter whose stored record something else has changed. */
export const unreadable = (error: unknown): string =>
  `The stored event cannot be read: ${errorText(error)}`;

/** For a delivery that came while too many others wait to be stored. */
export const tooManyWaiting = (): Error =>
  new Error(
    "Too many deliveries wait to be stored. This one is not acknowledged: the service sends it again.",
  );

/** For a delivery that could not be stored in time. */
export const notStoredInTime = (ms: number): Error =>
  new EngineAwayError(
    `The delivery was not stored within ${ms / 1_000} s. It is not acknowledged: the service sends it again.`,
  );

/** For a transaction whose event this process no longer has. */
export const notProcessedHere = (): Error =>
  new Error("The event is processed already, or its lease was lost to another process.");
