import {
  type CheckedOptions,
  checkChoice,
  checkOptions,
  type OptionRows,
  optional,
} from "../internal/check-options.ts";
import { cutPage, PAGE_OPTIONS, type PageQuery } from "../internal/page-cursor.ts";
import type { NewRecord } from "./columns.ts";
import type { Digest } from "./digest.ts";
import type {
  AttemptDigests,
  AttemptRecord,
  IdempotencyStore,
  ListQuery,
} from "./idempotency-store.ts";
import {
  attemptRecord,
  beginResult,
  digestsOf,
  type Resolution,
  resolveResult,
  type StoredRecord,
} from "./record.ts";

/** A query after it was checked, with the defaults filled in. */
export interface CheckedQuery extends PageQuery {
  readonly state: AttemptRecord["state"] | undefined;
  readonly digests: CheckedOptions<typeof DIGESTS>;
}

const STATES = ["in_flight", "unknown", "succeeded"];

const DIGESTS = {
  parameters: (digest) => digest,
  accountReference: (digest) => digest,
  amount: (digest) => digest,
  phone: (digest) => digest,
} satisfies OptionRows<Partial<AttemptDigests>>;

const FILTER_OPTIONS = {
  state: (state) => optional(state, (given) => checkChoice("state", given, STATES)),
  digests: (digests) => checkOptions(digests ?? {}, DIGESTS, "`digests`"),
} satisfies OptionRows<Omit<ListQuery, keyof typeof PAGE_OPTIONS>>;

/** @throws {ConfigurationError} for a query with a wrong field. */
const checkListQuery = (query: ListQuery = {}): CheckedQuery =>
  checkOptions(query, { ...PAGE_OPTIONS, ...FILTER_OPTIONS }, "list");

export type ListedRecord = readonly [key: string, record: StoredRecord];

/** The records of an engine. Each method is atomic. */
export interface Records extends Pick<IdempotencyStore, "finish" | "forget"> {
  /** Begins the attempt if the key is free. Otherwise resolves with its record, if it still has one. */
  begin(key: string, record: NewRecord): Promise<"begun" | StoredRecord | undefined>;
  /** Resolves an attempt if it may be resolved. Otherwise resolves with its record, if there is one. */
  resolve(key: string, resolution: Resolution): Promise<"resolved" | StoredRecord | undefined>;
  /** The record of a key, if there is one that has not expired. */
  read(key: string): Promise<StoredRecord | undefined>;
  /** The records of a scope in order, one more than the limit. */
  list(query: CheckedQuery, scope: string): Promise<readonly ListedRecord[]>;
}

/** The store on the records of an engine. */
export function recordStore(records: Records, digest: Digest, scope: string): IdempotencyStore {
  return {
    begin: async (key, attempt) => {
      const { parameters: _parameters, payment: _payment, leaseMs, ...own } = attempt;
      const digests = digestsOf(attempt, digest);
      const record = { ...own, leaseMs: Math.ceil(leaseMs), scope, digests };
      for (;;) {
        const found = await records.begin(key, record);
        if (found === "begun") return { state: "begun" };
        // Another process may have freed the key in between.
        if (found !== undefined) return beginResult(found, digests.parameters, attempt, scope);
      }
    },
    read: async (key) => {
      const found = await records.read(key);
      return found && { ...attemptRecord(found), result: found.result ?? undefined };
    },
    resolve: async (key, result, owner) => {
      for (;;) {
        const found = await records.resolve(key, { result, owner, scope });
        if (found === "resolved") return { state: "resolved" };
        const outcome = resolveResult(found, { result, owner, scope });
        // Another process may have ended the attempt in between.
        if (outcome.state !== "resolved") return outcome;
      }
    },
    list: async (listQuery) => {
      const query = checkListQuery(listQuery);
      const found = await records.list(query, scope);
      const positionOf = ([id, { begunAt }]: ListedRecord) => ({ at: begunAt, id });
      const { items, next } = cutPage(found, query.limit, positionOf);
      return { attempts: items.map(([, record]) => attemptRecord(record)), next };
    },
    finish: (key, owner, how) => records.finish(key, owner, how),
    forget: (key, owner) => records.forget(key, owner),
    digest,
  };
}
