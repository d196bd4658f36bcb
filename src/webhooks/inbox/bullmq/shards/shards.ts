import type { NewDelivery, Receipt } from "../../types.ts";
import { Acceptor } from "./accept.ts";
import type { RedisClient } from "./scripts.ts";
import { Shard } from "./shard.ts";
import { ShardNumber, shardsOf } from "./shard-number.ts";

/** How the deliveries of an inbox are put on queues. */
export interface ShardSettings {
  readonly queue: string;
  readonly shards: number;
  readonly replicas: number;
  /** How long a process relies on the number of shards that it read. */
  readonly maxAgeMs: number;
}

/**
 * The name of a shard's queue. In a cluster it has a hash tag: all keys of the queue, and of its
 * conflicts, are in one slot.
 */
function shardName(queue: string, at: number, isCluster: boolean): string {
  const tagged = /^\{(.+)\}$/.exec(queue)?.[1];
  const name = `${tagged ?? queue}${at === 0 ? "" : `-${at + 1}`}`;
  return isCluster || tagged !== undefined ? `{${name}}` : name;
}

interface Place {
  readonly shard: Shard;
  readonly acceptor: Acceptor;
}

/** All queues of an inbox. */
export class Shards {
  readonly #redis: RedisClient;
  readonly #settings: ShardSettings;
  readonly #places: Place[] = [];
  readonly #number: ShardNumber;

  constructor(redis: RedisClient, settings: ShardSettings) {
    this.#redis = redis;
    this.#settings = settings;
    const key = this.#place(0).shard.key("malipo-shards");
    this.#number = new ShardNumber(redis, key, settings.shards, settings.maxAgeMs);
  }

  async accept(delivery: NewDelivery): Promise<Receipt> {
    const read = this.#number.get();
    const [at, ...earlier] = shardsOf(
      delivery.key,
      read instanceof Promise ? await read : read,
    ).reverse() as [number, ...number[]];
    for (const old of earlier) {
      const place = this.#place(old);
      const known = await place.acceptor.known(delivery.key);
      if (known !== null) return place.acceptor.compare(delivery, known);
    }
    return this.#place(at).acceptor.accept(delivery);
  }

  /** The shard that is always in use. */
  get first(): Shard {
    return this.#place(0).shard;
  }

  /** All that are in use now. */
  async all(): Promise<Shard[]> {
    const { now } = await this.#number.get();
    return Array.from({ length: now }, (_, at) => this.#place(at).shard);
  }

  #place(at: number): Place {
    const { queue, replicas } = this.#settings;
    const known = this.#places[at];
    if (known !== undefined) return known;
    const isCluster = "nodes" in this.#redis;
    const shard = new Shard(shardName(queue, at, isCluster), this.#redis);
    const place = { shard, acceptor: new Acceptor(shard, replicas) };
    this.#places[at] = place;
    return place;
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#places.map(({ shard }) => shard.close()));
  }
}
