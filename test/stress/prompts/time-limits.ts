// How long steps take in the campaign, in milliseconds. All are much shorter than in a shop, so that
// a campaign of two thousand payments takes a few minutes.

/** The timeouts of every call. */
export const CALL_TIMEOUTS = { timeoutMs: 800, totalTimeoutMs: 2_000 };

/** How far the client keeps its requests from the end of a lease, by the documentation. */
export const LEASE_MARGIN_MS = 5_000;

/** The lease that the client asks for. */
export const LEASE_MS: number = CALL_TIMEOUTS.totalTimeoutMs + 2 * LEASE_MARGIN_MS;

/** When an attempt may be resolved as not sent: this long after it began. */
export const NOT_SENT_AFTER_MS: number = LEASE_MS + LEASE_MARGIN_MS;

/** How long a click waits for its payment. Some customers take longer. */
export const WAIT_MS = 3_000;

/** How long the reconciler waits before it looks a payment up. */
export const LOOKUP_DELAY_MS = 500;

/** The longest time between two lookups of a payment that is not found. */
export const MAX_LOOKUP_INTERVAL_MS = 4_000;

/** How long the second lookup is after the first. */
export const SECOND_LOOKUP_DELAY_MS = 300;

/** How long the proxy keeps a prompt back at most. The prompt is still on its way then. */
export const MAX_ON_ITS_WAY_MS = 7_000;

/** The number of payments of a campaign that must meet every hard state. */
export const FULL_SIZE = 2_000;

// What the campaign waits for at most, however busy the machine is. A wait that takes longer will not
// end: the campaign fails, and says what it waited for.

/** For a process to start or to end. */
export const MAX_START_MS = 60_000;

/** For a job. The worker may sleep in the middle of it, or may wait until the engine is well. */
export const MAX_JOB_MS: number = NOT_SENT_AFTER_MS + 180_000;

/** For the engine of the store to get a fault, and to be well again. */
export const MAX_ENGINE_FAULT_MS = 90_000;

/** For every incident of a campaign, and its order, to be over, once all have begun. */
export const MAX_INCIDENTS_MS = 300_000;

/** The time limit of a campaign. */
export const campaignTimeoutMs = (payments: number): number => 300_000 + payments * 200;

/**
 * How long the last phase may take. An attempt that was cut off as the faults stopped is resolved
 * after its lease, paid again, and waited for.
 */
export const endWithinMs = (payments: number): number =>
  2 * (NOT_SENT_AFTER_MS + MAX_LOOKUP_INTERVAL_MS + WAIT_MS) + payments * 20;

/**
 * How far apart customers arrive. All workers stop while the engine of the store restarts, so more
 * customers in a second would only wait.
 */
export const MIN_ARRIVAL_INTERVAL_MS = 60;

/** Over how long the customers of a small campaign arrive. */
export const MIN_ARRIVALS_MS = 6_000;
