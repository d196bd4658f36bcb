import { isSignedBy } from "#hmac";
import type { WebhookEvent } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { WebhookVerificationError } from "../../errors/webhook.ts";
import { eventIn, textOf } from "./payload.ts";
import { type RawBody, rawBody } from "./raw-body.ts";
import { secretList, type WebhookSecret } from "./secret.ts";
import { signatureDigits, type WebhookHeaders } from "./signature-header.ts";

/** What {@link verifyWebhook} takes: the raw body, where the signature is, and the secret. */
export interface VerifyWebhookOptions {
  /** The body exactly as received, before any parsing. A string stands for its UTF-8 bytes. */
  body: RawBody;
  /** The request's headers; `X-Service-Signature` is found in any casing. */
  headers?: WebhookHeaders | undefined;
  /** The signature itself, instead of `headers`: 64 hex digits, with or without `sha256=`. */
  signature?: string | readonly string[] | null | undefined;
  /** The webhook signing secret, used exactly as given. A list serves a rotation; all are tried. */
  secret: WebhookSecret | readonly WebhookSecret[];
  /**
   * Refuse events whose signed `timestamp` is older than this, in seconds, or more than 300 s
   * ahead. Mind that the service's retries keep the first timestamp, so a limit below its retry
   * schedule loses events.
   * @default no limit
   */
  maxAgeSeconds?: number | undefined;
}

/** What a receiver keeps of a delivery: the event, the bytes that were signed, and by which secret. */
export type VerifiedDelivery = [event: WebhookEvent, raw: string | Uint8Array, secretIndex: number];

/** {@link verifyWebhook}, with what a receiver keeps beside the event. */
export function verifyDelivery({
  body,
  headers,
  signature,
  secret,
  maxAgeSeconds,
  ...unknown
}: VerifyWebhookOptions): VerifiedDelivery {
  for (const name in unknown) throw new ConfigurationError(`No option ${name}`);
  const limit = maxAgeSeconds ?? 1;
  if (typeof limit !== "number" || !(limit > 0)) {
    throw new ConfigurationError("maxAgeSeconds is not > 0");
  }
  const secrets = secretList(secret);
  const raw = rawBody(body);
  const digits = signatureDigits(signature, headers);
  // All are tried, whichever matches: the time taken says nothing.
  const secretIndex = secrets.map((one) => isSignedBy(one, raw, digits)).indexOf(true);
  if (secretIndex < 0) throw mismatch(raw, secrets);
  return [eventIn(raw, maxAgeSeconds), raw, secretIndex];
}

/**
 * Checks that a delivery comes from the service, and gives its event. Synchronous in every runtime.
 *
 * The HMAC is taken over the raw bytes, before any decoding, and compared in constant time. Only
 * then is the body decoded and parsed. Unknown event kinds and fields pass through.
 *
 * @throws {WebhookVerificationError} `signature_missing`, `signature_malformed`,
 * `signature_mismatch`, `timestamp_out_of_range` (answer 401), `payload_invalid` (400),
 * `body_not_raw` (500). `error.status` is the status to answer with.
 * @throws {ConfigurationError} where the secret is empty or an option is unknown.
 * @see Service interface, section 6.
 *
 * @example
 * ```ts
 * export async function POST(request: Request): Promise<Response> {
 *   const body = await request.arrayBuffer();
 *   const event = verifyWebhook({ body, headers: request.headers, secret });
 *   if (isKnownEvent(event, "payment.completed")) await ship(event.data.account_reference);
 *   return Response.json({ ResultCode: 0, ResultDesc: "received" });
 * }
 * ```
 */
export function verifyWebhook(options: VerifyWebhookOptions): WebhookEvent {
  return verifyDelivery(options)[0];
}

/** Why the signature may not match, as far as looking at our own side tells. */
function mismatch(raw: string | Uint8Array, secrets: WebhookSecret[]): WebhookVerificationError {
  let hint = secrets.some((one) => /^\s|\s$/.test(one as string)) ? " Secret has white space." : "";
  if (/239|\uFEFF/.test(raw[0] as string)) hint += " Body has BOM.";
  try {
    // Looking must not cost more than checking.
    const text = raw.length < 65_536 && textOf(raw);
    if (text && JSON.stringify(JSON.parse(text)) === text) hint += " Body re-serialised?";
  } catch {
    // No JSON: nothing to say of it.
  }
  return new WebhookVerificationError("signature_mismatch", `Wrong secret or body.${hint}`);
}
