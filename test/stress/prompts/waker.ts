import type { ChildProcess } from "node:child_process";
import { hasEnded } from "../../../src/drill/child.ts";
import type { HistoryEvent } from "./history/event.ts";
import { waitUntil } from "./waits.ts";

/** Wakes a process that stops itself, as often as it does. */
export interface Waker {
  /** Takes in what the process has reported. */
  see(event: HistoryEvent): void;
  /**
   * How to wake the process from the sleep that it has reported last. The function resolves when that
   * sleep is over, also if something else has ended it.
   */
  fromLastSleep(): () => Promise<void>;
}

const WAKE_INTERVAL_MS = 10;

/** How long a process on a busy machine may take to wake. */
const MAX_WAKE_MS = 60_000;

/** @param who - The process, in errors. */
export function createWaker(
  who: string,
  child: ChildProcess,
  maxWakeMs: number = MAX_WAKE_MS,
): Waker {
  let sleeps = 0;
  let wakes = 0;
  return {
    see: ({ what }) => {
      if (what === "asleep") sleeps++;
      if (what === "awake") wakes++;
    },
    fromLastSleep: () => {
      const sleep = sleeps;
      return () =>
        waitUntil(
          () => {
            if (wakes >= sleep || hasEnded(child)) return true;
            // A process reports that it stops, and then stops: the first signal may come too early.
            // One that comes too late ends the next sleep.
            child.kill("SIGCONT");
            return false;
          },
          { what: () => `${who} to wake`, limitMs: maxWakeMs, intervalMs: WAKE_INTERVAL_MS },
        );
    },
  };
}
