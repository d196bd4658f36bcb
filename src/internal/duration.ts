import { ConfigurationError } from "../errors/configuration.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./units.ts";

/**
 * A length of time: milliseconds, or a number with its unit: `"500ms"`, `"61s"`, `"5m"`, `"5min"`,
 * `"2h"`, `"1d"`.
 */
export type Duration = number | string;

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: MINUTE_MS,
  min: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};

/** The units of a duration, as messages and help texts list them. */
export const DURATION_UNITS: readonly string[] = Object.keys(UNITS);

/** The milliseconds of a duration; `undefined` for a value that is not a duration. */
export function parseDuration(duration: unknown): number | undefined {
  if (typeof duration === "number") {
    return Number.isFinite(duration) && duration >= 0 ? duration : undefined;
  }
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(String(duration)) ?? [];
  const ms = Number(amount) * (UNITS[unit] ?? Number.NaN);
  return Number.isFinite(ms) ? ms : undefined;
}

/** @throws {ConfigurationError} for a value that is not a duration. */
export function durationMs(duration: Duration): number {
  const ms = parseDuration(duration);
  if (ms !== undefined) return ms;
  throw new ConfigurationError(
    `A duration must be milliseconds, or a number with one of the units ${DURATION_UNITS.join(", ")}, such as "61s"; got ${JSON.stringify(duration)}.`,
  );
}
