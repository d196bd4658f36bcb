import type { IdempotencyStore, NewAttempt } from "malipo";

/** Opens a store. All stores of one opener share their records. */
export type Open = (options?: { retentionMs?: number }) => Promise<IdempotencyStore>;

export const PARAMETERS = '/mobile-money/payment/initiate {"amount":100,"phone":"0712345678"}';

/** The time limit of a test, in milliseconds: real engines write to real disks. */
export const PATIENCE_MS = 60_000;

let keys = 0;
/** A key that no other test has. */
export const freshKey = (): string => `POST /mobile-money/payment/initiate ORDER-${++keys}`;

export const attemptOf = (owner: string, own: Partial<NewAttempt> = {}): NewAttempt => ({
  parameters: PARAMETERS,
  owner,
  leaseMs: 60_000,
  ...own,
});
