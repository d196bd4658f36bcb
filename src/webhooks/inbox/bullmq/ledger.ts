import { EventMissingError } from "../errors.ts";
import type { NewDelivery, Receipt } from "../types.ts";
import type { RedisClock } from "./meta.ts";
import type { LedgerKeys } from "./names.ts";
import { type Pipeline, type RedisClient, repliesOf, runAll } from "./pipeline.ts";
import { ReviewList } from "./review-list.ts";
import {
  DECIDED,
  type EventRecord,
  hasDigest,
  recordIn,
  recordText,
  type StoredDeadLetter,
  type StoredEvent,
  storedEventOf,
} from "./stored-event.ts";

/** What the ledger says of a delivery. */
export interface Admission {
  readonly kind: Receipt["kind"];
  /** Its event is to be processed, and may have no job. */
  readonly needsJob: boolean;
}

type Write = (pipeline: Pipeline) => void;

const DUPLICATE: Admission = { kind: "duplicate", needsJob: false };
const CONFLICT: Admission = { kind: "conflict", needsJob: false };

const deadLetterFrom = (delivery: NewDelivery): StoredDeadLetter => ({
  ...storedEventOf(delivery),
  attempts: 0,
  error: delivery.deadLetterReason ?? "",
});

const conflictHeader = ({ event, receivedAt, signature }: StoredEvent) => ({
  event,
  receivedAt,
  signature,
});
const deadLetterHeader = ({ attempts, error, ...stored }: StoredDeadLetter) => ({
  ...conflictHeader(stored),
  attempts,
  error,
});

/** What was seen of the events of one queue. One record an event decides what is new. */
export class QueueLedger {
  readonly #redis: RedisClient;
  readonly keys: LedgerKeys;
  readonly #retentionMs: number;
  readonly #clock: RedisClock;
  readonly deadLetters: ReviewList<ReturnType<typeof deadLetterHeader>>;
  readonly conflicts: ReviewList<ReturnType<typeof conflictHeader>>;

  constructor(redis: RedisClient, keys: LedgerKeys, retentionMs: number, clock: RedisClock) {
    this.#redis = redis;
    this.keys = keys;
    this.#retentionMs = Math.ceil(retentionMs);
    this.#clock = clock;
    this.deadLetters = new ReviewList(redis, keys.deadLetters);
    this.conflicts = new ReviewList(redis, keys.conflicts);
  }

  /** The same ledger, by another connection. */
  by(redis: RedisClient): QueueLedger {
    return new QueueLedger(redis, this.keys, this.#retentionMs, this.#clock);
  }

  /** Stores what is new among deliveries. An error for each that could not be stored. */
  async admit(deliveries: readonly NewDelivery[]): Promise<(Admission | Error)[]> {
    const firsts = new Map<string, NewDelivery>();
    for (const one of deliveries) if (!firsts.has(one.key)) firsts.set(one.key, one);
    const pipeline = this.#redis.pipeline();
    for (const [key, one] of firsts) pipeline.set(this.keys.event(key), this.#newRecord(one), "NX");
    const lookups = deliveries.map((one) => this.#lookupKeys(one));
    pipeline.mget(...lookups.flat());
    const replies = await repliesOf(pipeline);
    const known = replies.pop() as Error | (string | null)[];
    if (known instanceof Error) throw known;
    const stored = new Map([...firsts].map(([key, one], at) => [key, { one, reply: replies[at] }]));
    const writes: Write[] = [];
    const admissions = deliveries.map((delivery, at) => {
      const found = known.splice(0, lookups[at]?.length);
      const first = stored.get(delivery.key);
      if (first?.reply instanceof Error) return first.reply;
      const isNew = first?.one === delivery && first.reply === "OK";
      return this.#judge(writes, delivery, isNew, found);
    });
    if (writes.length > 0) {
      const pipeline = this.#redis.pipeline();
      for (const write of writes) write(pipeline);
      await runAll(pipeline);
    }
    return admissions;
  }

  #newRecord(delivery: NewDelivery): string {
    if (delivery.deadLetterReason === undefined) return recordText("pending", delivery.digest);
    return recordText("dead", delivery.digest, deadLetterFrom(delivery));
  }

  #lookupKeys({ key, digest, formerKey }: NewDelivery): string[] {
    const keys = [this.keys.event(key), this.keys.conflict({ key, digest })];
    if (formerKey === undefined) return keys;
    const former = { key: formerKey, digest };
    return [...keys, this.keys.event(formerKey), this.keys.conflict(former)];
  }

  /** @param known - What is stored under {@link #lookupKeys}. */
  #judge(
    writes: Write[],
    delivery: NewDelivery,
    isNew: boolean,
    [event, conflict = null, formerEvent, formerConflict = null]: readonly (string | null)[],
  ): Admission | Error {
    const { key, digest, deadLetterReason } = delivery;
    const former = recordIn(formerEvent);
    const isFormer = former !== undefined && hasDigest(former, digest);
    const conflicts = [conflict, formerConflict].filter((one) => one !== null);
    if (isFormer || conflicts.length > 0) {
      // Its key is free again for an event with other data.
      if (isNew) writes.push((pipeline) => pipeline.del(this.keys.event(key)));
      if (isFormer || conflicts.includes(DECIDED)) return DUPLICATE;
      if (conflict !== null) writes.push((pipeline) => this.#writeConflict(pipeline, delivery));
      return CONFLICT;
    }
    const record = recordIn(event);
    if (record === undefined) return new EventMissingError("Redis");
    if (!hasDigest(record, digest)) {
      writes.push((pipeline) => this.#writeConflict(pipeline, delivery));
      return CONFLICT;
    }
    const { content, state } = record;
    if (content !== undefined && state === "dead") {
      writes.push((pipeline) => this.deadLetters.add(pipeline, key, deadLetterHeader(content)));
    }
    if (!isNew) return { kind: "duplicate", needsJob: state === "pending" };
    return { kind: "accepted", needsJob: deadLetterReason === undefined };
  }

  /** Storing it again changes nothing, and completes what a crash interrupted. */
  #writeConflict(writes: Pipeline, delivery: NewDelivery): void {
    const stored = storedEventOf(delivery);
    const key = this.keys.conflict(delivery);
    writes.set(key, JSON.stringify(stored), "NX");
    const { key: event, digest } = delivery;
    this.conflicts.add(writes, `${event}-${digest}`, conflictHeader(stored));
  }

  #writeDone(writes: Pipeline, { key, digest, signedAt }: EndedEvent): void {
    this.#remember(writes, this.keys.event(key), recordText("done", digest), signedAt);
  }

