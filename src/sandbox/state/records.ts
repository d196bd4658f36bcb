import type { Scope } from "../../contract/endpoints.ts";
import type { KeyKind } from "../../contract/keys.ts";
import type { PromptOutcome } from "../payments/outcomes.ts";

/** What falls due at a moment. */
export type Task =
  | { readonly kind: "answer"; readonly reference: string; readonly outcome: PromptOutcome }
  | { readonly kind: "expire"; readonly reference: string }
  | { readonly kind: "deliver"; readonly delivery: string }
  | { readonly kind: "overdue"; readonly invoice: string };

export interface Timer {
  readonly at: number;
  /** Which of those of the same time comes first. */
  readonly turn: number;
  readonly task: Task;
}

export interface StoredKey {
  readonly kind: KeyKind;
  readonly scopes: readonly Scope[];
}

/** What a phone does with every prompt: `ask` waits for you. */
export type AutoAnswer = "approve" | "cancel" | "wrongPin" | "ignore" | "ask";

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
  readonly checkout_request_id?: string;
  readonly createdAt: number;
  finalAt?: number;
  /** The customer has put the phone away: nothing but the expiry will come. */
  ignored?: true;
  /** Completed payments. */
  transaction_id?: string;
  /** Failed payments. */
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
  /** What the merchant put in it, beside the fields above. */
  fields: Record<string, unknown>;
}

export interface StoredWebhook {
  readonly id: string;
  name: string;
  url: string;
  events: string[];
}

/** One try to deliver a webhook, and what came of it. */
export interface DeliveryAttempt {
  /** When it was sent, with offset. */
  at: string;
  /** What the receiver answered. */
  status?: number;
  /** Why there was no answer. */
  error?: string;
  /** How long it took on the sandbox's clock: 0 in virtual time. */
  latencyMs: number;
  /** What chaos did to this attempt. */
  chaos?: DeliveryChaos[];
}

/** One event on its way to one address. */
export interface Delivery {
  id: string;
  event: string;
  url: string;
  /** The raw body, as it is sent at every attempt. */
  body: string;
  signature: string;
  state: "pending" | "delivered" | "failed";
  attempts: DeliveryAttempt[];
  /** What chaos did to it and its attempts, and the seed that does it again. */
  chaos?: { seed: string; touched: DeliveryChaos[] };
}

export interface StoredDelivery extends Delivery {
  /** Attempts made in turn; those that somebody asked for do not count. */
  tries: number;
  /** What the receiver wrote, its first bytes as text, by the index of the attempt. */
  responses?: Record<number, string>;
}

/** What goes wrong. The first four come before the service does anything, the last two after it has. */
export type FaultEffect =
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** A string goes out as it is, anything else as JSON. */
      readonly body?: unknown;
    }
  /** The answer comes late, in real milliseconds on either clock. */
  | { readonly kind: "latency"; readonly ms: number }
  /** The connection is reset. */
  | { readonly kind: "reset" }
  /** No answer ever comes. */
  | { readonly kind: "hang" }
  /** Done, and the answer breaks off in the middle. */
  | { readonly kind: "truncate" }
  /** Done, and the connection is reset before the answer. */
  | { readonly kind: "lostResponse" };

/** A fault as the state holds it. `times` is `null` for ever, which JSON has no number for. */
export interface StoredFault {
  readonly match: { readonly method?: string; readonly path?: string; readonly endpoint?: string };
  readonly effect: FaultEffect;
  after: number;
  times: number | null;
}

/** What chaos can do to a delivery or to one of its attempts. */
export type DeliveryChaos =
  | "duplicate"
  | "reorder"
  | "delay"
  | "drop"
  | "badSignature"
  | "staleTimestamp"
  | "rotateSecret";

/** One of the things that chaos can do. */
export type ChaosName = DeliveryChaos | "apiErrors" | "lostResponses";

/** Chaos as the state holds it. */
export interface StoredChaos {
  readonly seed: string;
  readonly rates: { readonly [Name in ChaosName]?: number };
  /** Number of API calls so far. */
  calls: number;
  /** The signing secret after the next rotation. */
  nextSecret?: string;
  /** Ids of the deliveries that wait for the next one to overtake them, by URL. */
  held: Record<string, string>;
}
