const joined = (...parts: readonly (string | Uint8Array)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));

/** What a service may sign beside the body: a time before or after it. */
export const JOINED_WITH_TIME: readonly (readonly [
  name: string,
  join: (time: string, body: Uint8Array) => Uint8Array,
])[] = [
  ["`timestamp.body`", (time, body) => joined(time, ".", body)],
  ["timestamp and body joined", (time, body) => joined(time, body)],
  ["`body.timestamp`", (time, body) => joined(body, ".", time)],
  ["body and timestamp joined", (time, body) => joined(body, time)],
];

/** Seconds or milliseconds since the epoch, or ISO 8601. */
const TIME = /^(\d{10}|\d{13}|\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)?)$/;

/**
 * The times that may be signed, and their places in the delivery: the headers that look like a time
 * (`Name: value`), and the body's own `timestamp`, as text and as a number.
 */
export function timesIn(headers: readonly string[], body: Buffer) {
  const inHeaders = headers.flatMap((header) => {
    const [name = "", value = ""] = header.split(/:(.*)/s).map((part) => part.trim());
    // Stripe's form has the time and the signature in one header: `t=1700000000,v1=...`.
    const time = /(?:^|,)t=(\d+)/.exec(value)?.[1] ?? value;
    return TIME.test(time) ? [{ time, place: `in the header ${name}` }] : [];
  });
  const [, timestamp = ""] = /"timestamp"\s*:\s*"([^"]+)"/.exec(body.toString("utf8")) ?? [];
  const ms = Date.parse(timestamp);
  const ofBody = Number.isNaN(ms) ? [] : [timestamp, String(Math.floor(ms / 1_000)), String(ms)];
  return [...inHeaders, ...ofBody.map((time) => ({ time, place: "in `timestamp` of the body" }))];
}
