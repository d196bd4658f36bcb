import { ConfigurationError } from "../../../errors/configuration.ts";
import { type Horizon, QUEUES } from "../types.ts";
import { FORMAT, type LedgerKeys, ledgerKeys } from "./names.ts";
import { type RedisClient, runAll } from "./pipeline.ts";

/** The time of Redis, between two readings by a clock that cannot be set. */
export class RedisClock {
  #offsetMs: number = performance.timeOrigin;

  /** Sets it by the reply of `TIME`. */
  read(reply: unknown): number {
    const [seconds, microseconds] = reply as [string, string];
    const now = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
    this.#offsetMs = now - performance.now();
    return now;
  }

  /** In milliseconds since the epoch. */
  now(): number {
    return Math.round(performance.now() + this.#offsetMs);
  }
}

/** Until when processes with a retention may have forgotten events. */
const RETENTION = "retention:";

/** When a process last worked on a queue. */
const WORKED = "worked";

/**
 * The longest retention with which processes used an inbox. `undefined` if there is no inbox of this name
 * in Redis.
 */
export async function storedRetentionMs(
  redis: RedisClient,
  inbox: string,
): Promise<number | undefined> {
  const found = await Promise.all(
    QUEUES.map((queue) => redis.hkeys(ledgerKeys(inbox, queue).meta)),
  );
  const used = found.flat().filter((name) => name.startsWith(RETENTION));
  if (used.length === 0) return undefined;
  return Math.max(...used.map((name) => Number(name.slice(RETENTION.length))));
}

/** What the ledger of a queue says about itself. */
export class LedgerMeta {
  readonly #redis: RedisClient;
  readonly #key: string;
  readonly #retentionMs: number;
  readonly #upkeepMs: number;
  readonly #clock: RedisClock;

  /** @param settings - `upkeepMs`: how often the process says that it uses the ledger. */
  constructor(
    redis: RedisClient,
    { meta }: LedgerKeys,
    settings: { readonly retentionMs: number; readonly upkeepMs: number },
    clock: RedisClock,
  ) {
    this.#redis = redis;
    this.#key = meta;
    this.#retentionMs = settings.retentionMs;
    this.#upkeepMs = settings.upkeepMs;
    this.#clock = clock;
  }

  /** @throws {ConfigurationError} if the ledger has another format. */
  async checkFormat(): Promise<void> {
    const pipeline = this.#redis.pipeline().hsetnx(this.#key, "format", FORMAT);
    const [, format, time] = await runAll(pipeline.hget(this.#key, "format").time());
    if (format !== `${FORMAT}`) {
      throw new ConfigurationError(
        `The events of this inbox in Redis have the format ${format}, and this version of malipo reads the format ${FORMAT}. Use the version that wrote them, or another \`queue\`.`,
      );
    }
    this.#clock.read(time);
    await this.#noteUse();
  }

  /** Says that this process uses the ledger now, and whether it works on the queue. */
  async touch(isWorkedOn: boolean): Promise<void> {
    const [time] = await runAll(this.#redis.pipeline().time().exists(this.#key));
    this.#clock.read(time);
    await this.#noteUse();
    if (isWorkedOn) await this.#redis.hset(this.#key, WORKED, this.#clock.now());
  }

  async #noteUse(): Promise<void> {
    const usedUntil = this.#clock.now() + this.#upkeepMs * 2;
    await this.#redis.hset(this.#key, `${RETENTION}${this.#retentionMs}`, usedUntil);
  }

  /** Whether no process worked on the queue for the whole retention. */
  async isAbandoned(): Promise<boolean> {
    const worked = await this.#redis.hget(this.#key, WORKED);
    return Number(worked ?? 0) < this.#clock.now() - this.#retentionMs;
  }

  /** What processes with other retentions have forgotten counts as long as it matters. */
  async horizon(): Promise<Horizon> {
    const [time, fields] = await runAll(this.#redis.pipeline().time().hgetall(this.#key));
    const now = this.#clock.read(time);
    let remembersSince = now - this.#retentionMs;
    const outdated: string[] = [];
    for (const [name, usedUntil] of Object.entries(fields as Record<string, string>)) {
      if (!name.startsWith(RETENTION)) continue;
      const since = Math.min(Number(usedUntil), now) - Number(name.slice(RETENTION.length));
      if (since > remembersSince) remembersSince = since;
      else if (since < now - this.#retentionMs) outdated.push(name);
    }
    if (outdated.length > 0) await this.#redis.hdel(this.#key, ...outdated);
    return { now, remembersSince };
  }
}
