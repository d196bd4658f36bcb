import { ConfigurationError } from "../../errors/configuration.ts";

/** An attempt that wants to begin. */
export interface NewAttempt {
  /**
   * The parameters as canonical JSON: what tells the same attempt from another. They hold the
   * customer's phone, so a store that writes them anywhere keeps a digest.
   */
  readonly parameters: string;
  /** Names this attempt. Only who began a record may finish or forget it. */
  readonly owner: string;
  /** How long the attempt may take. One that is not finished by then has an unknown outcome. */
  readonly leaseMs: number;
}

/** What stands under a key, for whoever wants to begin an attempt. */
export type Standing =
  /** Nothing stood: the attempt has begun, and is the caller's to finish or forget. */
  | { readonly state: "begun" }
  /** Another attempt is under way. */
  | { readonly state: "in_flight"; readonly sameParameters: boolean }
  /** It was done, with this result. */
  | { readonly state: "succeeded"; readonly sameParameters: boolean; readonly result: string }
  /** It may have been done, by the attempt of that owner. */
  | { readonly state: "unknown"; readonly sameParameters: boolean; readonly owner: string };

/** How an attempt ended. */
export type AttemptEnd =
  | { readonly state: "succeeded"; readonly result: string }
  | { readonly state: "unknown" };

/**
 * What stood under a key that was to be resolved. `free`: nothing. `another`: an unknown attempt, but
 * of another owner than the one that was named.
 */
export type ResolveResult = Exclude<Standing["state"], "begun"> | "free" | "another";

/**
 * Where idempotency keys are remembered. Each method is atomic, across processes where the store is
 * shared by several. A store that cannot do what it is asked rejects; nothing is sent then.
 *
 * A record that is in flight past its lease stands as `unknown`. Unknown records stay until they
 * are resolved; succeeded ones may be dropped after the store's retention.
 */
export interface IdempotencyStore {
  /** Begins an attempt where nothing stands under the key, or says what does. */
  begin(key: string, attempt: NewAttempt): Promise<Standing>;
  /** Writes down how the owner's attempt ended. Does nothing where the record is another's by now. */
  finish(key: string, owner: string, end: AttemptEnd): Promise<void>;
  /** Frees the key: the owner's attempt cannot have happened. Does nothing where it is another's. */
  forget(key: string, owner: string): Promise<void>;
  /**
   * Closes an unknown attempt: with its result, or by freeing the key (`undefined`). It is nobody's
   * from then on. Changes nothing else, and says what stood.
   *
   * @param owner - Closes the attempt of that owner alone. Without one, whichever stands.
   */
  resolve(
    key: string,
    result: string | undefined,
    owner?: string | undefined,
  ): Promise<ResolveResult>;
}

const DAY_MS = 24 * 3_600_000;

/** How long a result is remembered, unless a store is told otherwise: 30 days. */
export const STANDARD_RETENTION_MS: number = 30 * DAY_MS;

// Further than databases count.
const LONGEST_RETENTION_MS = 36_500 * DAY_MS;

/** @throws {ConfigurationError} where it is no time: a key would be forgotten too early, or never. */
export function checkRetention(retentionMs: number): void {
  const fits = Number.isInteger(retentionMs) && retentionMs > 0;
  if (fits && retentionMs <= LONGEST_RETENTION_MS) return;
  throw new ConfigurationError(
    `\`retentionMs\` is ${String(retentionMs)}. It takes whole milliseconds above 0, 100 years at most.`,
  );
}

/** The layout of a record. One that a later version wrote is not understood, and not touched. */
export const RECORD_VERSION = 1;
