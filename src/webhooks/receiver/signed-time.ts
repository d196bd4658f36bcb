/** Services of that time did not exist: `0001-01-01T00:00:00Z` is a field without a value, not a time. */
const EARLIEST = /* @__PURE__ */ Date.UTC(2020, 0);

/** The zone that is the furthest ahead of UTC: a time without an offset is at the earliest there. */
const EARLIEST_OFFSET_MINUTES = 840;

// ISO 8601 and RFC 3339. In linear time: no part of it matches in two ways.
const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,20}))?)?)?)? ?(Z|z|UTC|GMT|[+\u2212-]\d\d(?::?\d\d)?)?$/;
const BASIC_DATE = /^(\d{4})(\d\d)(\d\d)(?=$|[Tt ])/;

// RFC 2822, with its zone: without one, `Date.parse` takes the zone of this machine.
const RFC_2822 =
  /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d(?::\d\d)? (?:[+-]\d{4}|GMT|UT)$/;

/** Seconds or milliseconds since 1970. */
const EPOCH = /^\d{10}(?:\d{3})?(?:\.\d{1,9})?$/;

/**
 * When an event was signed, in milliseconds since the epoch; the earliest possible moment for a time
 * without an offset; `undefined` for a timestamp that cannot be read.
 */
export function signedTimeOf(timestamp: unknown): number | undefined {
  const time = readTime(typeof timestamp === "number" ? String(timestamp) : timestamp);
  return time >= EARLIEST ? Math.floor(time) : undefined;
}

function readTime(text: unknown): number {
  if (typeof text !== "string") return Number.NaN;
  if (EPOCH.test(text)) return Number(text) * (/^\d{10}(?!\d)/.test(text) ? 1_000 : 1);
  if (RFC_2822.test(text)) return Date.parse(text);
  const match = ISO.exec(text.replace(BASIC_DATE, "$1-$2-$3"));
  return match === null ? Number.NaN : timeOfParts(match);
}

function timeOfParts([
  ,
  year,
  month,
  day,
  hour = "0",
  minute = "0",
  second = "0",
  ...rest
]: string[]) {
  const [fraction = "", offset] = rest;
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // 30 February would be a day in March. A day may end with 24:00, and a minute with a leap second.
  const isDate = new Date(date).toISOString().startsWith(`${year}-${month}-${day}`);
  const [h, m, s] = [Number(hour), Number(minute), Number(second)];
  if (!isDate || h > 24 || m > 59 || s > 60) return Number.NaN;
  const ms = Number(fraction.padEnd(3, "0").slice(0, 3));
  return date + ((h * 60 + m - offsetMinutes(offset)) * 60 + s) * 1_000 + ms;
}

function offsetMinutes(offset: string | undefined): number {
  if (offset === undefined) return EARLIEST_OFFSET_MINUTES;
  const [, hours, minutes = "0"] = /^.(\d\d):?(\d\d)?$/.exec(offset) ?? [];
  if (hours === undefined) return 0;
  const size = Number(hours) * 60 + Number(minutes);
  return offset.startsWith("+") ? size : -size;
}
