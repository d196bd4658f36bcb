import { ConfigurationError } from "../../errors/configuration.ts";
import { describeValue } from "../../internal/check-options.ts";

/** The longest wait between two attempts. */
export const MAX_BACKOFF_MS = 300_000;

/** A retry that waits longer than this was planned before the clock was set back. */
export const MAX_RETRY_WAIT_MS: number = MAX_BACKOFF_MS + 60_000;

/** How fast an inbox works. Tests make it faster. */
export interface Pace {
  /**
   * How long a process keeps a delivery without renewing its lease; then another process takes it.
   * Leases are renewed three times in this time.
   */
  readonly leaseMs: number;
  /** The wait after a failed attempt. */
  readonly backoffMs: (attempt: number) => number;
  /** How long to wait for the engine where somebody waits for the result. Default: 5 s. */
  readonly engineTimeoutMs?: number;
}

export const DEFAULT_PACE: Pace & { readonly engineTimeoutMs: number } = {
  leaseMs: 15_000,
  // Exponential from a second, with full jitter.
  backoffMs: (attempt) =>
    Math.round(Math.random() * Math.min(MAX_BACKOFF_MS, 1_000 * 2 ** (attempt - 1))),
  engineTimeoutMs: 5_000,
};

/** 14 days. */
const DEFAULT_RETENTION_MS = 1_209_600_000;

/**
 * How long to remember processed events, in milliseconds.
 *
 * @throws {ConfigurationError} for anything but a finite number above 0.
 */
export function checkRetention(retentionMs: unknown = DEFAULT_RETENTION_MS): number {
  if (Number.isFinite(retentionMs) && (retentionMs as number) > 0) return retentionMs as number;
  throw new ConfigurationError(
    `\`retentionMs\` must be a number of milliseconds above 0; got ${describeValue(retentionMs)}.`,
  );
}
