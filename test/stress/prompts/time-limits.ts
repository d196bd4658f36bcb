import { HANG_MS } from "../harness/waits.ts";

// How long steps take in the campaign, in milliseconds. All are much shorter than in a shop, so that
// a campaign of two thousand payments takes a few minutes.

/** The timeouts of every call. */
export const CALL_TIMEOUTS = { timeoutMs: 800, totalTimeoutMs: 2_000 };

/** How far the client keeps its requests from the end of a lease, by the documentation. */
export const LEASE_MARGIN_MS = 5_000;

/** The lease that the client asks for. */
export const LEASE_MS: number = CALL_TIMEOUTS.totalTimeoutMs + 2 * LEASE_MARGIN_MS;

/** How long a click waits for its payment. Some customers take longer. */
export const WAIT_MS = 3_000;

/** How long the reconciler waits before it looks a payment up. */
export const LOOKUP_DELAY_MS = 500;

/** The longest time between two lookups of a payment that is not found. */
export const MAX_LOOKUP_INTERVAL_MS = 4_000;

/** How long the second lookup is after the first. */
export const SECOND_LOOKUP_DELAY_MS = 300;

/** What a campaign may take, however busy the machine is. */
export const campaignTimeoutMs = (payments: number): number => 2 * HANG_MS + payments * 300;

/**
 * How long the last phase may take. An attempt that was cut off as the faults stopped is resolved
 * after its lease, paid again, and waited for.
 */
export const endWithinMs = (payments: number): number => HANG_MS + payments * 20;

/**
 * How far apart customers arrive. All workers stop while the engine of the store restarts, so more
 * customers in a second would only wait.
 */
export const MIN_ARRIVAL_INTERVAL_MS = 60;

/** Over how long the customers of a small campaign arrive. */
export const MIN_ARRIVALS_MS = 6_000;
