import { setTimeout as sleep } from "node:timers/promises";
import { createWebhookReceiver, type Inbox, type WebhookReceiverOptions } from "malipo/webhooks";
import { afterEach, vi } from "vitest";
import { deliveryOf, SECRET } from "../stress/inboxes/sender.ts";

/** A store that inboxes are opened on. */
export interface Store {
  /** Another inbox on it, as another process would have. */
  open(): Inbox;
  /** The raw bodies of the conflicts that lie in it, where that can be seen. */
  conflicts?(): Promise<string[]>;
}

/** An inbox as the suite takes it. */
export interface InboxUnderTest {
  /** A store with nothing in it. Its pace: leases of a second or two, next to no wait between attempts. */
  fresh(): Promise<Store>;
  /** Has no process but this one. */
  readonly isAlone?: boolean;
  /** What `stop` hands back counts as an attempt. */
  readonly countsWhatIsHandedBack?: boolean;
}

/** Until it holds: engines take the time they take. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It never held: ${holds}`);
    await sleep(10);
  }
}

/** A receiver on an inbox, with what it was told. */
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
  opened.push(receiver);
  return {
    ...receiver,
    onError,
    onConflict,
    /** Posts one, signed. Gives the status and the words. */
    post: async (reference: string, amount?: string) => {
      const { body, signature } = deliveryOf(reference, amount);
      const headers = { "x-service-signature": signature };
      const reply = await receiver.handle({ method: "POST", headers, body });
      return [reply.status, JSON.parse(reply.body).ResultDesc];
    },
  };
}

const opened: { stop(options: { timeoutMs: number }): Promise<void> }[] = [];

/** Stops what a test has opened. */
export function stopAll(): void {
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.stop({ timeoutMs: 100 })));
  });
}

/** Names of events: as many as asked. */
export const references = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `PAY-${at + 1}`);

/** A promise, and what resolves it. */
export function gateOf<Value>(): [Promise<Value>, (value: Value) => void] {
  let open: (value: Value) => void = () => {};
  const gate = new Promise<Value>((resolve) => {
    open = resolve;
  });
  return [gate, open];
}
