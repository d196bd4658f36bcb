/**
 * How far an attempt stays away from the end of its lease, and how long after that end its request may
 * still be on its way.
 */
export const LEASE_MARGIN_MS: number = 5_000;

/**
 * The lease of an attempt: a call may take its time limit, an attempt leaves no request later than
 * {@link LEASE_MARGIN_MS} before the end of the lease, and what is left is for the store to be slow.
 */
export const leaseMsFor = (totalTimeoutMs: number): number => totalTimeoutMs + 2 * LEASE_MARGIN_MS;
