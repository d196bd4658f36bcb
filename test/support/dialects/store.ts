import type { Invoice, Payment, Webhook } from "./types.ts";

export type KeyName = "public" | "secret" | "sandbox" | "scopeless";

/** A delivery that waits for its next attempt. */
export interface PendingDelivery {
  readonly n: number;
  readonly event: string;
  readonly url: string;
  readonly body: string;
  attempt: number;
  dueAt: number;
}

/** What a service remembers. */
export interface Store {
  now: Date;
  requests: number;
  /** Requests since the last pause, for the rate limit. */
  recent: number;
  recentSince: number;
  readonly windowMs: number;
  readonly keys: Readonly<Record<KeyName, string>>;
  readonly payments: Payment[];
  readonly invoices: Invoice[];
  invoiceCount: number;
  readonly webhooks: Webhook[];
  webhookCount: number;
  readonly cursors: Map<string, number>;
  readonly deliveries: PendingDelivery[];
  deliveryCount: number;
}

export const newStore = (name: string, windowMs = 1_000): Store => ({
  now: new Date("2026-03-02T08:00:00Z"),
  requests: 0,
  recent: 0,
  recentSince: Date.now(),
  windowMs,
  keys: {
    public: `pk_${name}_public00000000`,
    secret: `sk_${name}_secret00000000`,
    sandbox: `sb_${name}_sandbox0000000`,
    scopeless: `sk_${name}_scopeless00000`,
  },
  payments: [],
  invoices: [],
  invoiceCount: 0,
  webhooks: [],
  webhookCount: 0,
  cursors: new Map(),
  deliveries: [],
  deliveryCount: 0,
});
