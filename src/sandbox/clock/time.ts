import { ConfigurationError } from "../../errors/configuration.ts";

const OFFSET_MS = 3 * 3_600_000;

/** A moment as the sandbox writes it: Nairobi time, to the second, with its offset. */
export function formatTimestamp(ms: number): string {
  return `${new Date(ms + OFFSET_MS).toISOString().slice(0, 19)}+03:00`;
}

/** Where virtual time begins. */
export const VIRTUAL_START = Date.parse("2026-01-01T09:00:00+03:00");

/** A length of time: milliseconds, or a number with its unit: `"500ms"`, `"61s"`, `"5m"`, `"2h"`, `"1d"`. */
export type Duration = number | string;

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** @throws {ConfigurationError} where it is no length of time, or less than none. */
export function durationMs(duration: Duration): number {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/.exec(String(duration)) ?? [];
  const ms = typeof duration === "number" ? duration : Number(amount) * (UNITS[unit] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  throw new ConfigurationError(
    `${JSON.stringify(duration)} is no length of time, or goes back. Give milliseconds, or a number with ms, s, m, h or d, such as "61s".`,
  );
}

/** A moment in ISO 8601 with an offset, in milliseconds; `undefined` where it is none. */
export function parseTimestamp(value: unknown): number | undefined {
  const fits = typeof value === "string" && /^\d{4}-\d\d-\d\dT.+(?:Z|[+-]\d\d:\d\d)$/.test(value);
  const ms = fits ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
