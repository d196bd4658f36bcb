import type { Stored } from "../batcher.ts";
import type { NewDelivery, StoredDoublePayment } from "../inbox-types.ts";
import {
  type Pipeline,
  type RedisClient,
  type RedisClock,
  runAll,
  Together,
} from "./redis-connections.ts";
import {
  DECIDED,
  type EventRecord,
  type Header,
  headerOf,
  type LedgerKeys,
  recordIn,
  recordText,
  type StoredEvent,
  shortDigest,
  storedEventOf,
} from "./redis-layout.ts";
import { ReviewList } from "./review-list.ts";

/** What the ledger replies to a delivery. */
interface Admission {
  readonly as: Stored;
  /** Its event is to be processed, and may have no job. */
  readonly needsJob: boolean;
}

/**
 * Stores what is new of some deliveries. For each one, it takes four keys (its event, its conflict, and the
 * same by its former key) and three texts (its record; for a dead letter its header and the time of its
 * receipt). It replies with `new`, `duplicate`, `conflict` (which is stored), or the record of the event.
 */
const ADMIT = `
local function head(key)
  local text = redis.pcall("GETRANGE", key, 0, 33)
  return type(text) == "string" and text or ""
end
local replies = {}
for at = 1, #ARGV / 3 do
  local event, conflict, former, formerConflict = unpack(KEYS, at * 4 - 1, at * 4 + 2)
  local record, header, receivedAt = unpack(ARGV, at * 3 - 2, at * 3)
  local known = redis.pcall("GETRANGE", event, 0, 33)
  local own, before = head(conflict), ""
  if former ~= event then
    before = string.sub(head(former), 3) == string.sub(record, 3, 34) and "${DECIDED}" or head(formerConflict)
  end
  if own == "${DECIDED}" or before == "${DECIDED}" then
    replies[at] = "duplicate"
  elseif own ~= "" or before ~= "" then
    replies[at] = "conflict"
  elseif known == "" then
    redis.call("SET", event, record)
    if header ~= "" then
      local id = string.match(event, "[^:]*$")
      redis.call("ZADD", KEYS[1], receivedAt, id)
      redis.call("HSET", KEYS[2], id, header)
    end
    replies[at] = "new"
  else
    replies[at] = known
  end
end
return replies`;

type ListName = "deadLetters" | "conflicts";

/** What was seen of the events of one queue. One record an event decides what is new. */
export class QueueLedger {
  readonly #redis: RedisClient;
  readonly #reads: Together<string, string | null>;
  readonly #ends: Together<EndedEvent, unknown>;
  readonly keys: LedgerKeys;
  readonly #retentionMs: number;
  readonly #clock: RedisClock;
  readonly deadLetters: ReviewList<Header>;
  readonly conflicts: ReviewList<Header>;
  readonly doublePayments: ReviewList<StoredDoublePayment>;

  constructor(redis: RedisClient, keys: LedgerKeys, retentionMs: number, clock: RedisClock) {
    this.#redis = redis;
    this.#reads = new Together((names) => redis.mget(...names));
    this.#ends = new Together((events) => this.#endAll(events));
    this.keys = keys;
    this.#retentionMs = Math.ceil(retentionMs);
    this.#clock = clock;
    this.deadLetters = new ReviewList(redis, keys.deadLetters);
    this.conflicts = new ReviewList(redis, keys.conflicts);
    this.doublePayments = new ReviewList(redis, keys.doublePayments);
  }

  /** Stores what is new among deliveries. */
  async admit(deliveries: readonly NewDelivery[]): Promise<Admission[]> {
    const { keys } = this;
    const names = deliveries.flatMap(({ key, digest, formerKey = key }) => [
      keys.event(key),
      keys.conflict({ key, digest }),
      keys.event(formerKey),
      keys.conflict({ key: formerKey, digest }),
    ]);
    const texts = deliveries.flatMap((delivery) => {
      const { digest, deadLetterReason: error, receivedAt } = delivery;
      if (error === undefined) return [recordText("pending", digest), "", ""];
      const content = { ...storedEventOf(delivery), attempts: 0, error };
      const header = JSON.stringify(headerOf(content));
      return [recordText("dead", digest, content), header, receivedAt];
    });
    const { ids, headers } = this.deadLetters;
    const count = names.length + 2;
    const replies = await this.#redis.eval(ADMIT, count, ids, headers, ...names, ...texts);
    const conflicts: NewDelivery[] = [];
    const admissions = (replies as (string | Error)[]).map((reply, at): Admission => {
      const delivery = deliveries[at] as NewDelivery;
      if (reply instanceof Error) return { as: reply, needsJob: false };
      const isNew = reply === "new";
      if (isNew) return { as: "accepted", needsJob: delivery.deadLetterReason === undefined };
      const { state, digest } = recordIn(reply) ?? {};
      if (reply === "duplicate" || digest === shortDigest(delivery.digest)) {
        return { as: "duplicate", needsJob: state === "pending" };
      }
      if (reply !== "conflict") conflicts.push(delivery);
      return { as: "conflict", needsJob: false };
    });
    if (conflicts.length > 0) {
      const writes = this.#redis.multi();
      for (const one of conflicts) this.#writeConflict(writes, one);
      await runAll(writes);
    }
    return admissions;
  }

