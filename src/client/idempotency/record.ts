import { type BeginResult, RECORD_VERSION, type ResolveResult } from "./store.ts";

/** A record as the durable stores keep it. */
export interface StoredRecord {
  readonly version: number;
  readonly state: "in_flight" | "succeeded" | "unknown";
  /** The digest of the parameters. */
  readonly digest: string;
  /** The id of the attempt that began it. */
  readonly owner: string;
  readonly result: string | null;
  /** Whether the lease is over, by the store's own clock. */
  readonly leaseOver: boolean;
}

/** @throws {Error} for a record of a later version. The call is then rejected, and nothing is sent. */
function stateOf({ version, state, leaseOver }: StoredRecord): StoredRecord["state"] {
  if (version > RECORD_VERSION) {
    throw new Error(
      `The idempotency store holds a record of version ${version}; this version of malipo reads version ${RECORD_VERSION}. Upgrade malipo here too.`,
    );
  }
  return state === "in_flight" && leaseOver ? "unknown" : state;
}

/** What `begin` returns for a record that exists. */
export function beginResult(record: StoredRecord, digest: string): BeginResult {
  const state = stateOf(record);
  const sameParameters = record.digest === digest;
  if (state === "succeeded") return { state, sameParameters, result: record.result ?? "" };
  return state === "unknown"
    ? { state, sameParameters, owner: record.owner }
    : { state, sameParameters };
}

/** What `resolve` returns for a record that it did not change. */
export function unresolvedResult(record: StoredRecord | undefined): ResolveResult {
  if (record === undefined) return "free";
  const state = stateOf(record);
  return state === "unknown" ? "another" : state;
}
