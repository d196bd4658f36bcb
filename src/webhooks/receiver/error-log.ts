import { WebhookVerificationError } from "../../errors/webhook.ts";
import { errorText } from "../inbox/errors.ts";

const REPEAT_INTERVAL_MS = 60_000;

const write = (...what: unknown[]) =>
  // biome-ignore lint/suspicious/noConsole: without it, nobody would learn of a lost webhook
  console.error("malipo webhooks:", ...what);

/**
 * The default of `onError`: writes to the console. A flood of equal errors, such as the requests of an
 * attacker, gives one line a minute with their number. A rejected request has no stack: where it was
 * rejected tells nobody anything.
 */
export function createErrorLog(): (error: unknown, attempt?: object) => void {
  /** How many more there were of each error in its last minute. */
  const repeats = new Map<string, number>();

  const waitAMinute = (line: string) => {
    repeats.set(line, 0);
    const timer: { unref?: () => void } | number = setTimeout(() => {
      const count = repeats.get(line);
      repeats.delete(line);
      if (!count) return;
      write(`${line} (${count} more in the last minute)`);
      waitAMinute(line);
    }, REPEAT_INTERVAL_MS);
    // A timer of a browser or a Worker is a number.
    if (typeof timer === "object") timer.unref?.();
  };

  return (error, attempt) => {
    if (attempt !== undefined) {
      write(error, attempt);
      return;
    }
    const isRejection = error instanceof WebhookVerificationError;
    const line = isRejection ? `${error.code}: ${error.message}` : errorText(error);
    const count = repeats.get(line);
    if (count !== undefined) {
      repeats.set(line, count + 1);
      return;
    }
    write(isRejection ? line : error);
    waitAMinute(line);
  };
}
