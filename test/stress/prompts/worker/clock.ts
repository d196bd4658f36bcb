// The clocks of a worker, as the client under test sees them.
import * as worker from "../../harness/worker.ts";
import type { Happening, Machine, Point } from "../messages.ts";

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

export const record = (happening: Happening): void => worker.record(happening);

/** Steps the wall clock of this process to so far from the right time. */
export function stepClock(offsetMs: number): void {
  if (offsetMs === offset) return;
  offset = offsetMs;
  record({ what: "clock", offsetMs });
}

/** Lets the incident of the current call happen if this is its point. */
export function reach(point: Point): void {
  const { offsetMs } = worker.reach(point);
  if (offsetMs !== undefined) stepClock(offsetMs);
}
