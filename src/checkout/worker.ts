import { sleep } from "../internal/timeout.ts";
import { Poller } from "../webhooks/inbox/lease-worker.ts";
import type { Engine } from "./order-engine.ts";

/** Another process may change an order without notifying this one. */
const POLL_MS = 500;
/** Small, since the next goods wait for the end of a batch. */
const BATCH = 32;
const CONCURRENCY = 8;

/** Does what is due, and tells those who wait for an order. */
export class Worker {
  readonly #engine: Engine;
  readonly #poller = new Poller(() => this.#turn());
  readonly #waiting = new Map<string, Set<() => void>>();
  #running: Promise<unknown> | undefined;
  #isStopped = false;
  isStarted = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  start(): void {
    this.isStarted = true;
    void this.#poller.now();
  }

  /** Begins nothing more, and waits for what is under way. */
  async stop(timeoutMs: number): Promise<void> {
    this.isStarted = false;
    this.#isStopped = true;
    this.#poller.stop();
    const controller = new AbortController();
    await Promise.race([this.#running, sleep(timeoutMs, controller.signal)]);
    controller.abort();
  }

  /** An order has changed. */
  note(id: string, isDue: boolean): void {
    for (const wake of this.#waiting.get(id) ?? []) wake();
    if (isDue && this.isStarted) this.#poller.soon();
  }

  async #turn(): Promise<void> {
    this.#running = this.#work(Number.POSITIVE_INFINITY).catch(this.#engine.settings.onError);
    const count = await this.#running;
    this.#poller.in(Number(count) > 0 ? 1 : POLL_MS);
  }

  /** Does what is due now, once. Several at a time, goods first, otherwise in no order, so that processes meet less often. */
  async #work(deadline: number): Promise<number> {
    const due = await this.#engine.settings.store.due(BATCH);
    const left = due
      .map(({ id, isPaid }) => ({ id, at: Math.random() + Number(isPaid) }))
      .sort((a, b) => a.at - b.at)
      .map(({ id }) => id);
    const work = async () => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) {
        if (this.#isStopped || performance.now() > deadline) return;
        await this.#engine.work(id);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return due.length;
  }

  /** Does what is due, until nothing is or the time is over. */
  async drain(timeoutMs: number): Promise<number> {
    const deadline = performance.now() + timeoutMs;
    let processed = 0;
    for (;;) {
      const count = await this.#work(deadline);
      processed += count;
      if (count === 0 || performance.now() > deadline) return processed;
    }
  }

  /** Looks at an order until it is over, or the time is. */
  async wait<Seen>(
    id: string,
    waitMs: number,
    signal: AbortSignal | undefined,
    look: () => Promise<{ readonly order: Seen; readonly isOver: boolean }>,
  ): Promise<Seen> {
    const deadline = performance.now() + waitMs;
    const wakes = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, wakes);
    for (;;) {
      signal?.throwIfAborted();
      const controller = new AbortController();
      const wake = () => controller.abort();
      wakes.add(wake);
      signal?.addEventListener("abort", wake);
      try {
        const { order, isOver } = await look();
        const leftMs = deadline - performance.now();
        if (isOver || leftMs <= 0) return order;
        await sleep(Math.min(POLL_MS, leftMs), controller.signal);
      } finally {
        wakes.delete(wake);
        signal?.removeEventListener("abort", wake);
        if (wakes.size === 0) this.#waiting.delete(id);
      }
    }
  }
}
