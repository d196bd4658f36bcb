/** The latest moment that a date can hold. */
const MAX_DATE_MS = 8.64e15;

/** Reset headers hold seconds from now or, from this moment on, the time itself as Unix seconds. */
const UNIX_SECONDS_FROM = Date.parse("2024-01-01") / 1_000;

/**
 * The headers that say when to come back, the first that is there counts. As ky reads them. Those that
 * end with `reset` may hold a Unix time.
 */
const HEADERS = [
  "retry-after",
  "ratelimit-reset",
  "x-ratelimit-retry-after", // Symfony
  "x-ratelimit-reset", // GitHub
  "x-rate-limit-reset", // Twitter
];

function secondsToMs(seconds: number, mayBeUnixTime: boolean, now: number): number {
  const ms = Math.min(seconds * 1_000, MAX_DATE_MS);
  return mayBeUnixTime && seconds >= UNIX_SECONDS_FROM ? Math.max(ms - now, 0) : ms;
}

/** A value of such a header, in milliseconds; `undefined` if it is not readable. */
function readDelay(value: string, mayBeUnixTime: boolean, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(value)) return secondsToMs(Number(value), mayBeUnixTime, now);
  if (!/^[A-Z][a-z]{2,8}\b.* \d\d:\d\d:\d\d\b/.test(value)) return undefined;
  const date = Date.parse(value.endsWith("GMT") ? value : `${value} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}

/**
 * How long the service asks to wait, in milliseconds; `undefined` if it does not say, or not in a
 * readable way. `Retry-After` holds seconds or a date in one of three formats (RFC 9110, 10.2.3), each of
 * which begins with a weekday and holds a time: `Date.parse` by itself would read "Soon 5" as a date.
 *
 * @param isLimited - Reset headers count only in a response that limits the rate: many services send them
 * with every response.
 */
export function retryAfterMs(
  headers: Headers,
  isLimited: boolean,
  now: number = Date.now(),
): number | undefined {
  for (const name of isLimited ? HEADERS : HEADERS.slice(0, 1)) {
    const value = headers.get(name);
    if (value !== null) return readDelay(value, name.endsWith("reset"), now);
  }
  return undefined;
}
