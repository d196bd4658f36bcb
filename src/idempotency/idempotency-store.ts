import { sleep, waitAtMost } from "../internal/timeout.ts";
import type { Digest } from "./digest.ts";

/** What a payment can be recognised by. A store keeps digests of these, never the values. */
export interface MatchFields {
  readonly accountReference?: string | undefined;
  /** With two decimals: `"100.00"`. */
  readonly amount?: string | undefined;
  /** With the country code and without a plus sign: `"254712345678"`. */
  readonly phone?: string | undefined;
}

/** An attempt that is to begin. */
export interface NewAttempt {
  /**
   * The parameters as canonical JSON: equal texts are the same call. They hold the customer's phone,
   * so a store keeps only a digest.
   */
  readonly parameters: string;
  /** The id of this attempt. Only the owner of a record may finish it or forget it. */
  readonly owner: string;
  /**
   * How long the attempt may take, in milliseconds. An attempt that is not finished by then has an
   * unknown outcome.
   */
  readonly leaseMs: number;
  /** The endpoint: `"POST /mobile-money/payment/initiate"`. */
  readonly endpoint: string;
  /** The idempotency key, as the caller gave it. */
  readonly idempotencyKey: string;
  /** The address of the service. The same key at another service is a conflict. */
  readonly baseUrl: string;
  /** What the payment can be recognised by later, if the call makes a payment. */
  readonly payment?: MatchFields | undefined;
}

/** The service that a record was made for. */
export interface RecordedService {
  readonly baseUrl?: string | undefined;
  readonly scope?: string | undefined;
}

/** Whether a record was made by the same call as the one that asks. */
interface Comparison {
  readonly sameParameters: boolean;
  /** Whether the record has the same `baseUrl`, and the same `scope` as the store. */
  readonly sameService: boolean;
  /** What the record was made for, if that is another service: for the message of the error. */
  readonly service?: RecordedService | undefined;
}

/** Another attempt is in flight. */
export interface InFlightResult extends Comparison {
  readonly state: "in_flight";
  /** The id of that attempt. */
  readonly owner: string;
  /** How long ago that attempt began, in milliseconds. */
  readonly ageMs: number;
  /** How long its lease still lasts, in milliseconds. The attempt is unknown after that. */
  readonly leaseLeftMs: number;
}

/** An earlier attempt succeeded with this result. */
export interface SucceededResult extends Comparison {
  readonly state: "succeeded";
  readonly result: string;
}

/** An earlier attempt may have happened. */
export interface UnknownResult extends Comparison {
  readonly state: "unknown";
  /** The id of that attempt. */
  readonly owner: string;
  /**
   * In how many milliseconds the attempt may be resolved as not sent: its request may be on its way
   * until then. 0: now.
   */
  readonly notSentInMs: number;
}

/** The state in which `begin` found a key. */
export type BeginResult =
  /** There was no record. The attempt has begun, and the caller must finish it or forget it. */
  { readonly state: "begun" } | InFlightResult | SucceededResult | UnknownResult;

/** How an attempt ended. */
export type AttemptEnd =
  | { readonly state: "succeeded"; readonly result: string }
  | { readonly state: "unknown" };

/** What became of `resolve`. Only `resolved` has changed the record. */
export type ResolveResult =
  | { readonly state: "resolved" }
  /** There is no record. */
  | { readonly state: "free" }
  | { readonly state: "in_flight" }
  | { readonly state: "succeeded" }
  /** The attempt is unknown, but has another owner than the one given, or belongs to another scope. */
  | { readonly state: "another" }
  /** The request of the attempt may still be on its way: it cannot be resolved as not sent yet. */
  | { readonly state: "too_early"; readonly notSentInMs: number };

/** The digests of an attempt, each made by `digest` of the store. */
export interface AttemptDigests {
  /** The digest of the canonical parameters. */
  readonly parameters: string;
  readonly accountReference?: string | undefined;
  readonly amount?: string | undefined;
  readonly phone?: string | undefined;
}

/** An attempt, as `list` returns it. */
export interface AttemptRecord {
  readonly endpoint: string;
  readonly idempotencyKey: string;
  /** The id of the attempt. Empty once it was resolved. */
  readonly owner: string;
  readonly baseUrl: string;
  readonly scope: string;
  readonly state: "in_flight" | "unknown" | "succeeded";
  /** When it began, in milliseconds since 1970, by the store's clock. */
  readonly begunAt: number;
  /**
   * How much of its lease has passed since it began, in milliseconds, by the clock that the store
   * measures leases by. It may be less than its real age, but never more.
   */
  readonly ageMs: number;
  /** In how many milliseconds it may be resolved as not sent. 0: now, or it has succeeded. */
  readonly notSentInMs: number;
  readonly digests: AttemptDigests;
}

/** An attempt, as `read` returns it. */
export interface ReadAttempt extends AttemptRecord {
  /** What it succeeded with; `undefined` in any other state. */
  readonly result: string | undefined;
}