  #writeConflict(writes: Pipeline, delivery: NewDelivery): void {
    const stored = storedEventOf(delivery);
    const key = this.keys.conflict(delivery);
    writes.set(key, JSON.stringify(stored), "NX");
    const { key: event, digest } = delivery;
    this.conflicts.add(writes, `${event}-${digest}`, headerOf(stored));
  }

  /**
   * Remembers what ends now for the retention: from now, or from the signed time if it is later. Without
   * such a time it is remembered without end, since a replay of it could come at any time.
   */
  #remember(writes: Pipeline, key: string, text: string, signedAt: number | undefined): void {
    if (signedAt === undefined) writes.set(key, text);
    else {
      const aheadMs = Math.max(0, Math.ceil(signedAt) - this.#clock.now());
      writes.set(key, text, "PX", aheadMs + this.#retentionMs);
    }
  }

  /** The time of Redis, in milliseconds since the epoch. */
  now(): number {
    return this.#clock.now();
  }

  /** Whether the retention of what is from then is over. */
  isOver(then: number): boolean {
    return then < this.now() - this.#retentionMs;
  }

  /** The record of an event that is processed now. */
  async begin(key: string, attempt: number): Promise<EventRecord | undefined> {
    if (attempt > 1) await this.#redis.zrem(this.keys.retrying, key);
    return recordIn(await this.#reads.add(this.keys.event(key)));
  }

  /** The last step before an event ends. */
  async end(event: EndedEvent): Promise<void> {
    await this.#ends.add(event);
  }

  #endAll(events: readonly EndedEvent[]): Promise<unknown[]> {
    const writes = this.#redis.pipeline();
    for (const { key, digest, signedAt } of events) {
      this.#remember(writes, this.keys.event(key), recordText("done", digest), signedAt);
    }
    return runAll(writes);
  }

  async noteRetry(key: string, receivedAt: number): Promise<void> {
    await this.#redis.zadd(this.keys.retrying, receivedAt, key);
  }

  /** Makes a dead letter of an event. */
  async bury(key: string, content: StoredEvent): Promise<void> {
    const writes = this.#redis.multi();
    writes.set(this.keys.event(key), recordText("dead", content.digest, content));
    this.deadLetters.add(writes, key, headerOf(content));
    writes.zrem(this.keys.retrying, key);
    await runAll(writes);
  }

  /** Deletes events that were never processed. */
  async forget(keys: readonly string[]): Promise<void> {
    const writes = this.#redis.pipeline();
    for (const key of keys) writes.del(this.keys.event(key)).zrem(this.keys.retrying, key);
    await runAll(writes);
  }

  /** The event of a list with this id. */
  async find(list: ListName, id: string): Promise<StoredEvent | undefined> {
    if (!(await this[list].has(id))) return undefined;
    const text = await this.#redis.get(this.keys.event(id));
    if (list === "deadLetters") return recordIn(text)?.content;
    return text === null || text === DECIDED ? undefined : (JSON.parse(text) as StoredEvent);
  }

  /** Makes a dead letter an event to process. It keeps its content until it is done. */
  async reopen(key: string, content: StoredEvent): Promise<void> {
    await this.#redis.set(this.keys.event(key), recordText("pending", content.digest, content));
  }

  /** A person has decided on an event of a list: its content is forgotten. */
  async decide(list: ListName, id: string, { digest, signedAt }: StoredEvent): Promise<void> {
    const writes = this.#redis.multi();
    const text = list === "deadLetters" ? recordText("done", digest) : DECIDED;
    this.#remember(writes, this.keys.event(id), text, signedAt);
    this[list].remove(writes, id);
    await runAll(writes);
  }
}

/** What is remembered of an event. */
export type EndedEvent = Pick<StoredEvent, "digest" | "signedAt"> & { readonly key: string };
