import { ENDPOINTS, type Endpoint, type Scope } from "../../contract/endpoints.ts";
import { KEY_PREFIXES, type KeyKind } from "../../contract/keys.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import type { DeliveryChaos, StoredChaos } from "../faults/chaos.ts";
import type { Fault } from "../faults/faults.ts";
import type { Answer } from "../payments/outcomes.ts";
import { nextName, type RandomState, seedRandom } from "./random.ts";

/** What falls due at a moment. */
export type Task =
  | { readonly kind: "answer"; readonly reference: string; readonly answer: Answer }
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
export type StandingAnswer = "approve" | "cancel" | "wrongPin" | "ignore" | "ask";

export interface StoredPhone {
  balanceCents: number;
  on: boolean;
  standing?: StandingAnswer;
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
  settledAt?: number;
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
  answers?: Record<number, string>;
}

/** The whole world, as JSON. */
export interface State {
  version: 1;
  now: number;
  /** The next one first; the others as a heap has them. */
  timers: Timer[];
  nextTurn: number;
  random: RandomState;
  nextId: number;
  nextInvoice: number;
  keys: Record<string, StoredKey>;
  builtIn: Record<KeyKind, string>;
  webhookSecret: string;
  /** Secrets that signed before, or will: only where chaos rotates them. */
  otherSecrets?: string[];
  phones: Record<string, StoredPhone>;
  payments: StoredPayment[];
  invoices: StoredInvoice[];
  webhooks: StoredWebhook[];
  deliveries: StoredDelivery[];
  faults: Fault[];
  chaos?: StoredChaos;
}

/** The scopes that a kind of key may hold: those of the rows that accept it. */
export function scopesOf(kind: KeyKind): Scope[] {
  const rows: Endpoint[] = Object.values(ENDPOINTS);
  const scopes = rows.filter(({ keys }) => keys.includes(kind)).map(({ scope }) => scope);
  return [...new Set(scopes)].filter((scope) => scope !== undefined);
}

export const keyName = (random: RandomState, kind: KeyKind): string =>
  `${KEY_PREFIXES[kind]}sandbox_${nextName(random, "token", 24)}`;

/** A world in which nothing has happened yet. */
export function firstState(seed: string, now: number): State {
  const random = seedRandom(seed);
  const builtIn = {
    public: keyName(random, "public"),
    secret: keyName(random, "secret"),
    sandbox: keyName(random, "sandbox"),
  };
  const keys: Record<string, StoredKey> = {};
  for (const kind of ["public", "secret", "sandbox"] as const) {
    keys[builtIn[kind]] = { kind, scopes: scopesOf(kind) };
  }
  return {
    version: 1,
    now,
    timers: [],
    nextTurn: 0,
    random,
    nextId: 1,
    nextInvoice: 1,
    keys,
    builtIn,
    webhookSecret: `whsec_${nextName(random, "token", 32)}`,
    phones: {},
    payments: [],
    invoices: [],
    webhooks: [],
    deliveries: [],
    faults: [],
  };
}

export const newPhone = (): StoredPhone => ({ balanceCents: ASSUMPTIONS.balance.value, on: true });
