import type { WebhookEvent } from "../../contract/events.ts";
import { timeOf } from "../verification/payload.ts";

const DAY_MS = 86_400_000;

/** How far the clock of this machine may be behind that of the service. */
const CLOCK_SKEW_MS = 300_000;

const days = (ms: number): number => Math.round(ms / DAY_MS);

/**
 * Why an event must not be processed without a person: it was signed so long ago that the inbox may have
 * processed and forgotten it. `undefined` for every other event.
 *
 * A retry of the service carries the first timestamp, and may come hours later. So an event of the last
 * day is processed, however short the retention is.
 */
export function replayReason(
  { timestamp }: WebhookEvent,
  retentionMs: number | undefined,
  now: number,
): string | undefined {
  if (retentionMs === undefined) return undefined;
  const ageMs = now - timeOf(timestamp);
  const isForgotten = ageMs > Math.max(retentionMs, DAY_MS) - CLOCK_SKEW_MS;
  return isForgotten
    ? `The event was signed ${days(ageMs)} days ago, and the inbox remembers events for ${days(retentionMs)} days: it may have been processed before.`
    : undefined;
}
