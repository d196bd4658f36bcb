import { wrongOption } from "../../internal/check-options.ts";
import { startClocks } from "../../internal/elapsed-time.ts";

/** Until when a call may be sent. */
export interface SendBefore {
  /** How much time the call had when it was made, in milliseconds. */
  readonly limitMs: number;
  /** Why it was not sent. */
  readonly reason: string;
  /** How much time is left, in milliseconds, by the clock that says less. At 0, it must not be sent. */
  leftMs(): number;
}

/** A `Date` may be of another realm, as in Jest. */
function timeOf(given: unknown): number {
  if (typeof given === "number") return given;
  return Object.prototype.toString.call(given) === "[object Date]" ? Number(given) : Number.NaN;
}

/**
 * Notes the clocks now, as the call is made.
 *
 * @throws {ConfigurationError} for anything but a valid date or milliseconds since 1970.
 */
export function sendBeforeOf(given: Date | number): SendBefore {
  const elapsed = startClocks();
  const date = new Date(timeOf(given));
  if (Number.isNaN(date.getTime())) {
    throw wrongOption("sendBefore", "a valid Date or a number of milliseconds since 1970", given);
  }
  const limitMs = date.getTime() - Date.now();
  return {
    limitMs: Math.max(0, limitMs),
    reason: `it could not be sent before ${date.toISOString()} (\`sendBefore\`).`,
    leftMs: () => {
      const { wallMs, monotonicMs } = elapsed();
      return limitMs - Math.max(wallMs, monotonicMs);
    },
  };
}
