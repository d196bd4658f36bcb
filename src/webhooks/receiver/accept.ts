import type { WebhookEvent } from "../../contract/events.ts";
import { WebhookVerificationError } from "../../errors/webhook.ts";
import {
  type NewDelivery,
  OTHER_QUEUE,
  queueOf,
  type Receipt,
  receiptFor,
  type TraceContext,
} from "../inbox/types.ts";
import { readEvent } from "../verification/payload.ts";
import { type RawBody, rawBody } from "../verification/raw-body.ts";
import {
  headerValue,
  signatureDigits,
  type WebhookHeaders,
} from "../verification/signature-header.ts";
import type { ReceiverSettings } from "./check-options.ts";
import type { ReceiveResult } from "./hooks.ts";
import { identityOf } from "./identity/event-identity.ts";
import { withMerchant } from "./merchants/job-merchant.ts";
import { SecretLookupFailure, type SignedRequest, type Signer } from "./merchants/signer.ts";
import type { ObservedDelivery } from "./options.ts";
import { acknowledge, type Rejection, reject, type WebhookResponse } from "./responses.ts";
import { replayReason } from "./retention.ts";

/** A request as adapters hand it over. */
export interface WebhookRequest {
  readonly method: string;
  readonly headers: WebhookHeaders;
  /** The raw bytes, or a string that stands for its UTF-8 bytes. */
  readonly body: RawBody;
  /** The path and the query, or the whole URL. Only `merchant` and hooks need it. */
  readonly url?: string | undefined;
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

/** The bytes of a body in a copy of our own; `undefined` for too many. */
function copyBody(body: RawBody, maxBodyBytes: number): Uint8Array | undefined {
  const given = rawBody(body);
  // A text is never shorter in bytes than in characters: a large one is not even encoded.
  if (given.length > maxBodyBytes) return undefined;
  // A copy, so that the verified bytes are stored whatever the caller does with its buffer meanwhile.
  const raw = typeof given === "string" ? new TextEncoder().encode(given) : given.slice();
  return raw.length > maxBodyBytes ? undefined : raw;
}

const MAX_KIND_LENGTH = 100;

/** Why an event must not be processed without a person: kinds are names, and this one is none. */
const malformedKind = (kind: string): string | undefined =>
  /^[a-z][\w.-]*$/.test(kind) && kind.length <= MAX_KIND_LENGTH
    ? undefined
    : "The kind of the event is not a name such as `payment.completed`: a lower-case letter, then at most 99 letters, digits, dots, hyphens and underscores.";

/** A verified delivery, ready to be stored. */
interface Verified {
  readonly event: WebhookEvent;
  readonly delivery: NewDelivery;
  readonly merchant: string | undefined;
}

function verifiedBy(
  { secretIndex, merchant }: Signer,
  { raw, digits }: SignedRequest,
  settings: ReceiverSettings,
  traceContext: TraceContext | undefined,
): Verified {
  const now = settings.now();
  const read = readEvent(raw, settings.maxAgeSeconds, now);
  const { event } = read;
  const identity = identityOf(read, raw, { identity: settings.identify(event), merchant });
  const delivery: NewDelivery = {
    ...identity,
    event: event.event.slice(0, MAX_KIND_LENGTH),
    raw,
    secretIndex,
    receivedAt: Date.now(),
    signature: digits,
    traceContext: withMerchant(traceContext, merchant),
    deadLetterReason:
      malformedKind(event.event) ?? replayReason(event, settings.inbox.retentionMs, now),
  };
  return { event, delivery, merchant };
}

function notifyObserver({ observer }: ReceiverSettings, delivery: ObservedDelivery): void {
  try {
    observer?.observeDelivery(delivery);
  } catch {
    // An observer that fails must not fail a delivery.
  }
}

/** Calls back with what was stored. None of it can change the response. */
function report(
  { event, delivery, merchant }: Verified,
  { kind }: Receipt,
  settings: ReceiverSettings,
): void {
  if (kind === "conflict")
    settings.onConflict(event, ...(merchant === undefined ? [] : [merchant]));
  if (kind === "accepted" && delivery.deadLetterReason !== undefined) {
    const kindText = JSON.stringify(delivery.event);
    settings.onError(
      new Error(
        `A delivery of ${kindText} was stored as a dead letter. ${delivery.deadLetterReason} receiver.deadLetters.list() gives it: requeue or drop it.`,
      ),
    );
  }
  const { reference } = event.data;
  if (typeof reference === "string" || typeof reference === "number") {
    settings.notify(String(reference));
  }
}

/**
 * Verifies and stores a delivery. A 200 means that it is stored.
 *
 * @param onNew - Called with each event that is stored now, and is to be processed.
 */
export async function acceptDelivery(
  request: WebhookRequest,
  settings: ReceiverSettings,
  traceContext: TraceContext | undefined,
  onNew: (event: WebhookEvent, merchant: string | undefined) => void,
): Promise<Outcome> {
  const raw = copyBody(request.body, settings.maxBodyBytes);
  if (raw === undefined) return rejected(reject(413, "too large"));
  const { headers, url } = request;
  const signed = { headers, url, raw, digits: signatureDigits(undefined, headers) };
  let signer: Signer;
  try {
    const found = settings.findSigner(signed);
    signer = found instanceof Promise ? await found : found;
  } catch (error) {
    if (!(error instanceof SecretLookupFailure)) throw error;
    settings.onError(error.cause);
    return unavailable("cannot be verified now", error.cause);
  }
  const verified = verifiedBy(signer, signed, settings, traceContext);
  const { event, delivery, merchant } = verified;
  const about = { event: delivery.event, idempotencyKey: delivery.key };
  // Such kinds have no queue of their own, so the event is not stored only to be dropped.
  const isUnwanted = settings.ignore.includes(event.event) && queueOf(event.event) === OTHER_QUEUE;
  let receipt: Receipt;
  try {
    receipt = isUnwanted ? receiptFor("accepted") : await settings.inbox.accept(delivery);
  } catch (error) {
    settings.onError(error);
    notifyObserver(settings, { headers, body: raw, status: 503, receivedAt: delivery.receivedAt });
    return { ...unavailable("cannot be stored now", error), ...about };
  }
  const response = acknowledge(receipt);
  notifyObserver(settings, { headers, body: raw, status: 200, receivedAt: delivery.receivedAt });
  if (isUnwanted) return { response, result: receipt.kind, ...about };
  report(verified, receipt, settings);
  if (receipt.kind === "accepted" && delivery.deadLetterReason === undefined) {
    onNew(event, merchant);
  }
  return { response, result: receipt.kind, ...about };
}
