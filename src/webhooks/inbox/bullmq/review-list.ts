import type { EventFilter, EventPosition } from "../event-list.ts";
import { matchesFilter } from "../event-pages.ts";
import type { Pipeline, RedisClient } from "./redis-connections.ts";

/** What a list shows of an item, without its id and its body. */
interface Header {
  readonly receivedAt: number;
  readonly event?: string;
}

/** How many ids are read at a time: other commands get their turn in between. */
const PAGE = 1_000;

/**
 * Removes an item unless it has become a dead letter again in the meantime. A record begins with its
 * state: `x` for a dead letter.
 */
const REMOVE_REQUEUED = `
if string.sub(redis.call("GET", KEYS[3]) or "", 1, 1) == "x" then return end
redis.call("ZREM", KEYS[1], ARGV[1])
redis.call("HDEL", KEYS[2], ARGV[1])`;

/** Adds an item unless its header is there. */
const ADD_ONCE = `
local isNew = redis.call("HSETNX", KEYS[2], ARGV[1], ARGV[2])
if isNew == 1 then redis.call("ZADD", KEYS[1], ARGV[3], ARGV[1]) end
return isNew`;

/** The items of one queue that wait for a person: ids by their times, and a header for each. */
export class ReviewList<Item extends Header> {
  readonly #redis: RedisClient;
  /** The keys of its two parts. */
  readonly ids: string;
  readonly headers: string;

  constructor(redis: RedisClient, key: string) {
    this.#redis = redis;
    this.ids = key;
    this.headers = `${key}:headers`;
  }

  /** Adds an item, unless it is there. */
  add(pipeline: Pipeline, id: string, header: Item): void {
    pipeline.hsetnx(this.headers, id, JSON.stringify(header));
    pipeline.zadd(this.ids, "NX", header.receivedAt, id);
  }

  remove(pipeline: Pipeline, id: string): void {
    pipeline.zrem(this.ids, id).hdel(this.headers, id);
  }

  /** Adds an item that was never in the list. Resolves with whether it was not. */
  async addOnce(id: string, header: Item): Promise<boolean> {
    const values = [id, JSON.stringify(header), header.receivedAt];
    return (await this.#redis.eval(ADD_ONCE, 2, this.ids, this.headers, ...values)) === 1;
  }

  /** Removes items so that they cannot be added once more. */
  async hide(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#redis.zrem(this.ids, ...ids);
  }

  async removeRequeued(id: string, recordKey: string): Promise<void> {
    await this.#redis.eval(REMOVE_REQUEUED, 3, this.ids, this.headers, recordKey, id);
  }

  async has(id: string): Promise<boolean> {
    return (await this.#redis.zscore(this.ids, id)) !== null;
  }

  /** The first items that match, in the order of a list. */
  async list(filter: EventFilter): Promise<(Item & EventPosition)[]> {
    const { since = 0, until, after, limit } = filter;
    const from = Math.max(since, after?.receivedAt ?? 0);
    const to = until === undefined ? "+inf" : `(${until}`;
    const found: (Item & EventPosition)[] = [];
    for (let at = 0; found.length < limit; at += PAGE) {
      const ids = await this.#redis.zrangebyscore(this.ids, from, to, "LIMIT", at, PAGE);
      const headers = ids.length === 0 ? [] : await this.#redis.hmget(this.headers, ...ids);
      for (const [place, json] of headers.entries()) {
        // It was requeued or dropped in the meantime.
        if (json === null) continue;
        const item = { ...(JSON.parse(json) as Item), id: ids[place] as string };
        if (matchesFilter(item, filter)) found.push(item);
      }
      if (ids.length < PAGE) break;
    }
    return found.slice(0, limit);
  }
}
