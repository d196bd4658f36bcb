import { checkOptions } from "../../internal/check-options.ts";
import { comparePositions } from "../../internal/page-cursor.ts";
import type { NewRecord } from "../columns.ts";
import type { AttemptEnd, AttemptRecord, IdempotencyStore } from "../idempotency-store.ts";
import { attemptRecord, type Resolution, resolveResult, type StoredRecord } from "../record.ts";
import {
  type CheckedQuery,
  type ListedRecord,
  type Records,
  recordStore,
} from "../record-store.ts";
import { type IdempotencyStoreOptions, STORE_OPTIONS } from "../store-options.ts";
import { digestInMemory } from "./memory-digest.ts";

/** How idempotency keys are remembered in memory. */
export interface MemoryIdempotencyOptions extends IdempotencyStoreOptions {}

interface MemoryRecord extends Omit<StoredRecord, "elapsedMs"> {
  readonly leaseFrom: number;
}

/** A clock that is never set back: a process that was suspended is as late as its leases. */
const monotonicMs = () => performance.now();

const withAge = ({ leaseFrom, ...record }: MemoryRecord): StoredRecord => ({
  ...record,
  elapsedMs: monotonicMs() - leaseFrom,
});

/** Whether `list` returns a record. */
function isListed(record: AttemptRecord, { state, digests }: CheckedQuery): boolean {
  if (state !== undefined && record.state !== state) return false;
  return Object.entries(digests).every(
    ([name, digest]) =>
      digest === undefined || record.digests[name as keyof typeof digests] === digest,
  );
}

/** The records of a process. */
class MemoryRecords implements Records {
  readonly #retentionMs: number;
  readonly #records = new Map<string, MemoryRecord>();
  /** When each result may be dropped, the earliest first. */
  readonly #expiries = new Map<string, number>();

  constructor(retentionMs: number) {
    this.#retentionMs = retentionMs;
  }

  async begin(key: string, attempt: NewRecord): Promise<"begun" | StoredRecord> {
    const record = this.#read(key);
    if (record !== undefined) return record;
    const times = { begunAt: Date.now(), leaseFrom: monotonicMs() };
    this.#records.set(key, { ...attempt, ...times, state: "in_flight", result: null });
    return "begun";
  }

  async read(key: string): Promise<StoredRecord | undefined> {
    return this.#read(key);
  }

  async finish(key: string, owner: string, how: AttemptEnd): Promise<void> {
    if (this.#read(key)?.owner === owner) this.#end(key, how, owner);
  }

  async forget(key: string, owner: string): Promise<void> {
    if (this.#read(key)?.owner === owner) this.#drop(key);
  }

  async resolve(
    key: string,
    resolution: Resolution,
  ): Promise<"resolved" | StoredRecord | undefined> {
    const record = this.#read(key);
    if (resolveResult(record, resolution).state !== "resolved") return record;
    const { result } = resolution;
    if (result === undefined) this.#drop(key);
    // Without an owner, so that the old owner cannot finish or forget it later.
    else this.#end(key, { state: "succeeded", result }, "");
    return "resolved";
  }

  async list(query: CheckedQuery, scope: string): Promise<readonly ListedRecord[]> {
    this.#dropExpired();
    return [...this.#records]
      .map(([key, record]) => [key, withAge(record)] as const)
      .filter(([, record]) => record.scope === scope && isListed(attemptRecord(record), query))
      .map((entry) => ({ entry, id: entry[0], at: entry[1].begunAt }))
      .sort(comparePositions)
      .filter((one) => query.after === undefined || comparePositions(query.after, one) < 0)
      .map(({ entry }) => entry);
  }

  #read(key: string): StoredRecord | undefined {
    this.#dropExpired();
    const record = this.#records.get(key);
    return record && withAge(record);
  }

  #end(key: string, how: AttemptEnd, owner: string): void {
    const record = this.#records.get(key);
    if (record === undefined) return;
    const result = how.state === "succeeded" ? how.result : null;
    this.#records.set(key, { ...record, state: how.state, result, owner });
    // Deleted first, so that the key becomes the last one.
    this.#expiries.delete(key);
    if (how.state === "succeeded") this.#expiries.set(key, monotonicMs() + this.#retentionMs);
  }

  #drop(key: string): void {
    this.#records.delete(key);
    this.#expiries.delete(key);
  }

  #dropExpired(): void {
    const now = monotonicMs();
    for (const [key, until] of this.#expiries) {
      if (until > now) break;
      this.#drop(key);
    }
  }
}

/**
 * Remembers idempotency keys in this process. A gateway uses it unless it is given another store.
 *
 * One key makes at most one prompt **in this process and while it runs**. A restart forgets every
 * key, and other processes do not know them: a second click that reaches another server, or that
 * comes after a crash, prompts again. Use the SQLite, Redis or PostgreSQL store to prevent that.
 *
 * Leases and the retention are measured by the monotonic clock of the process: a wall clock that is
 * set changes neither.
 *
 * @throws {ConfigurationError} for a wrong option.
 */
export function memoryIdempotency(options: MemoryIdempotencyOptions = {}): IdempotencyStore {
  const { retentionMs, scope, pepper } = checkOptions(options, STORE_OPTIONS, "memoryIdempotency");
  return recordStore(new MemoryRecords(retentionMs), digestInMemory(pepper), scope);
}
