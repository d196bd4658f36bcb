import type { WebhookEvent } from "../../contract/events.ts";
import { isFinal } from "../../contract/payment-state.ts";
import { type NewDelivery, type Receipt, receiptFor } from "../inbox/inbox-types.ts";
import { OTHER_QUEUE, queueOf } from "../inbox/kinds.ts";
import type { ReadEvent } from "../verification/payload.ts";
import { eventIdentity } from "./event-identity.ts";
import type { Handlers } from "./handlers.ts";
import { withMerchant } from "./merchants/merchant-request.ts";
import type { ReceiverSettings } from "./receiver-settings.ts";

const MAX_KIND_LENGTH = 100;

/** Why an event must not be processed without a person: kinds are names, and this one is none. */
const malformedKind = (kind: string): string | undefined =>
  /^[a-z][\w.-]*$/.test(kind) && kind.length <= MAX_KIND_LENGTH
    ? undefined
    : "The kind of the event is not a name such as `payment.completed`: a lower-case letter, then at most 99 letters, digits, dots, hyphens and underscores.";

/**
 * The status of an event whose kind names another one, such as a `payment.completed` whose payment failed;
 * `undefined` for every other event. A status that is not documented may stand for the same.
 */
function otherStatus({ event, data: { status } }: WebhookEvent): string | undefined {
  const named = event.startsWith("payment.") ? event.slice("payment.".length) : "";
  const isDocumented = typeof status === "string" && (isFinal(status) || status === "pending");
  return isFinal(named) && isDocumented && status !== named ? status : undefined;
}

const contradiction = (kind: string, status: string): string =>
  `The kind of the event is ${kind}, and the status in its data is ${status}: one of the two is wrong. Read the payment to learn which.`;

/** An event that is known to be genuine, ready to be stored. */
export interface VerifiedEvent {
  readonly event: WebhookEvent;
  readonly delivery: NewDelivery;
  readonly merchant: string | undefined;
}

/** How an event became known: what its delivery has beside the event. */
export type Origin = Pick<
  NewDelivery,
  "secretIndex" | "receivedAt" | "signature" | "traceContext" | "source"
> & { readonly merchant: string | undefined };

export function verifiedEvent(
  read: ReadEvent,
  raw: Uint8Array,
  settings: ReceiverSettings,
  { merchant, traceContext, ...origin }: Origin,
): VerifiedEvent {
  const { event } = read;
  const status = otherStatus(event);
  const delivery: NewDelivery = {
    // With an identity that the true event of this payment does not have.
    ...eventIdentity(read, raw, { identity: settings.identify(event), merchant, status }),
    ...origin,
    event: event.event.slice(0, MAX_KIND_LENGTH),
    raw,
    traceContext: withMerchant(traceContext, merchant),
    deadLetterReason:
      status === undefined ? malformedKind(event.event) : contradiction(event.event, status),
  };
  return { event, delivery, merchant };
}

/** Stores an event. Rejects if the inbox cannot store it now. */
export async function storeEvent(
  verified: VerifiedEvent,
  settings: ReceiverSettings,
  handlers: Handlers,
): Promise<Receipt> {
  const { event, delivery: delivered } = verified;
  // Such kinds share a queue, so the event is not stored only to be dropped.
  if (handlers.isIgnored(event.event) && queueOf(event.event) === OTHER_QUEUE) {
    return receiptFor("accepted");
  }
  const { signedAt, replayReason } = await settings.retention.ageOf(event, delivered.source);
  const { deadLetterReason = replayReason } = delivered;
  const delivery = { ...delivered, signedAt, deadLetterReason };
  const receipt = await settings.inbox.accept(delivery);
  report({ ...verified, delivery }, receipt, settings);
  if (receipt?.kind === "accepted" && deadLetterReason === undefined) {
    handlers.noteAccepted(event.event);
  }
  return receipt;
}

const conflictError = (kind: string) =>
  new Error(
    `A delivery of ${JSON.stringify(kind)} has other data than the same event had before. It was stored and not processed. receiver.conflicts.list() returns it: requeue or drop it. If they are two events, tell them apart with \`identify\`.`,
  );

const deadLetterError = (kind: string, reason: string) =>
  new Error(
    `A delivery of ${JSON.stringify(kind)} was stored as a dead letter. ${reason} receiver.deadLetters.list() returns it: requeue or drop it.`,
  );

/** Calls back with what was stored. None of it can change the response. */
function report(
  { event, delivery, merchant }: VerifiedEvent,
  receipt: Receipt,
  settings: ReceiverSettings,
): void {
  // An inbox of the user's own may resolve with something else: the response says so.
  const kind = (receipt as Receipt | undefined)?.kind;
  const { onConflict, onError } = settings;
  if (kind === "conflict") {
    if (onConflict === undefined) onError(conflictError(event.event));
    else onConflict(event, ...(merchant === undefined ? [] : [merchant]));
  }
  const isDeadLetter = kind === "accepted" && !receipt.isSettled;
  if (isDeadLetter && delivery.deadLetterReason !== undefined) {
    onError(deadLetterError(delivery.event, delivery.deadLetterReason));
  }
  const { reference } = event.data;
  if (typeof reference === "string" || typeof reference === "number") {
    settings.wakeups?.notify(String(reference), ...(merchant === undefined ? [] : [merchant]));
  }
}
