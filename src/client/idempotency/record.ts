import { RECORD_VERSION, type ResolveResult, type Standing } from "./store.ts";

/** A record as the durable stores hold it. Times are on the store's own clock. */
export interface StoredRecord {
  readonly version: number;
  readonly state: "in_flight" | "succeeded" | "unknown";
  /** Digest of the parameters. */
  readonly digest: string;
  /** Who began it. */
  readonly owner: string;
  readonly result: string | null;
  /** Whether the lease has run out. */
  readonly leaseOver: boolean;
}

/** @throws {Error} where a later version wrote it: the call is then refused, and nothing is sent. */
function stateOf({ version, state, leaseOver }: StoredRecord): StoredRecord["state"] {
  if (version > RECORD_VERSION) {
    throw new Error(
      `The idempotency store holds a record of version ${version}; this package knows ${RECORD_VERSION}. Upgrade malipo here too.`,
    );
  }
  return state === "in_flight" && leaseOver ? "unknown" : state;
}

/** What a record means to whoever wants to begin an attempt with these parameters. */
export function standingOf(record: StoredRecord, digest: string): Standing {
  const state = stateOf(record);
  const sameParameters = record.digest === digest;
  if (state === "succeeded") return { state, sameParameters, result: record.result ?? "" };
  return state === "unknown"
    ? { state, sameParameters, owner: record.owner }
    : { state, sameParameters };
}

/** What a record means to whoever wanted to resolve it, and did not. */
export function notResolvedFrom(record: StoredRecord | undefined): ResolveResult {
  if (record === undefined) return "free";
  const state = stateOf(record);
  return state === "unknown" ? "another" : state;
}
