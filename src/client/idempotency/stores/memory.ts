import type { AttemptEnd, IdempotencyStore, NewAttempt, Standing } from "../store.ts";
import { checkRetention, STANDARD_RETENTION_MS } from "../store.ts";

interface Stored {
  readonly parameters: string;
  owner: string;
  readonly leaseUntil: number;
  end: AttemptEnd | undefined;
}

/**
 * Remembers idempotency keys in this process: what a gateway uses unless it is given another store.
 *
 * One key makes at most one prompt **within this process and its lifetime**. A restart forgets
 * everything, and other processes know nothing of it: a second click that lands on another server,
 * or after a crash, prompts again. Use the SQLite, Redis or PostgreSQL store for more.
 *
 * @param options - `retentionMs`: how long a result is remembered. Default: 30 days.
 * @throws {ConfigurationError} for a retention that is none.
 */
export function memoryIdempotency({
  retentionMs = STANDARD_RETENTION_MS,
}: {
  retentionMs?: number | undefined;
} = {}): IdempotencyStore {
  checkRetention(retentionMs);
  const records = new Map<string, Stored>();
  /** Until when each result is kept, in the order in which they may be dropped. */
  const keptUntil = new Map<string, number>();

  function dropOld(now: number): void {
    for (const [key, until] of keptUntil) {
      if (until > now) break;
      drop(key);
    }
  }

  function drop(key: string): void {
    records.delete(key);
    keptUntil.delete(key);
  }

  const isUnknown = ({ end, leaseUntil }: Stored) =>
    end === undefined ? leaseUntil <= Date.now() : end.state === "unknown";

  function standing(record: Stored, { parameters }: NewAttempt): Standing {
    const sameParameters = record.parameters === parameters;
    if (record.end?.state === "succeeded") return { ...record.end, sameParameters };
    return isUnknown(record)
      ? { state: "unknown", sameParameters, owner: record.owner }
      : { state: "in_flight", sameParameters };
  }

  function finish(key: string, record: Stored, end: AttemptEnd): void {
    record.end = end;
    keptUntil.delete(key);
    if (end.state === "succeeded") keptUntil.set(key, Date.now() + retentionMs);
  }

  return {
    begin: async (key, attempt) => {
      const now = Date.now();
      dropOld(now);
      const record = records.get(key);
      if (record !== undefined) return standing(record, attempt);
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
        // Without an owner: one that wakes up late must not undo it.
        record.owner = "";
        finish(key, record, { state: "succeeded", result });
      }
      return "unknown";
    },
  };
}
