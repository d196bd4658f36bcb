import type { Stored } from "../batcher.ts";
import type { NewDelivery, StoredDoublePayment } from "../inbox-types.ts";
import {
  type Pipeline,
  type RedisClient,
  type RedisClock,
  runAll,
  runScript,
  type Scripts,
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
 * Stores what is new of some deliveries. After the keys of the list, it takes the keys of each delivery (its
 * event and its conflict; the same by its former key, if that differs), and four texts (its record; for a
 * dead letter its header and the time of its receipt; whether its former key differs). It replies with
 * `new`, `duplicate`, `conflict` (which is stored), or the record of the event.
 */
const ADMIT = `
local function head(key)
  local text = redis.pcall("GETRANGE", key, 0, 33)
  return type(text) == "string" and text or ""
end
local replies, place = {}, 3
for at = 1, #ARGV / 4 do
  local record, header, receivedAt, hasFormer = unpack(ARGV, at * 4 - 3, at * 4)
  local event, conflict = KEYS[place], KEYS[place + 1]
  place = place + 2
  local known = redis.pcall("GETRANGE", event, 0, 33)
  local own, before = head(conflict), ""
  if hasFormer == "1" then
    local digest = string.sub(head(KEYS[place]), 3)
    before = digest == string.sub(record, 3, 34) and "${DECIDED}" or head(KEYS[place + 1])
    place = place + 2
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

/** Writes records. For each, it takes a text, and for how many milliseconds it stays; if that is empty, without end. */
const END = `
for at, key in ipairs(KEYS) do
  local record, ms = ARGV[at * 2 - 1], ARGV[at * 2]
  if ms == "" then redis.call("SET", key, record) else redis.call("SET", key, record, "PX", ms) end
end`;

export const LEDGER_SCRIPTS: Scripts = { admitDeliveries: ADMIT, endEvents: END };

/** The record of a delivery; of a dead letter its header and the time of its receipt, too. */
function textsOf(delivery: NewDelivery): (string | number)[] {
  const { digest, deadLetterReason: error, receivedAt } = delivery;
  if (error === undefined) return [recordText("pending", digest), "", ""];
  const content = { ...storedEventOf(delivery), attempts: 0, error };
  return [recordText("dead", digest, content), JSON.stringify(headerOf(content)), receivedAt];
}

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
    const replies = await this.#admitAll(deliveries);
    const conflicts: NewDelivery[] = [];
    const admissions = replies.map((reply, at): Admission => {
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

  /** What the script replies for each delivery. */
  async #admitAll(deliveries: readonly NewDelivery[]): Promise<(string | Error)[]> {
    const { keys } = this;
    const names = [this.deadLetters.ids, this.deadLetters.headers];
    const texts: (string | number)[] = [];
    for (const delivery of deliveries) {
      const { key, digest, formerKey = key } = delivery;
      const hasFormer = formerKey !== key;
      names.push(keys.event(key), keys.conflict({ key, digest }));
      if (hasFormer) names.push(keys.event(formerKey), keys.conflict({ key: formerKey, digest }));
      texts.push(...textsOf(delivery), hasFormer ? "1" : "");
    }
    return (await runScript(this.#redis, "admitDeliveries", names, texts)) as (string | Error)[];
  }

  #writeConflict(writes: Pipeline, delivery: NewDelivery): void {
    const stored = storedEventOf(delivery);
    const key = this.keys.conflict(delivery);
    writes.set(key, JSON.stringify(stored), "NX");
    const { key: event, digest } = delivery;
    this.conflicts.add(writes, `${event}-${digest}`, headerOf(stored));
  }

  #remember(writes: Pipeline, key: string, text: string, signedAt: number | undefined): void {
    const ms = this.#msToRemember(signedAt);
    if (ms === undefined) writes.set(key, text);
    else writes.set(key, text, "PX", ms);
  }

  /**
   * What ends now is remembered for the retention: from now, or from the signed time if it is later. Without
   * such a time it is remembered without end (`undefined`), since a replay of it could come at any time.
   */
  #msToRemember(signedAt: number | undefined): number | undefined {
    if (signedAt === undefined) return undefined;
    return Math.max(0, Math.ceil(signedAt) - this.#clock.now()) + this.#retentionMs;
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

  async #endAll(events: readonly EndedEvent[]): Promise<unknown[]> {
    const keys = events.map(({ key }) => this.keys.event(key));
    const values = events.flatMap(({ digest, signedAt }) => [
      recordText("done", digest),
      this.#msToRemember(signedAt) ?? "",
    ]);
    await runScript(this.#redis, "endEvents", keys, values);
    return [];
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
