import type { IdempotencyStore } from "malipo";
import type { NewAttempt } from "malipo/types";

/** The options that every store has. */
export interface IdempotencyStoreOptions {
  retentionMs?: number;
  scope?: string;
  pepper?: string | Uint8Array;
}

/** Opens a store. All stores of one opener share their records. */
export type Open = (options?: IdempotencyStoreOptions) => Promise<IdempotencyStore>;

export const BASE_URL = "https://gateway.example/api/v1";

export const PARAMETERS = '/mobile-money/payment/initiate {"amount":100,"phone":"0712345678"}';

let keys = 0;
/** A key that no other test has. */
export const freshKey = (): string => `POST /mobile-money/payment/initiate ORDER-${++keys}`;

export const attemptOf = (owner: string, own: Partial<NewAttempt> = {}): NewAttempt => ({
  parameters: PARAMETERS,
  owner,
  leaseMs: 60_000,
  endpoint: "POST /mobile-money/payment/initiate",
  idempotencyKey: "ORDER-42/1",
  baseUrl: BASE_URL,
  ...own,
});

/** A lease that has been over for long enough that the attempt may be resolved as not sent. */
export const LONG_OVER_MS = -5_000;
