import type { WorkerOptions } from "../../types.ts";
import type { RedisClient } from "../shards/scripts.ts";
import type { Shard } from "../shards/shard.ts";
import type { Shards } from "../shards/shards.ts";
import { Slots } from "./slots.ts";
import { freeLateRetries, surveyShard } from "./survey.ts";
import { type BullmqWorkerSettings, ShardWorker } from "./worker.ts";

/** How often a process looks for kept events that it takes, in milliseconds. */
const SURVEY_MS = 1_000;

/** The workers of all shards, within one concurrency. */
export class Workers {
  readonly #redis: RedisClient;
  readonly #shards: Shards;
  readonly #options: WorkerOptions;
  readonly #settings: BullmqWorkerSettings;
  readonly #slots: Slots;
  readonly #workers = new Map<Shard, ShardWorker>();
  readonly #timer: ReturnType<typeof setInterval>;
  #isStopped = false;
  #looking: Promise<void> | undefined;

  constructor(
    redis: RedisClient,
    shards: Shards,
    options: WorkerOptions,
    settings: BullmqWorkerSettings,
  ) {
    this.#redis = redis;
    this.#shards = shards;
    this.#options = options;
    this.#settings = settings;
    this.#slots = new Slots(options.concurrency);
    this.#serve([shards.first]);
    const { leaseMs } = settings.pace;
    this.#timer = setInterval(() => this.#look(), Math.min(SURVEY_MS, leaseMs));
    if (redis.status === "ready") this.#look();
    else redis.once("ready", () => this.#look());
  }

  /** Starts the workers of shards that have none, and shares the concurrency among all. */
  #serve(shards: readonly Shard[]): void {
    for (const shard of shards) {
      if (this.#workers.has(shard)) continue;
      this.#workers.set(
        shard,
        new ShardWorker(this.#redis, shard, this.#options, this.#settings, this.#slots),
      );
    }
    const { concurrency } = this.#options;
    const count = this.#workers.size;
    let at = 0;
    for (const worker of this.#workers.values()) {
      const share = Math.floor(concurrency / count) + (at++ < concurrency % count ? 1 : 0);
      worker.concurrency = Math.max(1, share);
    }
  }

  /** Never two at the same time. */
  #look(): void {
    const isReached = [this.#redis, this.#shards.first.redis].every(
      ({ status }) => status === "ready",
    );
    if (this.#isStopped || !isReached) return;
    this.#looking ??= this.#lookOnce()
      .catch(this.#options.onError)
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #lookOnce(): Promise<void> {
    const shards = await this.#shards.all();
    if (this.#isStopped) return;
    this.#serve(shards);
    for (const [shard, worker] of this.#workers) {
      const { late, kept } = await surveyShard(this.#redis, shard, this.#options.kinds);
      worker.take(kept);
      if (late > 0) await freeLateRetries(shard);
    }
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await Promise.all([...this.#workers.values()].map((worker) => worker.stop(timeoutMs)));
    this.#redis.disconnect();
  }
}