/** Which attempts `list` returns. */
export interface ListQuery {
  /** Only attempts in this state. An attempt in flight past its lease is `unknown`. */
  readonly state?: AttemptRecord["state"] | undefined;
  /** Only attempts with these digests. */
  readonly digests?: Partial<AttemptDigests> | undefined;
  /** The page after the one that returned this as `next`. */
  readonly after?: string | undefined;
  /**
   * How many attempts a page has at most, from 1 to 1,000.
   *
   * @default 100
   */
  readonly limit?: number | undefined;
}

/** Some of the attempts, the oldest first. */
export interface AttemptPage {
  readonly attempts: readonly AttemptRecord[];
  /** Pass it as `after` to get the next page. `undefined` at the last page. */
  readonly next: string | undefined;
}

/**
 * Remembers idempotency keys. Each method is atomic, also across the processes that share
 * the store. A store that cannot do its work rejects, and then nothing is sent.
 *
 * A record that is in flight past its lease counts as `unknown`. A lease is measured by a clock that
 * is not set back, or else it never lasts longer than its own length from the moment the store sees
 * the clock behind the record. A store keeps unknown records until they are resolved; it may drop
 * succeeded ones after its retention.
 *
 * A record of another version, or whose content this version did not write, is never changed: the
 * store rejects.
 */
export interface IdempotencyStore {
  /** Begins an attempt if there is no record under the key. Otherwise returns the record's state. */
  begin(key: string, attempt: NewAttempt): Promise<BeginResult>;
  /** The attempt under the key; `undefined` if the key is free. It begins nothing. */
  read(key: string): Promise<ReadAttempt | undefined>;
  /** Records how the owner's attempt ended. Does nothing if the record has another owner. */
  finish(key: string, owner: string, end: AttemptEnd): Promise<void>;
  /**
   * Frees the key, since the owner's attempt cannot have happened. Does nothing if the record has
   * another owner.
   */
  forget(key: string, owner: string): Promise<void>;
  /**
   * Resolves an unknown attempt: with its result, or by freeing the key (`undefined`). The record has
   * no owner afterwards. Changes no record in another state. The key is freed only when the lease has
   * been over for a margin, also if the attempt was finished as unknown before: until then its
   * request may be on its way.
   *
   * @param owner - Resolves only the attempt of that owner. Default: of any owner.
   */
  resolve(
    key: string,
    result: string | undefined,
    owner?: string | undefined,
  ): Promise<ResolveResult>;
  /**
   * Lists the attempts of the store's scope, the oldest first. Pages neither repeat nor leave out an
   * attempt that exists all the while.
   */
  list(query?: ListQuery): Promise<AttemptPage>;
  /** What the store keeps instead of a text: see `digests` of an attempt. */
  digest: Digest;
}

type Fields = Readonly<Record<string, unknown>>;

const COMPARISON = { sameParameters: "boolean", sameService: "boolean" };

/** The fields that each state must have, and their types. */
const FIELDS: Readonly<Record<BeginResult["state"], Readonly<Record<string, string>>>> = {
  begun: {},
  in_flight: { ...COMPARISON, owner: "string", ageMs: "number", leaseLeftMs: "number" },
  succeeded: { ...COMPARISON, result: "string" },
  unknown: { ...COMPARISON, owner: "string", notSentInMs: "number" },
};

const isOfType = (value: unknown, type: string | undefined) =>
  type === "number" ? Number.isFinite(value) : typeof value === type;

/**
 * What a store's `begin` resolved with, read once. A store that a user wrote may resolve with
 * anything, and nothing may be sent then.
 *
 * @throws {TypeError} for anything but a `BeginResult`.
 */
export function checkBeginResult(result: unknown): BeginResult {
  const object: Fields = Object(result);
  const { state, service } = object;
  const types = Object.entries(FIELDS).find(([name]) => name === state)?.[1];
  const given = Object.fromEntries(Object.keys({ ...types }).map((name) => [name, object[name]]));
  const isValid = types && Object.keys(types).every((name) => isOfType(given[name], types[name]));
  if (isValid) return { state, service, ...given } as unknown as BeginResult;
  throw new TypeError(
    "begin() of the idempotency store must resolve with a BeginResult: a state (begun, in_flight, succeeded or unknown) and its fields.",
  );
}

const MAX_TRIES = 3;
const RETRY_DELAY_MS = 100;
const MAX_WAIT_MS = 1_000;

async function writeWithRetries(write: () => Promise<void>): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      await write();
      return true;
    } catch {
      if (tries === MAX_TRIES) return false;
      await sleep(RETRY_DELAY_MS * tries);
    }
  }
}

/**
 * Writes to a store, and stops trying after three failures. Waits one second at most; the write goes on
 * after that. Never rejects: a store that fails now must not cost the caller the result, and a record
 * that could not be written becomes unknown when its lease is over.
 *
 * @returns Whether it is certainly written.
 */
export async function writeBestEffort(write: () => Promise<void>): Promise<boolean> {
  let isWritten = false;
  const writing = writeWithRetries(write).then((written) => {
    isWritten = written;
  });
  await waitAtMost(writing, MAX_WAIT_MS);
  return isWritten;
}
