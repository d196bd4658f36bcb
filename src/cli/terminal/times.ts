import { span } from "../../internal/span.ts";

/**
 * A moment as a person thinks of it: `3 min ago`, `in 8 s`. A document that `--json` prints has the time itself.
 *
 * @param now - Now, by the clock of the moment: a sandbox has its own.
 */
export function relativeTime(at: Date | string | number, now: number = Date.now()): string {
  const ms = new Date(at).getTime() - now;
  if (Number.isNaN(ms)) return String(at);
  if (Math.abs(ms) < 1_000) return "now";
  return ms < 0 ? `${span(-ms)} ago` : `in ${span(ms)}`;
}

/** `2026-01-31T06:00:00.000Z (3 min ago)`, where there is room for both. */
export const wholeTime = (at: Date | string | number): string =>
  `${typeof at === "string" ? at : new Date(at).toISOString()} (${relativeTime(at)})`;
