import type { WebhookEvent } from "../../contract/events.ts";
import { WebhookVerificationError } from "../../errors/webhook.ts";
import { isObject } from "../../internal/is-object.ts";

const decoder = /* @__PURE__ */ new TextDecoder("utf8", { fatal: true });

/** The text of a body, without a byte order mark. Throws for bytes that are not valid UTF-8. */
export function textOf(body: string | Uint8Array): string {
  if (typeof body !== "string") return decoder.decode(body);
  return body.startsWith("\uFEFF") ? body.slice(1) : body;
}

// `Date.parse` alone also takes other forms, and which ones depends on the engine. No part of this can
// match in two ways, so a long text takes no longer than a short one for each character.
const ISO_WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/;

function checkAge(timestamp: unknown, maxAgeSeconds: number): void {
  const isTime = typeof timestamp === "string" && ISO_WITH_OFFSET.test(timestamp);
  const age = isTime ? (Date.now() - Date.parse(timestamp)) / 1000 : Number.NaN;
  if (Number.isNaN(age)) {
    throw new WebhookVerificationError(
      "payload_invalid",
      "maxAgeSeconds needs an ISO 8601 `timestamp` with an offset.",
      400,
    );
  }
  // The clock of this machine may be 300 s behind the service's.
  if (age < -300 || age > maxAgeSeconds) {
    throw new WebhookVerificationError(
      "timestamp_out_of_range",
      `The event is ${Math.round(Math.abs(age))} s ${age > 0 ? "old" : "in the future"}; maxAgeSeconds is ${maxAgeSeconds}.`,
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
    throw new WebhookVerificationError(
      "payload_invalid",
      "The body is not JSON with a string `event` and an object `data`.",
      400,
    );
  }
  if (maxAgeSeconds !== undefined) checkAge(event.timestamp, maxAgeSeconds);
  return event as unknown as WebhookEvent;
}
