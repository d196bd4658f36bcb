import { ConfigurationError } from "../../errors/configuration.ts";

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

export const deadLetterNotFound = (id: string): ConfigurationError =>
  new ConfigurationError(
    `There is no dead letter ${JSON.stringify(id)}. receiver.deadLetters.list() gives them all.`,
  );

export const conflictNotFound = (id: string): ConfigurationError =>
  new ConfigurationError(
    `There is no conflict ${JSON.stringify(id)}. receiver.conflicts.list() gives them all.`,
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
