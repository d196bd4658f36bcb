import { type RedisClient, runScript } from "./scripts.ts";

/** How many shards there are and were. */
interface ShardNumbers {
  /** How many the inbox began with. */
  readonly first: number;
  readonly now: number;
}

/**
 * The shards in which an event may be, the one that it goes to last: a shard for each number that
 * there was. By a jump consistent hash: with another number, an event stays, or goes to a new shard.
 */
export function shardsOf(key: string, { first, now }: ShardNumbers): [number, ...number[]] {
  let seed = BigInt.asUintN(64, BigInt(`0x${key.slice(0, 16)}`));
  let shards: [number, ...number[]] = [0];
  for (let next = 0; next < now; ) {
    // With the number that the inbox began with, the event was in this shard, not in one before.
    shards = next < first ? [next] : [...shards, next];
    seed = BigInt.asUintN(64, seed * 2_862_933_555_777_941_757n + 1n);
    next = Math.floor((next + 1) * (2 ** 31 / (Number(seed >> 33n) + 1)));
  }
  return shards;
}

/**
 * How many shards all processes use. A higher number is announced in Redis, and comes into effect when
 * every process knows of it: no process relies on what it read longer ago.
 */
export class ShardNumber {
  readonly #redis: RedisClient;
  readonly #key: string;
  readonly #wanted: number;
  readonly #maxAgeMs: number;
  #numbers: ShardNumbers | undefined;
  #next: { readonly number: number; readonly at: number } | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(redis: RedisClient, key: string, wanted: number, maxAgeMs: number) {
    this.#redis = redis;
    this.#key = key;
    this.#wanted = wanted;
    this.#maxAgeMs = maxAgeMs;
  }

  /** The numbers, or a promise of them where they were read too long ago. */
  get(): ShardNumbers | Promise<ShardNumbers> {
    const age = performance.now() - this.#readAt;
    const numbers = this.#current();
    if (numbers === undefined || age > this.#maxAgeMs) return this.#readNumbers();
    // The next call need not wait.
    if (age > this.#maxAgeMs / 2) this.#read().catch(() => {});
    return numbers;
  }

  #current(): ShardNumbers | undefined {
    if (this.#numbers !== undefined && this.#next !== undefined) {
      if (performance.now() >= this.#next.at) {
        this.#numbers = { ...this.#numbers, now: this.#next.number };
        this.#next = undefined;
      }
    }
    return this.#numbers;
  }

  async #readNumbers(): Promise<ShardNumbers> {
    await this.#read();
    return this.#current() as ShardNumbers;
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<void> {
    const startedAt = performance.now();
    const [first = 1, now = 1, next = 1, inMs = 0] = (await runScript(
      this.#redis,
      "malipoShards",
      [this.#key],
      // The others read it within the age, and some time passes on the way.
      [this.#wanted, this.#maxAgeMs * 2],
    )) as number[];
    this.#readAt = startedAt;
    this.#numbers = { first, now };
    this.#next = next > now ? { number: next, at: performance.now() + inMs } : undefined;
  }
}
