import { MAX_TIMEOUT_MS } from "../../internal/check-options.ts";
import { type Duration, durationMs } from "../../internal/duration.ts";
import type { State, Task } from "../state/stored.ts";
import { clearTimeout, machineTime, setTimeout } from "./time.ts";
import { addTimer, takeDueTask } from "./timer-queue.ts";

/** The sandbox's time. Prompts, deliveries, retries and due dates all depend on it. */
export interface Clock {
  /** The current time. Virtual time starts at 2026-01-01T09:00:00+03:00 and stands still. */
  now(): Date;
  /**
   * Moves the clock forward and runs everything that becomes due, in order. Resolves when no delivery
   * is in flight. It works on a real clock too, which then runs ahead of the machine's.
   *
   * @param by - Milliseconds, or a number with its unit: `"61s"`, `"5m"`, `"2h"`.
   * @throws {ConfigurationError} for a value that is not a duration, or is negative.
   *
   * @example
   * ```ts
   * await sandbox.clock.advance("61s"); // an unanswered prompt has expired
   * ```
   */
  advance(by: Duration): Promise<void>;
}

export interface SchedulerOptions {
  readonly mode: "virtual" | "real";
  /** The current state. `reset` and `restore` replace it. */
  readonly state: () => State;
  readonly run: (task: Task) => void;
  /** Resolves when no delivery is in flight. */
  readonly waitForDeliveries: () => Promise<void>;
}

/** Runs the tasks of the state when they are due, on virtual or on real time. */
export class Scheduler implements Clock {
  readonly #options: SchedulerOptions;
  /** How far a real clock is ahead of the machine's. */
  #aheadMs = 0;
  #wakeTimer: ReturnType<typeof setTimeout> | undefined;
  /** Calls of `advance` run one after another. */
  #advancing: Promise<void> = Promise.resolve();

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  ms(): number {
    const { mode, state } = this.#options;
    return mode === "virtual" ? state().now : machineTime() + this.#aheadMs;
  }

  now(): Date {
    return new Date(this.ms());
  }

  async advance(by: Duration): Promise<void> {
    const lengthMs = durationMs(by);
    const begun = this.#options.state();
    this.#advancing = this.#advancing.then(() => this.#advanceBy(lengthMs, begun));
    await this.#advancing;
  }

  schedule(inMs: number, task: Task): void {
    const state = this.#options.state();
    addTimer(state.timers, { at: this.ms() + inMs, turn: state.nextTurn++, task });
    this.#setWakeTimer();
  }

  /** Must be called after the state was replaced. */
  restart(): void {
    const { mode, state } = this.#options;
    if (mode === "real") this.#aheadMs = state().now - machineTime();
    this.#advancing = Promise.resolve();
    this.#setWakeTimer();
  }

  async #advanceBy(lengthMs: number, begun: State): Promise<void> {
    const { state, waitForDeliveries } = this.#options;
    const target = this.ms() + lengthMs;
    await waitForDeliveries();
    // A state that replaced this one in the meantime must not be advanced.
    while (state() === begun) {
      const next = begun.timers[0];
      if (next === undefined || next.at > target) {
        this.#moveTo(Math.max(target, this.ms()));
        return;
      }
      this.#moveTo(Math.max(next.at, this.ms()));
      this.#runDueTasks();
      // The result of a delivery decides what is due next.
      await waitForDeliveries();
    }
  }

  #moveTo(at: number): void {
    const { mode, state } = this.#options;
    if (mode === "virtual") state().now = at;
    else this.#aheadMs = Math.max(this.#aheadMs, at - machineTime());
  }

  #runDueTasks(): void {
    const { state, run } = this.#options;
    for (;;) {
      const task = takeDueTask(state().timers, this.ms());
      if (task === undefined) break;
      run(task);
    }
    this.#setWakeTimer();
  }

  /** On a real clock: wakes up when the next task is due. */
  #setWakeTimer(): void {
    const { mode, state } = this.#options;
    if (mode === "virtual") return;
    clearTimeout(this.#wakeTimer);
    const next = state().timers[0];
    if (next === undefined) return;
    const delayMs = Math.min(Math.max(next.at - this.ms(), 0), MAX_TIMEOUT_MS);
    this.#wakeTimer = setTimeout(() => this.#runDueTasks(), delayMs);
    // A sandbox that is not served must not keep the process alive. A browser's timer has no unref.
    (this.#wakeTimer as { unref?: () => void }).unref?.();
  }
}
