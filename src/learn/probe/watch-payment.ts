import { isFinal } from "../../contract/payment-state.ts";
import { sleep } from "../../internal/timeout.ts";
import { findField, hasMark } from "./find-fields.ts";
import { isSuccess, type Received } from "./http.ts";

const POLL_MS = 2_000;
export const FOLLOW_MS = 180_000;
/** After this many reads, an undocumented status that stays counts as a final one. */
const SAME_READS = 8;

/** The waits between looks for a new payment in the list: five minutes, the longest time that a profile keeps. */
const LOOK_MS = [
  ...[500, 1_000, 2_000, 4_000, 8_000, 15_000, 30_000],
  ...[60_000, 60_000, 60_000, 59_500],
];

/**
 * Reads a list until it has a payment, or stops looking.
 *
 * @returns The last response, and whether it has the payment.
 */
export async function findInList(
  read: () => Promise<Received>,
  reference: string,
  signal: AbortSignal,
): Promise<{ readonly received: Received; readonly isListed: boolean }> {
  for (let look = 0; ; look++) {
    const waitMs = LOOK_MS[look];
    const received = await read();
    const isListed = hasMark(received.json, reference);
    const isLast = waitMs === undefined || !isSuccess(received);
    if (isListed || isLast || !(await sleep(waitMs, signal))) return { received, isListed };
  }
}

interface Followed {
  /** The last response. */
  readonly received: Received;
  readonly hasEnded: boolean;
}

/**
 * Reads a payment again and again until it is final, or until the time is over.
 *
 * @param onChange - Gets each response with another status than the one before it.
 */
export async function followPayment(
  read: () => Promise<Received>,
  onChange: (received: Received) => void,
  signal: AbortSignal,
): Promise<Followed> {
  const endsAt = performance.now() + FOLLOW_MS;
  let last: string | undefined;
  let same = 0;
  for (;;) {
    const received = await read();
    const status = isSuccess(received) ? (findField(received.json, "status") ?? "") : "";
    if (last !== undefined && status !== last) onChange(received);
    same = status === last ? same + 1 : 0;
    last = status;
    const isUnknown = status !== "pending" && status !== "";
    const hasEnded = isFinal(status) || (isUnknown && same >= SAME_READS);
    if (hasEnded || performance.now() > endsAt || !(await sleep(POLL_MS, signal))) {
      return { received, hasEnded };
    }
  }
}
