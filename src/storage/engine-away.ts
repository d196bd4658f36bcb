// Errors of engines: one that is away comes back by itself; for others, a person must change something.
import { ConfigurationError } from "../errors/configuration.ts";
import { errorText } from "../internal/error-text.ts";
import { withTimeout } from "../internal/timeout.ts";

const MAX_CAUSES = 10;

/** An engine does not reply, cannot be reached, or takes nothing now. */
export class EngineAwayError extends Error {
  /** A property, since the receiver and the inbox may be two copies of the package. */
  readonly isEngineAway = true;
}

/** Codes of Node, of PostgreSQL while it stops or starts, and of mysql2. */
const AWAY_CODES =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|57P0[123]|08\d{3}|PROTOCOL_CONNECTION_LOST)$/;

/** What ioredis and pg say without a code. */
const AWAY_TEXTS =
  /^(?:MaxRetriesPerRequestError|Error: (?:Connection is closed|Connection terminated|Command timed out|timeout exceeded when trying to connect|timeout expired|Stream isn't writeable))/;

/** An error, and those that it was made of. */
export function causesOf(error: unknown): readonly Error[] {
  const found: Error[] = [];
  for (let cause = error; cause instanceof Error && found.length < MAX_CAUSES; ) {
    found.push(cause);
    cause = cause instanceof AggregateError ? cause.errors[0] : cause.cause;
  }
  return found;
}

/** Whether an error says that an engine is away. */
export const isEngineAway = (error: unknown): boolean =>
  causesOf(error).some((cause) => {
    const { isEngineAway: isAway, code } = cause as Partial<EngineAwayError> & { code?: unknown };
    return isAway === true || AWAY_CODES.test(String(code)) || AWAY_TEXTS.test(errorText(cause));
  });

/** Whether waiting heals nothing: a person must change something first. */
export const isPermanent = (error: unknown): boolean =>
  error instanceof ConfigurationError && !isEngineAway(error);

/**
 * Waits at the start of a process until its engine is open. An engine that is away is reported, and the start goes on: it
 * is tried again at each use, so that a deploy does not fail while a database restarts.
 *
 * @throws {ConfigurationError} for what waiting cannot heal.
 */
export async function openAtStart(
  opening: Promise<unknown>,
  timeoutMs: number,
  onError: (error: unknown) => void,
): Promise<void> {
  try {
    const noReply = () => new EngineAwayError("The database does not reply.");
    await withTimeout(opening, timeoutMs, noReply);
  } catch (error) {
    if (isPermanent(error)) throw error;
    onError(error);
  }
}
