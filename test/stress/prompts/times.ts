// How long things take in the campaign, in milliseconds: all much shorter than in a shop, so that
// two thousand payments and what goes wrong with them fit into a few minutes.

/** The limits of every call. */
export const LIMITS = { timeoutMs: 800, totalTimeoutMs: 2_000 };

/** How long a click waits for its payment. Some customers take longer. */
export const WAIT_MS = 3_000;

/** How long the service gets to show a payment before its absence means anything. */
export const LOOK_AFTER_MS = 500;

/** How long after the first look the second one is. */
export const LOOK_AGAIN_MS = 300;

/** How long a campaign may take at most, before what is open is given up. */
export const limitMs = (payments: number): number => 180_000 + payments * 120;
