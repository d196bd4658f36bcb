import { Queue, type RedisQueueBackend } from "bullmq";
import type { RedisClient } from "./scripts.ts";

// Every emitter needs a listener, or Node ends the process when Redis is away.
const ignoreErrors = (emitter: { on(event: "error", listener: () => void): unknown }) =>
  emitter.on("error", () => {});

/** One queue of deliveries, and the queue of their conflicts beside it, in one slot of a cluster. */
export class Shard {
  readonly name: string;
  readonly redis: RedisClient;
  readonly queue: Queue;
  readonly #conflicts: Queue;
  /** Until the client knows the commands of BullMQ. */
  unprepared: Promise<void> | undefined;

  constructor(name: string, redis: RedisClient) {
    this.name = name;
    this.redis = redis;
    // The inbox checks Redis itself, after the start: a connection that breaks during BullMQ's check
    // would end the queue.
    const options = { connection: redis, skipVersionCheck: true };
    this.queue = new Queue(name, options);
    this.#conflicts = new Queue(`${name}-conflicts`, options);
    for (const emitter of [this.queue, this.#conflicts]) ignoreErrors(emitter);
    this.unprepared = this.#prepare();
    // The inbox waits for it where it needs it.
    this.unprepared.catch(() => {});
  }

  async #prepare(): Promise<void> {
    await Promise.all([this.backend.waitUntilReady(), this.conflicts.waitUntilReady()]);
    this.unprepared = undefined;
  }

  get backend(): RedisQueueBackend {
    return this.queue.getBackend();
  }

  /** The queue of conflicts. */
  get conflicts(): RedisQueueBackend {
    return this.#conflicts.getBackend();
  }

  /** The key of a part of the queue, or of a job. */
  key(name: string): string {
    return this.queue.toKey(name);
  }

  conflictKey(name: string): string {
    return this.#conflicts.toKey(name);
  }

  /** The kept events of a kind. */
  keptKey(kind: string): string {
    return this.key(`malipo-kept:${kind}`);
  }

  get keptKindsKey(): string {
    return this.key("malipo-kept");
  }

  /** How many remembered events are forgotten when. */
  get countsKey(): string {
    return this.key("malipo-remembered");
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.queue.close(), this.#conflicts.close()]);
  }
}
