import { comparePositions } from "../../internal/page-cursor.ts";
import type { CheckedQuery } from "../attempt-pages.ts";
import type { Digest } from "../digest.ts";
import { attemptRecord, resolveResult, type StoredRecord } from "../record.ts";
import { type Records, recordStore } from "../record-store.ts";
import type { AttemptEnd, AttemptRecord, IdempotencyStore } from "../store.ts";
import { checkStoreOptions, type IdempotencyStoreOptions } from "../store-options.ts";

/** How idempotency keys are remembered in memory. */
export interface MemoryIdempotencyOptions extends IdempotencyStoreOptions {}

interface MemoryRecord extends Omit<StoredRecord, "elapsedMs"> {
  readonly leaseFrom: number;
}

/**
 * As the digest of the durable stores. A browser has no `node:crypto`: there a text is its own digest,
 * which stays in the page that made the call.
 */
function digestInMemory(pepper: string | Uint8Array = ""): Digest {
  const crypto = globalThis.process?.getBuiltinModule?.("node:crypto");
  if (crypto === undefined) return (text) => text;
  return (text) => crypto.createHmac("sha256", pepper).update(text).digest("hex");
}

/** A clock that is never set back: a process that was suspended is as late as its leases. */
const monotonicMs = () => performance.now();

/** The records of one store. */
class MemoryRecords {
  readonly #records = new Map<string, MemoryRecord>();
  /** When each result may be dropped, the earliest first. */
  readonly #expiries = new Map<string, number>();
  readonly #retentionMs: number;

  constructor(retentionMs: number) {
    this.#retentionMs = retentionMs;
  }

  get(key: string): StoredRecord | undefined {
    this.#dropExpired();
    const record = this.#records.get(key);
    return record && this.#withAge(record);
  }

  entries(): [key: string, record: StoredRecord][] {
    this.#dropExpired();
    return [...this.#records].map(([key, record]) => [key, this.#withAge(record)]);
  }

  add(key: string, record: Omit<MemoryRecord, "leaseFrom">): void {
    this.#records.set(key, { ...record, leaseFrom: monotonicMs() });
  }

  drop(key: string): void {
    this.#records.delete(key);
    this.#expiries.delete(key);
  }

  end(key: string, end: AttemptEnd, owner: string): void {
    const record = this.#records.get(key);
    if (record === undefined) return;
    const result = end.state === "succeeded" ? end.result : null;
    this.#records.set(key, { ...record, state: end.state, result, owner });
    // Deleted first, so that the key becomes the last one.
    this.#expiries.delete(key);
    if (end.state === "succeeded") this.#expiries.set(key, monotonicMs() + this.#retentionMs);
  }

  #withAge({ leaseFrom, ...record }: MemoryRecord): StoredRecord {
    return { ...record, elapsedMs: monotonicMs() - leaseFrom };
  }

  #dropExpired(): void {
    const now = monotonicMs();
    for (const [key, until] of this.#expiries) {
      if (until > now) break;
      this.drop(key);
    }
  }
}

/** Whether `list` returns a record. */
function isListed(record: AttemptRecord, { state, digests }: CheckedQuery): boolean {
  if (state !== undefined && record.state !== state) return false;
  return Object.entries(digests).every(
    ([name, digest]) =>
      digest === undefined || record.digests[name as keyof typeof digests] === digest,
  );
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
  const { retentionMs, scope, pepper } = checkStoreOptions(options, "memoryIdempotency");
  const digest = digestInMemory(pepper);
  const records = new MemoryRecords(retentionMs);

  const store: Records = {
    begin: async (key, { digests, ...attempt }) => {
      const record = records.get(key);
      if (record !== undefined) return record;
      const state = "in_flight";
      records.add(key, { ...attempt, digests, state, begunAt: Date.now(), result: null });
      return "begun";
    },
    finish: async (key, owner, end) => {
      if (records.get(key)?.owner === owner) records.end(key, end, owner);
    },
    forget: async (key, owner) => {
      if (records.get(key)?.owner === owner) records.drop(key);
    },
    resolve: async (key, resolution) => {
      const record = records.get(key);
      if (resolveResult(record, resolution).state !== "resolved") return record;
      const { result } = resolution;
      if (result === undefined) records.drop(key);
      // Without an owner, so that the old owner cannot finish or forget it later.
      else records.end(key, { state: "succeeded", result }, "");
      return "resolved";
    },
    list: async (query) =>
      records
        .entries()
        .filter(([, record]) => record.scope === scope && isListed(attemptRecord(record), query))
        .map((entry) => ({ entry, id: entry[0], at: entry[1].begunAt }))
        .sort(comparePositions)
        .filter((one) => query.after === undefined || comparePositions(query.after, one) < 0)
        .map(({ entry }) => entry),
  };
  return recordStore(store, digest, scope);
}
