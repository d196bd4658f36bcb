import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { NewDelivery } from "malipo/types";
import { createWebhookReceiver, type Inbox, type WebhookReceiverOptions } from "malipo/webhooks";
import { aroundEach, vi } from "vitest";
import { deliveryOf, SECRET } from "../stress/inboxes/sender.ts";

/** An empty store on which inboxes are opened. */
export interface Store {
  /** Opens another inbox on it, as another process would; with another retention or address if one is given. */
  open(options?: { readonly retentionMs?: number; readonly url?: string }): Inbox;
}

/** How the inboxes of a store are opened. */
interface StoreOptions {
  /** The option of the inbox. */
  readonly retentionMs?: number | undefined;
  /** The first retry comes after a minute, instead of almost at once. */
  readonly retriesLate?: boolean;
  /** The first retry comes after this time. */
  readonly retriesAfterMs?: number;
}

/** An inbox as the suites take it. */
export interface InboxUnderTest {
  /** Creates an empty store. Its leases last a second or two. */
  fresh(options?: StoreOptions): Promise<Store>;
  /** Only one process can use the store. */
  readonly isSingleProcess?: boolean;
  /** An event that `stop` hands back counts as a failed attempt. */
  readonly countsReleases?: boolean;
}

/** A delivery as a receiver passes it to an inbox; each number is another event. */
export function newDelivery(number: number, given: Partial<NewDelivery> = {}): NewDelivery {
  const digits = number.toString(16).padStart(64, "0");
  return {
    key: digits,
    digest: digits,
    event: "payment.completed",
    raw: Buffer.from(JSON.stringify({ event: "payment.completed", data: { number } })),
    secretIndex: 0,
    receivedAt: 1_767_312_245_000 + number,
    signedAt: Date.now(),
    signature: digits.replace("0", "f"),
    ...given,
  };
}

/**
 * Waits until the condition holds.
 *
 * @param seen - What was seen instead, for the one who reads that it never held.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  seen: () => string = () => "",
): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await holds())) {
    if (performance.now() > deadline) {
      throw new Error(`The condition never held: ${holds}\n${seen()}`);
    }
    await sleep(10);
  }
}

/** A receiver on an inbox, with its callbacks. */
export function receiverOn(inbox: Inbox, options: Partial<WebhookReceiverOptions> = {}) {
  const onError = vi.fn();
  const onConflict = vi.fn();
  const receiver = createWebhookReceiver({
    secret: SECRET,
    inbox,
    onError,
    onConflict,
    ...options,
  });
  opened.getStore()?.push(receiver);
  return {
    ...receiver,
    onError,
    onConflict,
    /** Posts a signed event. Returns the status and the description. */
    post: async (reference: string, amount?: string) => {
      const { body, signature } = deliveryOf(reference, amount);
      const headers = { "x-service-signature": signature };
      const response = await receiver.handle({ method: "POST", headers, body });
      return [response.status, JSON.parse(response.body).ResultDesc];
    },
  };
}

/** The receivers of a test: tests run side by side. */
const opened = new AsyncLocalStorage<{ stop(options: { timeoutMs: number }): Promise<void> }[]>();

/** Stops the receivers that a test opened. */
export function stopAll(): void {
  aroundEach(async (runTest) => {
    const receivers: ReturnType<typeof createWebhookReceiver>[] = [];
    await opened.run(receivers, runTest);
    await Promise.all(receivers.map((one) => one.stop({ timeoutMs: 100 })));
  });
}

/** As many references of events. */
export const references = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `PAY-${at + 1}`);

/** A promise, and the function that resolves it. */
export function gateOf<Value>(): [Promise<Value>, (value: Value) => void] {
  let open: (value: Value) => void = () => {};
  const gate = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return [gate, open];
}
