/** What a service may sign beside the body: a time before or after it. */
export const JOINED_WITH_TIME: readonly {
  readonly name: string;
  readonly before?: (time: string) => string;
  readonly after?: (time: string) => string;
}[] = [
  { name: "`timestamp.body`", before: (time) => `${time}.` },
  { name: "timestamp and body joined", before: (time) => time },
  { name: "`body.timestamp`", after: (time) => `.${time}` },
  { name: "body and timestamp joined", after: (time) => time },
];

/** What is signed: the bytes of a body, with a time. */
export const signedBytes = (
  { before, after }: (typeof JOINED_WITH_TIME)[number],
  time: string,
  body: Uint8Array,
): Uint8Array =>
  Buffer.concat([Buffer.from(before?.(time) ?? ""), body, Buffer.from(after?.(time) ?? "")]);

/** Seconds or milliseconds since the epoch, or ISO 8601. */
const TIME = /^(\d{10}|\d{13}|\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)?)$/;

/** A time that may be signed, and where it is in the delivery. */
export interface SignedTime {
  readonly time: string;
  readonly place: string;
}

/** The headers that look like a time (`Name: value`), and the body's own `timestamp`, as text and as a number. */
export function timesIn(headers: readonly string[], body: Buffer): SignedTime[] {
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
