import { type OptionRows, wrongOption } from "../../internal/check-options.ts";
import { DAY_MS } from "../../internal/units.ts";

/** The longest wait between two attempts. */
const MAX_BACKOFF_MS = 300_000;

/** A retry that waits longer than this was planned before the clock was set back. */
export const MAX_RETRY_WAIT_MS: number = MAX_BACKOFF_MS + 60_000;

/**
 * How long an event is handed back for whose kind this process does not work on: the longer, the older it
 * is. Both moments are milliseconds since the epoch.
 */
export const handBackMs = (receivedAt: number, now: number): number =>
  Math.min(MAX_BACKOFF_MS, Math.max(1_000, now - receivedAt));

/** How fast an inbox works. Tests make it faster. */
export interface Pace {
  /**
   * How long a process keeps a delivery without renewing its lease; then another process takes it.
   * Leases are renewed three times in this time.
   */
  readonly leaseMs: number;
  /** The wait after a failed attempt. */
  readonly backoffMs: (attempt: number) => number;
  /** How long to wait for the engine if a caller waits for the result. Default: 5 s. */
  readonly engineTimeoutMs?: number;
  /** The shortest retention. Default: one day. */
  readonly minRetentionMs?: number;
  /** Time between two runs of the upkeep. */
  readonly maintenanceMs?: number;
}

export const DEFAULT_PACE: Pace & { readonly engineTimeoutMs: number } = {
  leaseMs: 15_000,
  // Exponential from a second, with full jitter.
  backoffMs: (attempt) =>
    Math.round(Math.random() * Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** (attempt - 1))),
  engineTimeoutMs: 5_000,
};

// Written out: a bundler keeps a product that nothing uses, as of `verifyWebhook` alone.
const DEFAULT_RETENTION_MS = 1_209_600_000; // 14 days

/** 68 years: what a 32-bit number of seconds holds, as engines store it. */
const MAX_RETENTION_MS = 2_147_483_647_000;

/**
 * Checks how long to remember processed events, in milliseconds.
 *
 * @throws {ConfigurationError} for anything but a number above 0 and at most 68 years.
 */
function checkRetention(retentionMs: unknown = DEFAULT_RETENTION_MS): number {
  const isUsable = typeof retentionMs === "number" && retentionMs > 0;
  if (isUsable && retentionMs <= MAX_RETENTION_MS) return retentionMs;
  const expected = `a number of milliseconds above 0 and at most ${MAX_RETENTION_MS}, which is 68 years`;
  throw wrongOption("retentionMs", expected, retentionMs);
}

/**
 * How long an inbox remembers processed events. It is one day at least: the service may send an event
 * again for that long, and the receiver processes every event of the last day.
 *
 * @throws {ConfigurationError} as {@link checkRetention} does.
 */
export const retentionFor = (retentionMs: unknown, pace: Pace): number =>
  Math.max(checkRetention(retentionMs), pace.minRetentionMs ?? DAY_MS);

/** What the inboxes that have no options of an engine take. */
export const INBOX_OPTIONS = {
  retentionMs: (ms, { pace = DEFAULT_PACE }) => retentionFor(ms, pace),
  pace: (pace = DEFAULT_PACE) => pace,
} satisfies OptionRows<{ retentionMs?: number | undefined; pace?: Pace | undefined }>;
