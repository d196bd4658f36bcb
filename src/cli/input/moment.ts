import { DURATION_UNITS, parseDuration } from "../../internal/duration.ts";
import { usageError } from "../cli-error.ts";
import type { FlagValues } from "../command.ts";

// A time without an offset would mean another moment on another machine.
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** A moment: a date (in UTC), a time with its offset, or how long ago. */
export function readMoment(values: FlagValues, flag: string): Date | undefined {
  const text = values[flag];
  if (text === undefined) return undefined;
  const agoMs = parseDuration(text);
  const moment = agoMs === undefined ? new Date(text) : new Date(Date.now() - agoMs);
  const isMoment = agoMs !== undefined || MOMENT.test(text);
  if (isMoment && Number.isFinite(moment.getTime())) return moment;
  throw usageError(
    `--${flag} must be a date such as 2026-01-31, a time such as 2026-01-31T09:00:00+03:00, or how long ago, a number with a unit (${DURATION_UNITS.join(", ")}); got "${text}".`,
  );
}