  #remember(writes: Pipeline, key: string, text: string, signedAt: number | undefined): void {
    const lifeMs = this.#lifeMs(signedAt);
    if (lifeMs === undefined) writes.set(key, text);
    else writes.set(key, text, "PX", lifeMs);
  }

  /**
   * How long to remember what ends now: the retention from now, or from the signed time if it is later.
   * `undefined` for without end: a replay of an event without a time that can be read could come at any
   * time.
   */
  #lifeMs(signedAt: number | undefined): number | undefined {
    if (signedAt === undefined) return undefined;
    return Math.max(0, Math.ceil(signedAt) - this.#clock.now()) + this.#retentionMs;
  }

  /** The record of an event that is processed now. */
  async begin(key: string, attempt: number): Promise<EventRecord | undefined> {
    if (attempt > 1) await this.#redis.zrem(this.keys.retrying, key);
    return recordIn(await this.#redis.get(this.keys.event(key)));
  }

  /** The last step before an event ends. */
  async end({ key, digest, signedAt }: EndedEvent): Promise<void> {
    const [name, text] = [this.keys.event(key), recordText("done", digest)];
    const lifeMs = this.#lifeMs(signedAt);
    // Without a pipeline, which costs more than the command.
    if (lifeMs === undefined) await this.#redis.set(name, text);
    else await this.#redis.set(name, text, "PX", lifeMs);
  }

  /** Makes a dead letter of an event. */
  async bury(key: string, content: StoredDeadLetter): Promise<void> {
    const writes = this.#redis.pipeline();
    writes.set(this.keys.event(key), recordText("dead", content.digest, content));
    this.deadLetters.add(writes, key, deadLetterHeader(content));
    writes.zrem(this.keys.retrying, key);
    await runAll(writes);
  }

  /** Deletes events that were never processed. */
  async forget(keys: readonly string[]): Promise<void> {
    const writes = this.#redis.pipeline();
    for (const key of keys) writes.del(this.keys.event(key)).zrem(this.keys.retrying, key);
    await runAll(writes);
  }

  async noteRetry(key: string, receivedAt: number): Promise<void> {
    await this.#redis.zadd(this.keys.retrying, receivedAt, key);
  }

  /** The dead letter with this id. */
  async deadLetter(id: string): Promise<StoredDeadLetter | undefined> {
    if (!(await this.deadLetters.has(id))) return undefined;
    return recordIn(await this.#redis.get(this.keys.event(id)))?.content;
  }

  /** The conflict with this id. */
  async conflict(id: string): Promise<StoredEvent | undefined> {
    if (!(await this.conflicts.has(id))) return undefined;
    const text = await this.#redis.get(this.keys.event(id));
    return text === null || text === DECIDED ? undefined : (JSON.parse(text) as StoredEvent);
  }

  /** Makes the event one to process. A dead letter keeps its content until it is done. */
  async reopen(key: string, digest: string, content?: StoredDeadLetter): Promise<Admission> {
    const name = this.keys.event(key);
    if (content !== undefined) {
      await this.#redis.set(name, recordText("pending", digest, content));
      return { kind: "accepted", needsJob: true };
    }
    const pipeline = this.#redis.pipeline().set(name, recordText("pending", digest), "NX");
    const [, text] = await runAll(pipeline.get(name));
    const isPending = recordIn(text as string | null)?.state === "pending";
    return { kind: "accepted", needsJob: isPending };
  }

  async dropDeadLetter(id: string, { digest, signedAt }: StoredEvent): Promise<void> {
    const writes = this.#redis.multi();
    this.#writeDone(writes, { key: id, digest, signedAt });
    this.deadLetters.remove(writes, id);
    await runAll(writes);
  }

  /** A person has decided on a conflict. */
  async decide(id: string, { signedAt }: StoredEvent): Promise<void> {
    const writes = this.#redis.multi();
    this.#remember(writes, this.keys.event(id), DECIDED, signedAt);
    this.conflicts.remove(writes, id);
    await runAll(writes);
  }
}

/** What is remembered of an event. */
export interface EndedEvent {
  readonly key: string;
  readonly digest: string;
  readonly signedAt?: number | undefined;
}
