import { checkOptionNames } from "../../../internal/check-options.ts";
import {
  type AttemptEnd,
  type BeginResult,
  checkRetention,
  DEFAULT_RETENTION_MS,
  type IdempotencyStore,
  type NewAttempt,
} from "../store.ts";

interface MemoryRecord {
  readonly parameters: string;
  owner: string;
  readonly leaseUntil: number;
  end: AttemptEnd | undefined;
}

const isUnknown = ({ end, leaseUntil }: MemoryRecord) =>
  end === undefined ? leaseUntil <= Date.now() : end.state === "unknown";

function beginResult(record: MemoryRecord, { parameters }: NewAttempt): BeginResult {
  const sameParameters = record.parameters === parameters;
  if (record.end?.state === "succeeded") return { ...record.end, sameParameters };
  return isUnknown(record)
    ? { state: "unknown", sameParameters, owner: record.owner }
    : { state: "in_flight", sameParameters };
}

/** How idempotency keys are remembered in memory. */
export interface MemoryIdempotencyOptions {
  /**
   * How long a result is remembered, in milliseconds. Raise it where an order may be paid again with
   * its old key after more than a month. Attempts of unknown outcome are kept until they are resolved.
   *
   * @default 30 days
   */
  retentionMs?: number | undefined;
}

/**
 * Remembers idempotency keys in this process. A gateway uses it unless it is given another store.
 *
 * One key makes at most one prompt **in this process and while it runs**. A restart forgets every
 * key, and other processes do not know them: a second click that reaches another server, or that
 * comes after a crash, prompts again. Use the SQLite, Redis or PostgreSQL store to prevent that.
 *
 * @throws {ConfigurationError} for a wrong option.
 */
export function memoryIdempotency(options: MemoryIdempotencyOptions = {}): IdempotencyStore {
  checkOptionNames(options, ["retentionMs"], "memoryIdempotency");
  const { retentionMs = DEFAULT_RETENTION_MS } = options;
  checkRetention(retentionMs);
  const records = new Map<string, MemoryRecord>();
  /** When each result may be dropped, the earliest first. */
  const keptUntil = new Map<string, number>();

  function dropExpired(now: number): void {
    for (const [key, until] of keptUntil) {
      if (until > now) break;
      drop(key);
    }
  }

  function drop(key: string): void {
    records.delete(key);
    keptUntil.delete(key);
  }

  function finish(key: string, record: MemoryRecord, end: AttemptEnd): void {
    record.end = end;
    keptUntil.delete(key);
    if (end.state === "succeeded") keptUntil.set(key, Date.now() + retentionMs);
  }

  return {
    begin: async (key, attempt) => {
      const now = Date.now();
      dropExpired(now);
      const record = records.get(key);
      if (record !== undefined) return beginResult(record, attempt);
      const { parameters, owner, leaseMs } = attempt;
      records.set(key, { parameters, owner, leaseUntil: now + leaseMs, end: undefined });
      return { state: "begun" };
    },
    finish: async (key, owner, end) => {
      const record = records.get(key);
      if (record?.owner === owner) finish(key, record, end);
    },
    forget: async (key, owner) => {
      if (records.get(key)?.owner === owner) drop(key);
    },
    resolve: async (key, result, owner) => {
      const record = records.get(key);
      if (record === undefined) return "free";
      if (!isUnknown(record)) return record.end?.state ?? "in_flight";
      if (owner !== undefined && owner !== record.owner) return "another";
      if (result === undefined) {
        drop(key);
      } else {
        // Without an owner, so that the old owner cannot finish or forget it later.
        record.owner = "";
        finish(key, record, { state: "succeeded", result });
      }
      return "unknown";
    },
  };
}
