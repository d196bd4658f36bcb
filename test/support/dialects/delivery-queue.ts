import { createHmac } from "node:crypto";
import { nairobi } from "./format.ts";
import type { PendingDelivery, Store } from "./store.ts";
import type { Dialect, Fields } from "./types.ts";

interface QueueOptions {
  readonly store: Store;
  readonly dialect: Dialect;
  readonly secret: string;
  readonly deliver: (request: Request) => Promise<Response>;
}

/** Delivers events, and retries on the schedule of the dialect. */
export class DeliveryQueue {
  readonly #options: QueueOptions;
  #last: Promise<void> = Promise.resolve();

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Queues an event. Its first attempt begins at once, after those before it. */
  emit(event: string, data: Fields): void {
    const { store } = this.#options;
    const body = JSON.stringify({ event, timestamp: nairobi(store.now), data });
    for (const { url, events } of store.webhooks) {
      if (!events.includes(event)) continue;
      const dueAt = store.now.getTime();
      const delivery = { n: ++store.deliveryCount, event, url, body, attempt: 0, dueAt };
      this.#last = this.#last.then(() => this.#attempt(delivery));
    }
  }

  settled(): Promise<void> {
    return this.#last;
  }

  async advance(ms: number): Promise<void> {
    const { store } = this.#options;
    const end = store.now.getTime() + ms;
    for (;;) {
      await this.#last;
      const [next] = store.deliveries
        .filter(({ dueAt }) => dueAt <= end)
        .sort((one, other) => one.dueAt - other.dueAt);
      if (next === undefined) break;
      store.deliveries.splice(store.deliveries.indexOf(next), 1);
      store.now = new Date(Math.max(next.dueAt, store.now.getTime()));
      this.#last = this.#attempt(next);
    }
    store.now = new Date(end);
  }

  async #attempt(delivery: PendingDelivery): Promise<void> {
    const { store, dialect, secret, deliver } = this.#options;
    const { n, event, url, body } = delivery;
    const attempt = ++delivery.attempt;
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const headers = {
      "content-type": "application/json",
      "x-service-signature": dialect.delivery.prefix + signature,
      ...dialect.delivery.headers({ event, n, attempt, at: store.now }),
    };
    const request = new Request(url, { method: "POST", headers, body });
    const response = await deliver(request).catch(() => undefined);
    await response?.arrayBuffer();
    const wait = dialect.delivery.retriesMs[attempt - 1];
    if (response?.status === 200 || wait === undefined) return;
    store.deliveries.push({ ...delivery, attempt, dueAt: store.now.getTime() + wait });
  }
}
