import type { WebhookEvent } from "../../contract/events.ts";
import { WebhookVerificationError } from "../../errors/webhook.ts";

const UTF8 = /* @__PURE__ */ new TextDecoder("utf8", { fatal: true });

/** The text of a body, less a byte order mark. Throws where it is not valid UTF-8. */
export const textOf = (body: string | Uint8Array): string =>
  typeof body === "string" ? body.replace(/^\uFEFF/, "") : UTF8.decode(body);

// Engines differ in what else `Date.parse` lets through.
const ISO_WITH_OFFSET = /^\d{4}-.+T.+(Z|[+-]\d\d:\d\d)$/;

/**
 * The event in a verified body. Unknown kinds and fields pass through. With `maxAgeSeconds`, only
 * the timestamp in the signed body counts; this clock may be 300 s behind the service's.
 *
 * @throws {WebhookVerificationError} `payload_invalid`, `timestamp_out_of_range`
 */
export function eventIn(body: string | Uint8Array, maxAgeSeconds?: number): WebhookEvent {
  let event: unknown;
  try {
    event = JSON.parse(textOf(body));
  } catch {
    // What the decoder and the parser report quotes the body, so it is not kept as a cause.
  }
  const { event: kind, data, timestamp } = Object(event);
  let age = 0;
  if (maxAgeSeconds) {
    const isTime = typeof timestamp === "string" && ISO_WITH_OFFSET.test(timestamp);
    age = isTime ? (Date.now() - Date.parse(timestamp)) / 1000 : Number.NaN;
  }
  if (
    Number.isNaN(age) ||
    typeof kind !== "string" ||
    {}.toString.call(data) !== "[object Object]"
  ) {
    throw new WebhookVerificationError("payload_invalid", "No JSON event or ISO timestamp", 400);
  }
  if (age > (maxAgeSeconds as number) || age < -300) {
    throw new WebhookVerificationError("timestamp_out_of_range", `Event is ${age} s old`);
  }
  return event as WebhookEvent;
}
