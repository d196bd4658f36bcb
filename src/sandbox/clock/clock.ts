import type { Task } from "../state/records.ts";
import type { State } from "../state/state.ts";
import { clearTimeout, LONGEST_TIMEOUT_MS, machineTime, setTimeout } from "./machine.ts";
import { type Duration, durationMs } from "./time.ts";
import { addTimer, takeDue } from "./timer-queue.ts";

/** The sandbox's time: prompts, deliveries and their retries, and due dates all hang on it. */
export interface Clock {
  /** The present moment. Virtual time starts at 2026-01-01T09:00:00+03:00 and stands still. */
  now(): Date;
  /**
   * Moves time on: what falls due happens in order, and deliveries in flight have ended when the
   * promise resolves. Works on a real clock too, which then runs ahead.
   *
   * @param by - Milliseconds, or a number with its unit: `"61s"`, `"5m"`, `"2h"`.
   * @throws {ConfigurationError} where it is no length of time, or goes back.
   */
  advance(by: Duration): Promise<void>;
}

/** The clock as the rest of the sandbox uses it. */
export interface Scheduler extends Clock {
  readonly ms: () => number;
  schedule(inMs: number, task: Task): void;
  /** To be called after the state was replaced. */
  restart(): void;
}

/**
 * @param state - The state, which another may take the place of.
 * @param run - What a task does.
 * @param settled - Resolves when no delivery is in flight.
 */
export function createScheduler(
  mode: "virtual" | "real",
  state: () => State,
  run: (task: Task) => void,
  settled: () => Promise<void>,
): Scheduler {
  /** How far a real clock is ahead of the machine's. */
  let ahead = 0;
  let wake: ReturnType<typeof setTimeout> | undefined;
  let advancing: Promise<void> = Promise.resolve();

  const ms = () => (mode === "virtual" ? state().now : machineTime() + ahead);
  const moveTo = (at: number) => {
    if (mode === "virtual") state().now = at;
    else ahead = Math.max(ahead, at - machineTime());
  };

  /** Lets what is due by now happen, in order. */
  function runDue(): void {
    for (;;) {
      const task = takeDue(state().timers, ms());
      if (task === undefined) break;
      run(task);
    }
    arm();
  }

  function arm(): void {
    if (mode === "virtual") return;
    clearTimeout(wake);
    const next = state().timers[0];
    if (next === undefined) return;
    wake = setTimeout(runDue, Math.min(Math.max(next.at - ms(), 0), LONGEST_TIMEOUT_MS));
    // A sandbox that nobody serves must not keep a process alive.
    (wake as { unref?: () => void }).unref?.();
  }

  async function advanceBy(length: number, begun: State): Promise<void> {
    const target = ms() + length;
    await settled();
    // A world that has taken the place of this one meanwhile is not to be moved on.
    while (state() === begun) {
      const next = begun.timers[0];
      if (next === undefined || next.at > target) {
        moveTo(Math.max(target, ms()));
        return;
      }
      moveTo(Math.max(next.at, ms()));
      runDue();
      // What a delivery comes to decides what falls due next.
      await settled();
    }
  }

  return {
    ms,
    now: () => new Date(ms()),
    advance: async (by) => {
      const length = durationMs(by);
      const begun = state();
      advancing = advancing.then(() => advanceBy(length, begun));
      await advancing;
    },
    schedule: (inMs, task) => {
      const begun = state();
      addTimer(begun.timers, { at: ms() + inMs, turn: begun.nextTurn++, task });
      arm();
    },
    restart: () => {
      if (mode === "real") ahead = state().now - machineTime();
      advancing = Promise.resolve();
      arm();
    },
  };
}
