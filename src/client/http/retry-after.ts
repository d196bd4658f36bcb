/** The latest that a date can be: past it, `Number` arithmetic on dates ends. */
const FOREVER_MS = 8.64e15;

/**
 * What `Retry-After` asks for, in milliseconds; `undefined` where it is missing or says nothing
 * (RFC 9110, 10.2.3: seconds, or a date in one of three formats, all of which begin with a weekday and
 * hold a time; `Date.parse` alone would make a date of "Soon 5").
 */
export function retryAfterMs(headers: Headers, now: number = Date.now()): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(value)) return Math.min(Number(value) * 1000, FOREVER_MS);
  if (!/^[A-Z][a-z]{2,8}\b.* \d\d:\d\d:\d\d\b/.test(value)) return undefined;
  const date = Date.parse(value.endsWith("GMT") ? value : `${value} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}
