import type { Effect } from "../../contract/endpoints.ts";
import type { Failure } from "./failures.ts";

const RETRYABLE_STATUSES = new Set([
  408, // Request Timeout
  429, // Too Many Requests
  500, // Internal Server Error
  502, // Bad Gateway
  503, // Service Unavailable
  504, // Gateway Timeout
]);

/**
 * May the request be sent again? Reads and idempotent writes after every failure that may pass; a
 * create only when nothing can have happened: it was not sent, or it was rejected with 429.
 */
export function isRetryable(effect: Effect, { outcome, status, isPermanent }: Failure): boolean {
  if (isPermanent) return false;
  if (effect === "create") {
    return outcome === "not_sent" || (outcome === "rejected" && status === 429);
  }
  return status === undefined || RETRYABLE_STATUSES.has(status);
}

const BACKOFF_BASE_MS = 250;
const MAX_BACKOFF_MS = 8_000;

/**
 * How long to wait before the next attempt: what the service asked for, else exponential backoff
 * with full jitter.
 *
 * @param attempt - The number of the attempt that failed, from 1.
 */
export function retryDelayMs(
  { retryAfterMs }: Failure,
  attempt: number,
  random: () => number = Math.random,
): number {
  return retryAfterMs ?? random() * Math.min(MAX_BACKOFF_MS, BACKOFF_BASE_MS * 2 ** (attempt - 1));
}
