import type { WebhookEvent } from "../../contract/events.ts";
import { WebhookVerificationError } from "../../errors/webhook.ts";
import { isObject } from "../../internal/is-object.ts";

const decoder = /* @__PURE__ */ new TextDecoder("utf8", { fatal: true });

/** The text of a body, without a byte order mark. Throws for bytes that are not valid UTF-8. */
export const textOf = (body: string | Uint8Array): string =>
  typeof body === "string" ? body.replace(/^\uFEFF/, "") : decoder.decode(body);

// `Date.parse` accepts other forms too, and which ones depends on the engine. In linear time: no part of
// it matches in two ways.
const ISO_WITH_OFFSET = /^\d{4}-[\d-]+T[\d:.]+(Z|[+-]\d\d:\d\d)$/;

const invalid = (message: string) => new WebhookVerificationError("payload_invalid", message, 400);

function checkAge(timestamp: unknown, maxAgeSeconds: number): void {
  const isTime = typeof timestamp === "string" && ISO_WITH_OFFSET.test(timestamp);
  const age = isTime ? (Date.now() - Date.parse(timestamp)) / 1000 : Number.NaN;
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

/**
 * The event in a verified body. Unknown kinds and fields pass through. With `maxAgeSeconds`, only
 * the timestamp in the signed body counts.
 *
 * @throws {WebhookVerificationError} `payload_invalid`, `timestamp_out_of_range`
 */
export function eventIn(body: string | Uint8Array, maxAgeSeconds?: number): WebhookEvent {
  let event: unknown;
  try {
    event = JSON.parse(textOf(body));
  } catch {
    // The errors of the decoder and the parser quote the body, so they are not kept as a cause.
  }
  if (!isObject(event) || typeof event.event !== "string" || !isObject(event.data)) {
    throw invalid("The body is not JSON with a string `event` and an object `data`.");
  }
  if (maxAgeSeconds !== undefined) checkAge(event.timestamp, maxAgeSeconds);
  return event as unknown as WebhookEvent;
}
