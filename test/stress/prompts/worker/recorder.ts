import { AsyncLocalStorage } from "node:async_hooks";
import * as harness from "../../harness/worker.ts";
import type { Happening, Point } from "../history/event.ts";
import { clockOffset, stepClock } from "./worker-clock.ts";

/** What a worker knows of the call that it makes now. */
export interface CallContext {
  readonly key: string;
  /** The attempt that the store has begun for it. */
  attempt?: string | undefined;
  /** Where this worker stops in the middle of the call, once. */
  stopAt?: Point | undefined;
}

/** The call in which the current code runs. */
export const currentCall = new AsyncLocalStorage<CallContext>();

export const record = (happening: Happening): void => harness.record(happening);

/** Steps the wall clock of this process. */
export function recordClockStep(offsetMs: number): void {
  if (offsetMs === clockOffset()) return;
  stepClock(offsetMs);
  record({ what: "clock", offsetMs });
}

/** Lets the incident of the current call happen if this is its point. */
export function reach(point: Point): void {
  const call = currentCall.getStore();
  if (call?.stopAt !== point) return;
  call.stopAt = undefined;
  const { offsetMs } = harness.stop({ key: call.key, point, attempt: call.attempt });
  if (offsetMs !== undefined) recordClockStep(offsetMs);
}
