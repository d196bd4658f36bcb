import { sign } from "#hmac";
import { type RawBody, rawBody } from "./raw-body.ts";
import { secretList, type WebhookSecret } from "./secret.ts";

/**
 * Signs a body as the service does: the lowercase hexadecimal HMAC-SHA256 of its raw bytes, keyed
 * with the webhook signing secret. For tests of a receiver.
 *
 * @param body - The raw body; a string stands for its UTF-8 bytes.
 * @param secret - The signing secret, used exactly as given.
 * @throws {ConfigurationError} for an empty secret.
 * @throws {WebhookVerificationError} `body_not_raw` for a body that is neither a string nor bytes.
 * @see docs/reference/events.md, "Events and deliveries"
 *
 * @example
 * ```ts
 * const body = JSON.stringify({ event: "payment.completed", timestamp, data });
 * await fetch(url, { method: "POST", body, headers: { "X-Service-Signature": signWebhook(body, secret) } });
 * ```
 */
export function signWebhook(body: RawBody, secret: WebhookSecret): string {
  const [key] = secretList(secret);
  return sign(key as WebhookSecret, rawBody(body));
}
