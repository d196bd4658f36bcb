import { startClocks } from "../internal/elapsed-time.ts";

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

// Smaller steps back are corrections of the clock, as NTP makes them.
const MAX_STEP_BACK_MS = 1_000;

const FREED = "The idempotency key may have been freed since, so the request was not sent.";

/**
 * Until when an attempt may be sent. Looks at the clocks, and says why it must not be sent any more;
 * `undefined` if it may. Called right before the bytes leave.
 */
export type Deadline = () => string | undefined;

/**
 * The deadline of an attempt. Made before the attempt begins, so before its lease does.
 *
 * A machine that was suspended, or whose clock was set, may have time left by one of its clocks while
 * the lease in the store is over. Then a person may have looked, found nothing, and freed the key.
 */
export function deadlineOf(leaseMs: number): Deadline {
  const elapsed = startClocks();
  const maxMs = leaseMs - LEASE_MARGIN_MS;
  return () => {
    const { wallMs, monotonicMs } = elapsed();
    if (wallMs < -MAX_STEP_BACK_MS) {
      return `the clock of this machine was set back by ${seconds(-wallMs)} since the attempt began. ${FREED}`;
    }
    const passedMs = Math.max(wallMs, monotonicMs);
    if (passedMs < maxMs) return undefined;
    return `${seconds(passedMs)} have passed since the attempt began, and it may be sent for only ${seconds(maxMs)}. The machine was suspended, or its clock was set. ${FREED}`;
  };
}

const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
