import type { Scope } from "../../contract/endpoints.ts";
import type { KeyKind } from "../../contract/keys.ts";
import type { PromptOutcome } from "./prompt-outcomes.ts";

/** What is to be done at a given time. */
export type Task =
  | { readonly kind: "answer"; readonly reference: string; readonly outcome: PromptOutcome }
  | { readonly kind: "expire"; readonly reference: string }
  | { readonly kind: "deliver"; readonly delivery: string }
  | { readonly kind: "overdue"; readonly invoice: string };

export interface Timer {
  readonly at: number;
  /** Of two timers that are due at the same time, the one with the lower turn runs first. */
  readonly turn: number;
  readonly task: Task;
}

export interface StoredKey {
  readonly kind: KeyKind;
  readonly scopes: readonly Scope[];
}

export const AUTO_ANSWERS = ["approve", "cancel", "wrongPin", "ignore", "ask"] as const;

/** What a phone does with every prompt; `ask`: it waits for a call of `approve()` or another method. */
export type AutoAnswer = (typeof AUTO_ANSWERS)[number];

export interface StoredPhone {
  balanceCents: number;
  on: boolean;
  autoAnswer?: AutoAnswer;
  /** Reference of the payment whose prompt is open. */
  prompt?: string;
}

export interface StoredPayment {
  readonly payment_id: number;
  readonly merchant_id: number;
  readonly reference: string;
  readonly cents: number;
  readonly currency: string;
  readonly phone: string;
  status: "pending" | "completed" | "failed";
  readonly account_reference: string;
  readonly description: string;
  /** Only of a payment to another account than the default one. */
  readonly payment_account_id?: string | number;
  readonly checkout_request_id?: string;
  readonly createdAt: number;
  /** When it reached a final status. */
  finalAt?: number;
  /** The customer ignores the prompt: it can only expire. */
  ignored?: true;
  /** Only of a completed payment. */
  transaction_id?: string;
  /** Only of a failed payment. */
  failure?: { reason: string; userMessage: string; retryPossible: boolean };
}

type InvoiceStatus = "draft" | "sent" | "paid" | "overdue";

export interface StoredInvoice {
  readonly id: string;
  readonly number: string;
  status: InvoiceStatus;
  cents?: number;
  dueAt: number;
  readonly createdAt: number;
  /** The merchant's own fields. */
  fields: Record<string, unknown>;
}

/** A subscription exists in test events only: the interface has no endpoint for it. */
export interface SubscriptionRecord {
  readonly subscription_id: number;
  readonly status: "active" | "canceled";
  readonly createdAt: number;
}

/** What an event can be about. */
export type EventRecord = StoredPayment | StoredInvoice | SubscriptionRecord;

export interface StoredWebhook {
  readonly id: string;
  name: string;
  url: string;
  events: string[];
}

/** One attempt to deliver a webhook, and its result. */
export interface DeliveryAttempt {
  /** When it was sent: ISO 8601 with an offset. */
  at: string;
  /** The status that the receiver returned. */
  status?: number;
  /** Why there was no response. */
  error?: string;
  /** How long it took, in milliseconds of the sandbox's clock: 0 in virtual time. */
  latencyMs: number;
  /** The faults that chaos injected into this attempt. */
  chaos?: DeliveryChaos[];
}

/** One event that is sent to one address. */
export interface Delivery {
  id: string;
  event: string;
  url: string;
  /** The raw body, as it is sent at every attempt. */
  body: string;
  signature: string;
  state: "pending" | "delivered" | "failed";
  attempts: DeliveryAttempt[];
  /** The faults that chaos injected into it and its attempts, and the seed that repeats them. */
  chaos?: { seed: string; faults: DeliveryChaos[] };
}

export interface StoredDelivery extends Delivery {
  /** Attempts of the retry schedule. A resend does not count. */
  tries: number;
  /** The beginning of each response body, by the index of the attempt. */
  responses?: Record<number, string>;
}

/**
 * What goes wrong with a request. `status`, `latency`, `reset` and `hang` come before the service does
 * anything; `truncate` and `lostResponse` come after it has done what was asked.
 */
export type FaultEffect =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** A string is sent unchanged, anything else as JSON. */
      readonly body?: unknown;
    }
  /** The response is late, in real milliseconds on either clock. */
  | { readonly kind: "latency"; readonly ms: number }
  /** The connection is reset. */
  | { readonly kind: "reset" }
  /** No response ever comes. */
  | { readonly kind: "hang" }
  /** The request is done, and the response breaks off in the middle. */
  | { readonly kind: "truncate" }
  /** The request is done, and the connection is reset before the response. */
  | { readonly kind: "lostResponse" };

/** A fault as the state holds it. `times` is `null` for an unlimited one: JSON has no `Infinity`. */
export interface StoredFault {
  /** Snapshots of earlier versions do not have it. */
  readonly id?: string;
  readonly match: { readonly method?: string; readonly path?: string; readonly endpoint?: string };
  readonly effect: FaultEffect;
  after: number;
  times: number | null;
}

const DELIVERY_CHAOS = [
  "duplicate",
  "reorder",
  "delay",
  "drop",
  "badSignature",
  "staleTimestamp",
  "rotateSecret",
] as const;

/** A fault that chaos can inject into a delivery or into one of its attempts. */
export type DeliveryChaos = (typeof DELIVERY_CHAOS)[number];

export const CHAOS_NAMES = [...DELIVERY_CHAOS, "apiErrors", "lostResponses"] as const;

/** A fault that chaos can inject. */
export type ChaosName = (typeof CHAOS_NAMES)[number];

/** Chaos as the state holds it. */
export interface StoredChaos {
  readonly seed: string;
  readonly rates: { readonly [Name in ChaosName]?: number };
  /** Number of API calls so far. */
  calls: number;
  /** The signing secret after the next rotation. */
  nextSecret?: string;
  /** The delivery that waits to be overtaken by the next one, by its address. */
  held: Record<string, string>;
}
