import { AsyncLocalStorage } from "node:async_hooks";
import { writeSync } from "node:fs";
import { type Happening, historyTime, type Point } from "../history/event.ts";
import type { Incident } from "../incidents/incident.ts";
import { clockOffset, hideSleep, stepClock } from "./worker-clock.ts";

/** What a worker knows of the call that it makes now. */
export interface CallContext {
  readonly key: string;
  /** The attempt that the store has begun for it. */
  attempt?: string | undefined;
  /** What is to happen to this worker in the middle of the call. */
  incident?: Incident | undefined;
}

/** The call in which the current code runs. */
export const currentCall = new AsyncLocalStorage<CallContext>();

/** The pipe to the campaign. */
const REPORT_DESCRIPTOR = 4;

/** Reports at once: a worker that is killed right after this has reported. */
export function record(happening: Happening): void {
  const left = Buffer.from(`${JSON.stringify({ at: historyTime(), ...happening })}\n`);
  for (let written = 0; written < left.length; ) {
    try {
      written += writeSync(REPORT_DESCRIPTOR, left, written);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  }
}

/** Steps the wall clock of this process. */
export function recordClockStep(offsetMs: number): void {
  if (offsetMs === clockOffset()) return;
  stepClock(offsetMs);
  record({ what: "clock", offsetMs });
}

/**
 * Lets the incident of the current call happen if this is its point. A worker stops in the middle of
 * its code, as a suspended machine does: no timer can end the call in the meantime.
 */
export function reach(point: Point): void {
  const call = currentCall.getStore();
  const { incident, key, attempt } = call ?? {};
  if (call === undefined || key === undefined || incident?.at !== point) return;
  call.incident = undefined;
  if (incident.act === "clock") {
    recordClockStep(incident.offsetMs);
    return;
  }
  record({ what: "asleep", key, attempt, point, act: incident.act });
  const from = historyTime();
  process.kill(process.pid, "SIGSTOP");
  hideSleep(historyTime() - from);
  record({ what: "awake", key, attempt });
}
