import { isGatewayError } from "../../errors/any.ts";
import { WebhookVerificationError } from "../../errors/webhook.ts";
import { errorText } from "../../internal/error-text.ts";
import { isEngineAway } from "../../storage/engine-away.ts";
import type { FailedAttempt } from "./receiver-options.ts";

const INTERVAL_MS = 60_000;

/** Lines quote what senders write: neither their number nor their length may depend on it. */
const MAX_LINES = 100;
const MAX_LENGTH = 1_000;

type Write = (...what: readonly unknown[]) => void;

const writeAs =
  (name: string): Write =>
  (...what) =>
    // biome-ignore lint/suspicious/noConsole: without it, a lost webhook would be silent
    console.error(`${name}:`, ...what);

function afterInterval(run: () => void): void {
  const timer: { unref?: () => void } | number = setTimeout(run, INTERVAL_MS);
  // A timer of a browser or a Worker is a number.
  if (typeof timer === "object") timer.unref?.();
}

const cut = (line: string): string =>
  line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}...` : line;

/**
 * Writes at most 100 different lines a minute, each once, then the number of the rest. Lines of one kind
 * are one line; a line is its own kind, unless another one is given.
 */
function limitedLog(write: Write): (line: string, what: readonly unknown[], kind?: string) => void {
  /** How many more there were of each kind in its last minute. */
  const repeats = new Map<string, number>();
  let left = 0;

  const waitAMinute = (kind: string, line: string) => {
    repeats.set(kind, 0);
    afterInterval(() => {
      const count = repeats.get(kind);
      repeats.delete(kind);
      if (!count) return;
      write(`${line} (${count} more in the last minute)`);
      waitAMinute(kind, line);
    });
  };

  const leaveOut = () => {
    if (left++ > 0) return;
    afterInterval(() => {
      write(`${left} more errors in the last minute, which differ from the ${MAX_LINES} above.`);
      left = 0;
    });
  };

  return (whole, what, given = whole) => {
    const [line, kind] = [cut(whole), cut(given)];
    const count = repeats.get(kind);
    if (count !== undefined) repeats.set(kind, count + 1);
    else if (repeats.size >= MAX_LINES) leaveOut();
    else {
      write(...(line === whole ? what : [line, ...what.slice(1)]));
      waitAMinute(kind, line);
    }
  };
}

/**
 * The default of `onError`: writes to the console. A flood of equal errors, such as the requests of an
 * attacker, is one line a minute with their number. A rejected request has no stack: the place in the
 * code tells nothing. Nor has an engine that is away, which fails in many ways: it is one line a minute. An
 * event that fails in the same way at each retry is one line a minute, and one when it is a dead letter.
 *
 * @param name - What each line begins with.
 */
export function createErrorLog(
  name = "malipo webhooks",
): (error: unknown, attempt?: FailedAttempt) => void {
  const write = writeAs(name);
  const logError = limitedLog(write);
  // Failed attempts have their own limit, so that they cannot hide a failure of the inbox.
  const logAttempt = limitedLog(write);
  return (error, attempt) => {
    const text = errorText(error);
    if (attempt !== undefined) {
      const { attempt: _, ...same } = attempt;
      logAttempt(`${text} ${JSON.stringify(same)}`, [error, attempt]);
    } else if (error instanceof WebhookVerificationError) {
      const line = `${error.code}: ${error.message}`;
      logError(line, [line]);
    } else if (!isGatewayError(error) && isEngineAway(error)) {
      const line = `The inbox or another store cannot be reached, and is tried again: ${text}`;
      logError(line, [cut(line)], "away");
    } else {
      logError(text, [error]);
    }
  };
}
