import { isSignedBy } from "#hmac";
import type { WebhookEvent } from "../../contract/events.ts";
import { ConfigurationError } from "../../errors/configuration.ts";
import { WebhookVerificationError } from "../../errors/webhook.ts";
import { describeValue } from "../../internal/check-options.ts";
import { readEvent } from "./payload.ts";
import { type RawBody, rawBody } from "./raw-body.ts";
import { secretList, secretOption, type WebhookSecret } from "./secret.ts";
import { compressionHint, signatureDigits, type WebhookHeaders } from "./signature-header.ts";

/** What {@link verifyWebhook} takes: the raw body, the signature or its headers, and the secret. */
export interface VerifyWebhookOptions {
  /** The body exactly as received, before any parsing. A string stands for its UTF-8 bytes. */
  body: RawBody;
  /** The request's headers; `X-Service-Signature` is found in any casing. */
  headers?: WebhookHeaders | undefined;
  /**
   * The signature itself: 64 hexadecimal digits, with or without `sha256=`. Set it instead of
   * `headers` if the request's headers are no longer at hand, as behind a queue.
   */
  signature?: string | readonly string[] | null | undefined;
  /**
   * The webhook signing secret, used exactly as given. Set it if the secret is not in the environment.
   * Set a list while you rotate the secret: the old one and the new one, in any order. An `undefined` is
   * an error: it comes from a variable that is not set.
   * @default the environment variable `MALIPO_WEBHOOK_SECRET`
   */
  secret?: WebhookSecret | readonly WebhookSecret[];
  /**
   * The greatest age of an event in seconds, by the signed `timestamp`. Events more than 300 s ahead
   * are rejected too. Set it to stop an attacker from sending a recorded delivery again, if you do
   * not store what you processed (a receiver does). A retry of the service carries the first timestamp:
   * a limit shorter than its retries loses events.
   * @default no limit
   */
  maxAgeSeconds?: number | undefined;
}

/**
 * Which of the secrets signed a body; -1 for none. Every secret is tried, so that the time taken does
 * not tell which one matched.
 */
export const indexOfSigner = (
  secrets: readonly WebhookSecret[],
  raw: string | Uint8Array,
  digits: string,
): number => secrets.map((one) => isSignedBy(one, raw, digits)).indexOf(true);

// A `Buffer` turns into its text; the bytes of another view turn into numbers, without white space.
const hasOuterWhiteSpace = (secret: WebhookSecret): boolean => /^\s|\s$/.test(`${secret}`);

/** The error for a signature that does not match, with the usual causes that can be seen here. */
export function mismatch(
  body: string | Uint8Array,
  secrets: readonly WebhookSecret[],
  headers?: WebhookHeaders,
): WebhookVerificationError {
  let message =
    "The signature does not match. Either the secret is wrong or the body was changed after signing: pass the raw bytes.";
  if (secrets.some(hasOuterWhiteSpace)) message += " The secret has outer white space.";
  // In a string it is one character; in bytes, its UTF-8 form begins with EF.
  if (body[0] === "\uFEFF" || body[0] === 0xef) message += " The body has a byte order mark.";
  message += compressionHint(headers);
  return new WebhookVerificationError("signature_mismatch", message);
}

/**
 * Checks that a delivery comes from the service, and returns its event. Synchronous in every runtime.
 *
 * The HMAC is taken over the raw bytes, before any decoding, and compared in constant time. Only
 * then is the body decoded and parsed. Unknown event kinds and fields pass through.
 *
 * @throws {WebhookVerificationError} `signature_missing`, `signature_malformed`,
 * `signature_mismatch`, `timestamp_out_of_range` (respond with 401), `payload_invalid` (400),
 * `body_not_raw` (500). `error.status` is the status to respond with.
 * @throws {ConfigurationError} for a missing or empty secret, or an unknown option.
 * @see docs/reference/events.md, "Events and deliveries"
 *
 * @example
 * ```ts
 * import { DatabaseSync } from "node:sqlite";
 * import { verifyWebhook, WebhookVerificationError } from "malipo";
 *
 * const database = new DatabaseSync("events.db");
 * database.exec("CREATE TABLE IF NOT EXISTS events (body BLOB PRIMARY KEY)");
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const body = new Uint8Array(await request.arrayBuffer());
 *   try {
 *     verifyWebhook({ body, headers: request.headers });
 *     database.prepare("INSERT OR IGNORE INTO events VALUES (?)").run(body); // before the 200
 *     return Response.json({ ResultCode: 0, ResultDesc: "received" });
 *   } catch (error) {
 *     if (!(error instanceof WebhookVerificationError)) throw error;
 *     return Response.json({ ResultCode: 1, ResultDesc: error.code }, { status: error.status });
 *   }
 * }
 * ```
 */
export function verifyWebhook(options: VerifyWebhookOptions): WebhookEvent {
  // Copied, so that the error for a call without options names what is missing; and without a
  // prototype, since something may have been added to `Object.prototype`.
  const given: VerifyWebhookOptions = Object.assign(Object.create(null), options);
  const { body, headers, signature, secret: _, maxAgeSeconds, ...others } = given;
  if (Object.keys(others).length > 0) {
    // The name is not shown: it may be a secret in the wrong place.
    throw new ConfigurationError(
      "verifyWebhook has only the options body, headers, signature, secret and maxAgeSeconds.",
    );
  }
  if (maxAgeSeconds !== undefined && (typeof maxAgeSeconds !== "number" || !(maxAgeSeconds > 0))) {
    throw new ConfigurationError(
      `maxAgeSeconds must be a number above 0; got ${describeValue(maxAgeSeconds)}.`,
    );
  }
  const secrets = secretList(secretOption(given));
  const raw = rawBody(body);
  const digits = signatureDigits(signature, headers);
  if (indexOfSigner(secrets, raw, digits) === -1) throw mismatch(raw, secrets, headers);
  return readEvent(raw, { maxAgeSeconds, headers }).event;
}
