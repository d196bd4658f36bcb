// How long things take in the campaign, in milliseconds. All are much shorter than in a shop, so that
// a campaign of two thousand payments takes a few minutes.

/** The timeouts of every call. */
export const CALL_TIMEOUTS = { timeoutMs: 800, totalTimeoutMs: 2_000 };

/** How long a click waits for its payment. Some customers take longer. */
export const WAIT_MS = 3_000;

/** How long the reconciler waits before it looks a payment up. */
export const LOOKUP_DELAY_MS = 500;

/** How long the second lookup is after the first. */
export const SECOND_LOOKUP_DELAY_MS = 300;

/** The time limit of a campaign. */
export const campaignTimeoutMs = (payments: number): number => 180_000 + payments * 120;
