import { WebhookVerificationError } from "../../errors/webhook.ts";
import { encodeText } from "../../internal/utf8.ts";
import type { Receipt, TraceContext } from "../inbox/inbox-types.ts";
import { readEvent } from "../verification/payload.ts";
import { type RawBody, rawBody } from "../verification/raw-body.ts";
import {
  headerValue,
  signatureDigits,
  type WebhookHeaders,
} from "../verification/signature-header.ts";
import type { Handlers } from "./handlers.ts";
import { headerText } from "./merchants/merchant-request.ts";
import { SecretLookupFailure, type Signer } from "./merchants/signer.ts";
import type { ReceiveResult, ReceiveView } from "./receiver-hooks.ts";
import type { ReceiverSettings } from "./receiver-settings.ts";
import { storeEvent, verifiedEvent } from "./store-event.ts";
import { acknowledge, type Rejection, reject, type WebhookResponse } from "./webhook-responses.ts";

/** A request as adapters hand it over. */
export interface WebhookRequest {
  readonly method: string;
  readonly headers: WebhookHeaders;
  /**
   * The raw bytes, a string that stands for its UTF-8 bytes, or a stream. A stream is read only if the
   * headers are right, and no further than `maxBodyBytes`.
   */
  readonly body: RawBody | AsyncIterable<Uint8Array>;
  /** The path and the query, or the whole URL. Only `merchant` and hooks need it. */
  readonly url?: string | undefined;
}

/** A request without a stream; without a body if nothing of it was read. */
export interface ReadRequest extends Omit<WebhookRequest, "body"> {
  readonly body: RawBody | undefined;
}

/** A request as hooks see it. The size of a text is in characters. */
export function viewOf({ method, headers, url, body }: ReadRequest): ReceiveView {
  const { byteLength, length } = Object(body ?? {}) as Record<string, unknown>;
  const size = typeof body === "string" ? length : byteLength;
  const bodyBytes = typeof size === "number" ? size : undefined;
  return { method, url, header: (name) => headerText(headers, name), bodyBytes };
}

/** The response to a request, and what hooks learn of it. */
export interface Outcome extends Omit<ReceiveResult, "status" | "durationMs"> {
  readonly response: WebhookResponse;
}

/** The response for a receiver or an inbox that cannot take a delivery now. */
export const unavailable = (text: string, error?: unknown): Outcome => ({
  response: reject(503, text, { "retry-after": "10" }),
  result: "unavailable",
  error,
});

export const rejected = (response: Rejection, error?: unknown): Outcome => ({
  response,
  result: "rejected",
  error,
});

/** Reports an error, and returns the response that it results in. */
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
 * The outcome of a request whose headers are enough to reject it: the size and the signature. Nothing of
 * its body needs to be read then.
 */
export function rejectByHeaders(
  headers: WebhookHeaders,
  settings: ReceiverSettings,
): Outcome | undefined {
  if (contentLength(headers) > settings.maxBodyBytes) return rejected(reject(413, "too large"));
  try {
    signatureDigits(undefined, headers);
    return undefined;
  } catch (error) {
    return rejected(rejectWith(error, settings), error);
  }
}

/** A copy of the bytes of a body; `undefined` for too many. */
function copyBody(body: unknown, maxBodyBytes: number): Uint8Array | undefined {
  const given = rawBody(body);
  // A text is never shorter in bytes than in characters: a large one is not even encoded.
  if (given.length > maxBodyBytes) return undefined;
  // A copy, so that the verified bytes are stored whatever the caller does with its buffer meanwhile.
  const raw = typeof given === "string" ? encodeText(given) : given.slice();
  return raw.length > maxBodyBytes ? undefined : raw;
}

/** Verifies and stores a delivery. A 200 means that it is stored. */
export async function acceptDelivery(
  request: ReadRequest,
  settings: ReceiverSettings,
  handlers: Handlers,
  traceContext: TraceContext | undefined,
): Promise<Outcome> {
  const raw = copyBody(request.body, settings.maxBodyBytes);
  if (raw === undefined) return rejected(reject(413, "too large"));
  const { headers, url } = request;
  const signature = signatureDigits(undefined, headers);
  const signed = { headers, url, raw, digits: signature };
  let signer: Signer;
  try {
    const found = settings.findSigner(signed);
    signer = found instanceof Promise ? await found : found;
  } catch (error) {
    if (!(error instanceof SecretLookupFailure)) throw error;
    settings.onError(error.cause);
    return unavailable("cannot be verified now", error.cause);
  }
  const receivedAt = Date.now();
  const read = readEvent(raw, {
    maxAgeSeconds: settings.maxAgeSeconds,
    now: settings.now?.() ?? receivedAt,
    headers,
  });
  const verified = verifiedEvent(read, raw, settings, {
    ...signer,
    receivedAt,
    signature,
    traceContext,
  });
  const about = { event: verified.delivery.event, idempotencyKey: verified.delivery.key };
  const observed = { headers, body: raw, receivedAt };
  let receipt: Receipt;
  try {
    receipt = await storeEvent(verified, settings, handlers);
  } catch (error) {
    settings.onError(error);
    settings.observer?.observeDelivery({ ...observed, status: 503 });
    return { ...unavailable("cannot be stored now", error), ...about };
  }
  const response = acknowledge(receipt);
  settings.observer?.observeDelivery({ ...observed, status: 200 });
  return { response, result: receipt.kind, ...about };
}
