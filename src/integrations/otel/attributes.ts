import { EVENT_KINDS } from "../../contract/events.ts";

/** The conventions for messaging: https://opentelemetry.io/docs/specs/semconv/messaging/ */
export const MESSAGING = { "messaging.system": "malipo" };

/** The value of a metric for everything that is not known: each value makes another series. */
const OTHER = "_OTHER";

/** The kind of an event for a metric. Senders may write any kind. */
export const metricKind = (kind: string): string =>
  (EVENT_KINDS as readonly string[]).includes(kind) ? kind : OTHER;

// Nine digits may be a phone number.
const isTypeName = (value: unknown): value is string =>
  typeof value === "string" && /^[\w.-]{1,64}$/.test(value) && !/\d{9}/.test(value);

/** A short name of an error: never its message, which may quote the data of a customer. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  return [code, name].find(isTypeName) ?? OTHER;
}
