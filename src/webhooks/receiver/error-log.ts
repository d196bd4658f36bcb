import { WebhookVerificationError } from "../../errors/webhook.ts";
import { errorText } from "../inbox/errors.ts";

const INTERVAL_MS = 60_000;

/** Lines quote what senders write: neither their number nor their length may depend on it. */
const MAX_LINES = 100;
const MAX_LENGTH = 1_000;

const write = (...what: unknown[]) =>
  // biome-ignore lint/suspicious/noConsole: without it, a lost webhook would be silent
  console.error("malipo webhooks:", ...what);

function afterInterval(run: () => void): void {
  const timer: { unref?: () => void } | number = setTimeout(run, INTERVAL_MS);
  // A timer of a browser or a Worker is a number.
  if (typeof timer === "object") timer.unref?.();
}

const cut = (line: string): string =>
  line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}...` : line;

/** Writes at most 100 different lines a minute, each once, then the number of the rest. */
function limitedLog(): (line: string, ...what: unknown[]) => void {
  /** How many more there were of each line in its last minute. */
  const repeats = new Map<string, number>();
  let left = 0;

  const waitAMinute = (line: string) => {
    repeats.set(line, 0);
    afterInterval(() => {
      const count = repeats.get(line);
      repeats.delete(line);
      if (!count) return;
      write(`${line} (${count} more in the last minute)`);
      waitAMinute(line);
    });
  };

  const leaveOut = () => {
    if (left++ > 0) return;
    afterInterval(() => {
      write(`${left} more errors in the last minute, which differ from the ${MAX_LINES} above.`);
      left = 0;
    });
  };

  return (whole, ...what) => {
    const line = cut(whole);
    const count = repeats.get(line);
    if (count !== undefined) repeats.set(line, count + 1);
    else if (repeats.size >= MAX_LINES) leaveOut();
    else {
      write(...(line === whole ? what : [line, ...what.slice(1)]));
      waitAMinute(line);
    }
  };
}

/**
 * The default of `onError`: writes to the console. A flood of equal errors, such as the requests of an
 * attacker, is one line a minute with their number. A rejected request has no stack: the place in the
 * code tells nothing.
 */
export function createErrorLog(): (error: unknown, attempt?: object) => void {
  const logError = limitedLog();
  // Failed attempts have their own limit, so that they cannot hide a failure of the inbox.
  const logAttempt = limitedLog();
  return (error, attempt) => {
    const text = errorText(error);
    if (attempt !== undefined) {
      logAttempt(`${text} ${JSON.stringify(attempt)}`, error, attempt);
    } else if (error instanceof WebhookVerificationError) {
      const line = `${error.code}: ${error.message}`;
      logError(line, line);
    } else {
      logError(text, error);
    }
  };
}
