import { checkWholeNumber } from "../../internal/check-options.ts";

/** An attempt that is to begin. */
export interface NewAttempt {
  /**
   * The parameters as canonical JSON: equal texts are the same call. They hold the customer's phone,
   * so a store that writes them to disk or to a server must keep only a digest.
   */
  readonly parameters: string;
  /** The id of this attempt. Only the owner of a record may finish it or forget it. */
  readonly owner: string;
  /**
   * How long the attempt may take, in milliseconds. An attempt that is not finished by then has an
   * unknown outcome.
   */
  readonly leaseMs: number;
}

/** The state in which `begin` found a key. */
export type BeginResult =
  /** There was no record. The attempt has begun, and the caller must finish it or forget it. */
  | { readonly state: "begun" }
  /** Another attempt is in flight. */
  | { readonly state: "in_flight"; readonly sameParameters: boolean }
  /** An earlier attempt succeeded with this result. */
  | { readonly state: "succeeded"; readonly sameParameters: boolean; readonly result: string }
  /** An earlier attempt, by that owner, may have happened. */
  | { readonly state: "unknown"; readonly sameParameters: boolean; readonly owner: string };

/** How an attempt ended. */
export type AttemptEnd =
  | { readonly state: "succeeded"; readonly result: string }
  | { readonly state: "unknown" };

/**
 * The state in which `resolve` found a key. Only `unknown` was resolved. `free`: there is no record.
 * `another`: the attempt is unknown, but it has another owner than the one that was given.
 */
export type ResolveResult = Exclude<BeginResult["state"], "begun"> | "free" | "another";

/**
 * Where idempotency keys are remembered. Each method is atomic, also across the processes that share
 * the store. A store that cannot do its work rejects, and then nothing is sent.
 *
 * A record that is in flight past its lease counts as `unknown`. A store keeps unknown records until
 * they are resolved; it may drop succeeded ones after its retention.
 */
export interface IdempotencyStore {
  /** Begins an attempt where there is no record under the key. Otherwise returns the record's state. */
  begin(key: string, attempt: NewAttempt): Promise<BeginResult>;
  /** Records how the owner's attempt ended. Does nothing where the record has another owner. */
  finish(key: string, owner: string, end: AttemptEnd): Promise<void>;
  /**
   * Frees the key, since the owner's attempt cannot have happened. Does nothing where the record has
   * another owner.
   */
  forget(key: string, owner: string): Promise<void>;
  /**
   * Resolves an unknown attempt: with its result, or by freeing the key (`undefined`). The record has
   * no owner afterwards. Changes no record in another state.
   *
   * @param owner - Resolves only the attempt of that owner. Default: of any owner.
   * @returns The state in which the key was found.
   */
  resolve(
    key: string,
    result: string | undefined,
    owner?: string | undefined,
  ): Promise<ResolveResult>;
}

const DAY_MS = 24 * 3_600_000;

/** How long the stores remember a result by default: 30 days. */
export const DEFAULT_RETENTION_MS: number = 30 * DAY_MS;

// 100 years: a date that every database can store.
const MAX_RETENTION_MS = 36_500 * DAY_MS;

/** @throws {ConfigurationError} for a wrong time: a key would be forgotten too early, or never. */
export function checkRetention(retentionMs: number): void {
  checkWholeNumber("retentionMs", retentionMs, 1, MAX_RETENTION_MS);
}

/** The layout of a stored record. A record of a later layout is neither read nor changed. */
export const RECORD_VERSION = 1;
