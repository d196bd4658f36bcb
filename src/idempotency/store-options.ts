import {
  checkWholeNumber,
  type OptionRows,
  optional,
  wrongOption,
} from "../internal/check-options.ts";
import { isStorable } from "../internal/storable-text.ts";
import { DAY_MS } from "../internal/units.ts";

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
   * environments share one store: each scope has its own keys, and lists only its own attempts. At most 255 characters.
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

const DEFAULT_RETENTION_MS = 30 * DAY_MS;

// 100 years: a date that every database can store.
const MAX_RETENTION_MS = 36_500 * DAY_MS;

/** With an endpoint and an idempotency key, it is a key that every database takes. */
const MAX_SCOPE = 255;

function checkScope(scope: string): string {
  const isScope = typeof scope === "string" && scope.length <= MAX_SCOPE && isStorable(scope);
  if (isScope) return scope;
  const expected = `a string of at most ${MAX_SCOPE} characters without NUL and without half characters`;
  throw wrongOption("scope", expected, scope);
}

function checkPepper(pepper: string | Uint8Array): string | Uint8Array {
  const isPepper = typeof pepper === "string" || pepper instanceof Uint8Array;
  if (isPepper && pepper.length > 0) return pepper;
  throw wrongOption("pepper", "a non-empty string or Uint8Array", pepper);
}

/** What every store takes. */
export const STORE_OPTIONS = {
  retentionMs: (ms = DEFAULT_RETENTION_MS) =>
    checkWholeNumber("retentionMs", ms, 1, MAX_RETENTION_MS),
  scope: (scope = "") => checkScope(scope),
  pepper: (pepper) => optional(pepper, checkPepper),
} satisfies OptionRows<IdempotencyStoreOptions>;
