import { quoteMasked } from "../internal/phone-digits.ts";
import type { COLUMNS } from "./columns.ts";
import { LEASE_MARGIN_MS } from "./deadline.ts";
import type { Digest } from "./digest.ts";
import { RECORD_VERSION } from "./format.ts";
import type {
  AttemptDigests,
  AttemptRecord,
  BeginResult,
  NewAttempt,
  ResolveResult,
} from "./idempotency-store.ts";

const STATES = ["in_flight", "succeeded", "unknown"] as const;

/** A record as a store keeps it. */
export interface StoredRecord extends Omit<AttemptRecord, "ageMs" | "notSentInMs"> {
  /** How much of its lease has passed, by the store's clock for leases. */
  readonly elapsedMs: number;
  readonly leaseMs: number;
  readonly result: string | null;
}

/** A record as an engine returns it. Anybody with access to the engine may have written it. */
export type RawRecord = Readonly<Partial<Record<(typeof COLUMNS)[number] | "elapsed_ms", unknown>>>;

function checkVersion(key: string, version: unknown): void {
  if (String(version) === String(RECORD_VERSION)) return;
  const isNewer = /^\d{1,9}$/.test(String(version)) && Number(version) > RECORD_VERSION;
  if (!isNewer) throw notOurs(key, "version");
  throw new Error(
    `The idempotency store holds a record of version ${version} under ${quoteMasked(key)}; this version of malipo reads version ${RECORD_VERSION}. Upgrade malipo here too.`,
  );
}

const notOurs = (key: string, field: string) =>
  new Error(
    `The idempotency store holds a record under ${quoteMasked(key)} that malipo did not write: its \`${field}\` is not valid. Find out who changed it and what became of that call, then delete the record.`,
  );

/** @throws {Error} for a record of another version, or with content that is not ours. */
export function checkRecord(key: string, raw: RawRecord): StoredRecord {
  checkVersion(key, raw.version);
  const text = (field: keyof RawRecord): string => {
    const value = raw[field];
    if (typeof value === "string") return value;
    throw notOurs(key, field);
  };
  const optional = (field: keyof RawRecord): string | undefined =>
    raw[field] === null || raw[field] === undefined ? undefined : text(field);
  const number = (field: keyof RawRecord): number => {
    const value = raw[field];
    // Some engines return numbers as texts.
    const found = value === null || value === "" ? Number.NaN : Number(value);
    if (Number.isFinite(found)) return found;
    throw notOurs(key, field);
  };
  const state = STATES.find((one) => one === raw.state);
  if (state === undefined) throw notOurs(key, "state");
  return {
    state,
    owner: text("owner"),
    endpoint: text("endpoint"),
    idempotencyKey: text("idempotency_key"),
    baseUrl: text("base_url"),
    scope: text("scope"),
    begunAt: number("begun_at"),
    elapsedMs: number("elapsed_ms"),
    leaseMs: number("lease_ms"),
    result: state === "succeeded" ? text("result") : null,
    digests: {
      parameters: text("parameters"),
      accountReference: optional("account_reference"),
      amount: optional("amount"),
      phone: optional("phone"),
    },
  };
}

/** The digests that a store keeps of an attempt. */
export function digestsOf({ parameters, payment }: NewAttempt, digest: Digest): AttemptDigests {
  const { accountReference, amount, phone } = payment ?? {};
  const optional = (text: string | undefined) => (text === undefined ? undefined : digest(text));
  return {
    parameters: digest(parameters),
    accountReference: optional(accountReference),
    amount: optional(amount),
    phone: optional(phone),
  };
}

/** The state that a record is in now: in flight past its lease is unknown. */
const stateOf = ({ state, elapsedMs, leaseMs }: StoredRecord): StoredRecord["state"] =>
  state === "in_flight" && elapsedMs >= leaseMs ? "unknown" : state;

/** In how many milliseconds an attempt may be resolved as not sent. */
const notSentInMs = ({ elapsedMs, leaseMs }: StoredRecord): number =>
  Math.max(0, Math.ceil(leaseMs + LEASE_MARGIN_MS - elapsedMs));

/** What `begin` returns for a record that exists. */
export function beginResult(
  record: StoredRecord,
  parametersDigest: string,
  { baseUrl }: NewAttempt,
  scope: string,
): BeginResult {
  const state = stateOf(record);
  const sameService = record.baseUrl === baseUrl && record.scope === scope;
  const comparison = {
    sameParameters: record.digests.parameters === parametersDigest,
    sameService,
    ...(!sameService && { service: { baseUrl: record.baseUrl, scope: record.scope } }),
  };
  const { owner, elapsedMs, leaseMs } = record;
  if (state === "succeeded") return { state, ...comparison, result: record.result ?? "" };
  if (state === "unknown") {
    return { state, ...comparison, owner, notSentInMs: notSentInMs(record) };
  }
  const ageMs = Math.floor(elapsedMs);
  return { state, ...comparison, owner, ageMs, leaseLeftMs: Math.ceil(leaseMs - elapsedMs) };
}

/** What a call of `resolve` asks for, beside the key. */
export interface Resolution {
  /** `undefined`: the attempt was not sent. */
  readonly result: string | undefined;
  /** `undefined`: of any owner. */
  readonly owner: string | undefined;
  readonly scope: string;
}

/** What `resolve` may do with a record, and otherwise what it returns. */
export function resolveResult(
  record: StoredRecord | undefined,
  { result, owner = record?.owner, scope }: Resolution,
): ResolveResult {
  if (record === undefined) return { state: "free" };
  const state = stateOf(record);
  if (state !== "unknown") return { state };
  if (record.owner !== owner || record.scope !== scope) return { state: "another" };
  const waitMs = notSentInMs(record);
  return result === undefined && waitMs > 0
    ? { state: "too_early", notSentInMs: waitMs }
    : { state: "resolved" };
}

/** A record as `list` returns it. */
export function attemptRecord(record: StoredRecord): AttemptRecord {
  const { elapsedMs, leaseMs: _leaseMs, result: _result, ...own } = record;
  const state = stateOf(record);
  return {
    ...own,
    state,
    ageMs: Math.floor(elapsedMs),
    notSentInMs: state === "succeeded" ? 0 : notSentInMs(record),
  };
}
