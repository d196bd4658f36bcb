/** What a phone does with every prompt; `ask`: it waits for a call of `approve()` or another method. */
export type AutoAnswer = "approve" | "cancel" | "wrongPin" | "ignore" | "ask";

export const AUTO_ANSWERS: readonly AutoAnswer[] = [
  "approve",
  "cancel",
  "wrongPin",
  "ignore",
  "ask",
];

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

/** A fault that chaos can inject into a delivery or into one of its attempts. */
export type DeliveryChaos =
  | "duplicate"
  | "reorder"
  | "delay"
  | "drop"
  | "badSignature"
  | "staleTimestamp"
  | "rotateSecret";

export const DELIVERY_CHAOS: readonly DeliveryChaos[] = [
  "duplicate",
  "reorder",
  "delay",
  "drop",
  "badSignature",
  "staleTimestamp",
  "rotateSecret",
];

export const CHAOS_NAMES = [...DELIVERY_CHAOS, "apiErrors", "lostResponses"] as const;

/** A fault that chaos can inject. */
export type ChaosName = (typeof CHAOS_NAMES)[number];
