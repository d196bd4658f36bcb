import { WebhookVerificationError } from "../../errors/webhook.ts";
import type { NewDelivery, Receipt } from "../inbox/types.ts";
import { type RawBody, rawBody } from "../verification/raw-body.ts";
import {
  headerValue,
  signatureDigits,
  type WebhookHeaders,
} from "../verification/signature-header.ts";
import { verifyDelivery } from "../verification/verify.ts";
import { identityOf } from "./event-identity.ts";
import type { ObservedDelivery, ReceiverSettings } from "./options.ts";
import { acknowledge, type Rejection, reject, type WebhookResponse } from "./responses.ts";

/** A request as adapters hand it over. */
export interface WebhookRequest {
  readonly method: string;
  readonly headers: WebhookHeaders;
  /** The raw bytes, or a string that stands for its UTF-8 bytes. */
  readonly body: RawBody;
}

/** The response for a receiver or an inbox that cannot take a delivery now. */
export const unavailable = (text: string): Rejection => reject(503, text, { "retry-after": "10" });

/** Reports an error, and gives the response that it results in. */
export function rejectWith(error: unknown, settings: ReceiverSettings): Rejection {
  settings.onError(error);
  if (!(error instanceof WebhookVerificationError)) return reject(500, "the receiver failed");
  return reject(error.status, error.code.replaceAll("_", " "));
}

/** The size that the headers announce; 0 for none. */
function contentLength(headers: WebhookHeaders): number {
  const value = headerValue(headers, "content-length");
  // Digits are checked by a pattern before `Number()` sees them: it also reads "1e3".
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : 0;
}

/**
 * The rejection for a request whose headers are enough to reject it: the size and the signature. Nothing of
 * its body needs to be read then.
 */
export function rejectByHeaders(
  headers: WebhookHeaders,
  settings: ReceiverSettings,
): Rejection | undefined {
  if (contentLength(headers) > settings.maxBodyBytes) return reject(413, "too large");
  try {
    signatureDigits(undefined, headers);
    return undefined;
  } catch (error) {
    return rejectWith(error, settings);
  }
}

/** The bytes of a body in a copy of our own; `undefined` for too many. */
function copyBody(body: RawBody, maxBodyBytes: number): Uint8Array | undefined {
  const given = rawBody(body);
  // A text is never shorter in bytes than in characters: a large one is not even encoded.
  if (given.length > maxBodyBytes) return undefined;
  // A copy, so that the verified bytes are stored whatever the caller does with its buffer meanwhile.
  const raw = typeof given === "string" ? new TextEncoder().encode(given) : given.slice();
  return raw.length > maxBodyBytes ? undefined : raw;
}

function notifyObserver({ observer }: ReceiverSettings, delivery: ObservedDelivery): void {
  try {
    observer?.observeDelivery(delivery);
  } catch {
    // An observer that fails must not fail a delivery.
  }
}

/** Verifies and stores a delivery. A 200 means that it is stored. */
export async function acceptDelivery(
  { headers, body }: WebhookRequest,
  settings: ReceiverSettings,
): Promise<WebhookResponse> {
  const { secret, inbox, maxBodyBytes, maxAgeSeconds, onError, onConflict, notify } = settings;
  const raw = copyBody(body, maxBodyBytes);
  if (raw === undefined) return reject(413, "too large");
  const { event, secretIndex } = verifyDelivery({ body: raw, headers, secret, maxAgeSeconds });
  const identity = identityOf(event, raw, settings.identify(event));
  const receivedAt = Date.now();
  const delivery: NewDelivery = {
    ...identity,
    event: event.event,
    raw,
    secretIndex,
    receivedAt,
    signature: signatureDigits(undefined, headers),
  };
  let receipt: Receipt;
  try {
    receipt = await inbox.accept(delivery);
  } catch (error) {
    onError(error);
    notifyObserver(settings, { headers, body: raw, status: 503, receivedAt });
    return unavailable("cannot be stored now");
  }
  const acknowledgement = acknowledge(receipt);
  notifyObserver(settings, { headers, body: raw, status: 200, receivedAt });
  if (receipt.kind === "conflict") onConflict(event);
  const { reference } = event.data;
  if (typeof reference === "string" || typeof reference === "number") notify(String(reference));
  return acknowledgement;
}
