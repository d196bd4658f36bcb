import { checkWholeNumber, ownOptions, wrongOption } from "../internal/check-options.ts";
import { isStorable } from "../internal/storable-text.ts";

/** The options that every store has. */
export interface IdempotencyStoreOptions {
  /**
   * How long a result is remembered, in milliseconds. Raise it if an order may be paid again with
   * its old key after more than a month. Attempts of unknown outcome are remembered until they are resolved.
   *
   * @default 30 days
   */
  retentionMs?: number | undefined;
  /**
   * What the keys belong to, such as a merchant's name. Set it if several merchants or
   * environments share one store: each scope has its own keys, and lists only its own attempts.
   *
   * @default ""
   */
  scope?: string | undefined;
  /**
   * A secret that keys the digests of parameters, phones, amounts and account references. Without it,
   * someone who reads the store can find a customer's phone by trying all numbers. Keep it outside the
   * store, give every process the same one, and do not change it: attempts with another pepper look
   * like attempts with other parameters.
   *
   * @default none
   */
  pepper?: string | Uint8Array | undefined;
}

const DAY_MS = 24 * 3_600_000;

const DEFAULT_RETENTION_MS = 30 * DAY_MS;

// 100 years: a date that every database can store.
const MAX_RETENTION_MS = 36_500 * DAY_MS;

const OPTION_NAMES = ["retentionMs", "scope", "pepper"];

/** @throws {ConfigurationError} for an option that the store does not have, or with a wrong value. */
export function checkStoreOptions<Options extends IdempotencyStoreOptions>(
  options: Options,
  owner: string,
  ownNames: readonly string[] = [],
): Options & { readonly retentionMs: number; readonly scope: string } {
  const own = ownOptions(options, [...ownNames, ...OPTION_NAMES], owner);
  const { retentionMs = DEFAULT_RETENTION_MS, scope = "", pepper } = own;
  checkWholeNumber("retentionMs", retentionMs, 1, MAX_RETENTION_MS);
  if (typeof scope !== "string" || !isStorable(scope)) {
    throw wrongOption("scope", "a string without NUL and without half characters", scope);
  }
  const isPepper = typeof pepper === "string" || pepper instanceof Uint8Array;
  if (pepper !== undefined && !(isPepper && pepper.length > 0)) {
    throw wrongOption("pepper", "a non-empty string or Uint8Array", pepper);
  }
  return Object.assign(own, { retentionMs, scope });
}
