// The clocks of a worker, as the client under test sees them.
import type { Machine } from "../messages.ts";

const wallClock = Date.now;
const uptime = process.hrtime.bigint;
let offset = 0;

Date.now = () => wallClock() + offset;

/** Starts the clocks of the machine on which this process runs. */
export function startMachine({ startedAt, offsetMs }: Machine): void {
  const started = BigInt(Math.round(startedAt * 1_000_000));
  process.hrtime.bigint = () => uptime() - started;
  offset = offsetMs;
}

/** How far the wall clock is from the right time. */
export const clockOffset = (): number => offset;

/** Runs something at the right time, whatever the clock of this process says otherwise. */
export function atRightTime<T>(work: () => T): T {
  const { now } = Date;
  Date.now = wallClock;
  try {
    return work();
  } finally {
    Date.now = now;
  }
}

/** Steps the wall clock to so far from the right time. */
export function stepClock(offsetMs: number): void {
  offset = offsetMs;
}
