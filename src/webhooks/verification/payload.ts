import type { WebhookEvent } from "../../contract/events.ts";
import { WebhookVerificationError } from "../../errors/webhook.ts";
import { isObject } from "../../internal/is-object.ts";
import { textDecoder } from "../../internal/utf8.ts";
import { compressionHint, type WebhookHeaders } from "./signature-header.ts";

let decoder: ReturnType<typeof textDecoder> | undefined;

/** The text of a body, without a byte order mark. Throws for bytes that are not valid UTF-8. */
function bodyText(body: string | Uint8Array): string {
  if (typeof body === "string") return body.replace(/^\uFEFF/, "");
  decoder ??= textDecoder({ fatal: true });
  return decoder.decode(body);
}

// `Date.parse` accepts other forms too, and which ones depends on the engine. In linear time: no part of
// it matches in two ways.
const ISO_WITH_OFFSET = /^\d{4}-[\d-]+T[\d:.]+(Z|[+-]\d\d:\d\d)$/;

const invalid = (message: string) => new WebhookVerificationError("payload_invalid", message, 400);

/** When an event was made, in milliseconds since the epoch; `NaN` for a timestamp that cannot be read. */
const timeOf = (timestamp: unknown): number =>
  typeof timestamp === "string" && ISO_WITH_OFFSET.test(timestamp)
    ? Date.parse(timestamp)
    : Number.NaN;

function checkAge(timestamp: unknown, maxAgeSeconds: number, now: number): void {
  const age = (now - timeOf(timestamp)) / 1000;
  if (Number.isNaN(age)) {
    throw invalid("The event has no ISO 8601 `timestamp` with an offset.");
  }
  // The clock of this machine may be 300 s behind the service's.
  if (age < -300 || age > maxAgeSeconds) {
    throw new WebhookVerificationError(
      "timestamp_out_of_range",
      `The event is ${Math.round(Math.abs(age))} s ${age > 0 ? "old" : "ahead"}; maxAgeSeconds is ${maxAgeSeconds}.`,
    );
  }
}

/** An event, and the text that it was read from. */
export interface ReadEvent {
  readonly event: WebhookEvent;
  readonly text: string;
}

/** What is known of a delivery beside its body. */
interface ReadOptions {
  readonly maxAgeSeconds?: number | undefined;
  /** By the clock of this machine, unless a test sets it. */
  readonly now?: number;
  readonly headers?: WebhookHeaders | undefined;
}

/**
 * The event in a verified body. Unknown kinds and fields pass through. With `maxAgeSeconds`, only
 * the timestamp in the signed body counts.
 *
 * @throws {WebhookVerificationError} `payload_invalid`, `timestamp_out_of_range`
 */
export function readEvent(
  body: string | Uint8Array,
  { maxAgeSeconds, now = Date.now(), headers }: ReadOptions = {},
): ReadEvent {
  let text = "";
  let event: unknown;
  try {
    text = bodyText(body);
    event = JSON.parse(text);
  } catch {
    // The errors of the decoder and the parser quote the body, so they are not passed on as a cause.
  }
  if (!isObject(event) || typeof event.event !== "string" || !isObject(event.data)) {
    throw invalid(
      `The body is not JSON with a string \`event\` and an object \`data\`.${compressionHint(headers)}`,
    );
  }
  if (maxAgeSeconds !== undefined) checkAge(event.timestamp, maxAgeSeconds, now);
  return { event: event as unknown as WebhookEvent, text };
}
