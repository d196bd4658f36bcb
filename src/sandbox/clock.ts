import { MAX_TIMEOUT_MS } from "../internal/check-options.ts";
import { type Duration, durationMs } from "../internal/duration.ts";
import { HOUR_MS } from "../internal/units.ts";
import type { State, Task, Timer } from "./state/stored.ts";

// Read once, when the module loads. A test that later installs fake timers or a fake date must not
// stop the sandbox.
export const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
export const machineTime: () => number = Date.now;

const OFFSET_MS = 3 * HOUR_MS;

/** A moment as the sandbox writes it: Nairobi time, to the second, with its offset. */
export function formatTimestamp(ms: number): string {
  return `${new Date(ms + OFFSET_MS).toISOString().slice(0, 19)}+03:00`;
}

/** The milliseconds of an ISO 8601 timestamp with an offset; `undefined` for any other value. */
export function parseTimestamp(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  if (!/^\d{4}-\d\d-\d\dT.+(?:Z|[+-]\d\d:\d\d)$/.test(value)) return undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? undefined : ms;
}

/** When virtual time begins. */
export const VIRTUAL_START: number = Date.parse("2026-01-01T09:00:00+03:00");

// Timers are a binary heap: the next one is the first, and none is due before its parent, which is at
// `(index - 1) >> 1`. Each payment has one: ten thousand of them must not slow down the next.

const isBefore = (one: Timer, other: Timer) =>
  one.at < other.at || (one.at === other.at && one.turn < other.turn);

/** Puts a timer at a free place, or at one above it. */
function rise(timers: Timer[], timer: Timer, from: number): void {
  let index = from;
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = timers[above] as Timer;
    if (!isBefore(timer, parent)) break;
    timers[index] = parent;
    index = above;
  }
  timers[index] = timer;
}

/** Puts a timer at a free place, or at one below it. */
function sink(timers: Timer[], timer: Timer, from: number): void {
  let index = from;
  for (;;) {
    const left = 2 * index + 1;
    if (left >= timers.length) break;
    const right = left + 1;
    const isRight =
      right < timers.length && isBefore(timers[right] as Timer, timers[left] as Timer);
    const child = isRight ? right : left;
    if (!isBefore(timers[child] as Timer, timer)) break;
    timers[index] = timers[child] as Timer;
    index = child;
  }
  timers[index] = timer;
}

export const addTimer = (timers: Timer[], timer: Timer): void => rise(timers, timer, timers.length);

/** Removes the timer at a place, which the last one takes. */
function removeTimer(timers: Timer[], index: number): Timer | undefined {
  const removed = timers[index];
  const last = timers.pop();
  if (last === undefined || index >= timers.length) return removed;
  const above = timers[(index - 1) >> 1];
  if (index > 0 && above !== undefined && isBefore(last, above)) rise(timers, last, index);
  else sink(timers, last, index);
  return removed;
}

/** Removes the next timer and returns its task, if it is due by `now`. */
export function takeDueTask(timers: Timer[], now: number): Task | undefined {
  const [next] = timers;
  return next === undefined || next.at > now ? undefined : removeTimer(timers, 0)?.task;
}

/** The first timer to be due whose task matches. */
export function timerOf(
  timers: readonly Timer[],
  matches: (task: Task) => boolean,
): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) {
    if (matches(timer.task) && (first === undefined || isBefore(timer, first))) first = timer;
  }
  return first;
}

/** Cancels that timer. Returns whether there was one. */
export function cancelTimer(timers: Timer[], matches: (task: Task) => boolean): boolean {
  const timer = timerOf(timers, matches);
  if (timer !== undefined) removeTimer(timers, timers.indexOf(timer));
  return timer !== undefined;
}

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

/** What the scheduler needs of its sandbox. */
interface Scheduled {
  /** The current state. `reset` and `restore` replace it. */
  readonly state: State;
  readonly deliveries: { settled(): Promise<void> };
  run(task: Task): void;
  changed(): void;
}

/** Runs the tasks of the state when they are due, on virtual or on real time. */
export class Scheduler implements Clock {
  readonly #mode: "virtual" | "real";
  readonly #sandbox: Scheduled;
  /** How far a real clock is ahead of the machine's. */
  #aheadMs = 0;
  #wakeTimer: ReturnType<typeof setTimeout> | undefined;
  /** Calls of `advance` run one after another. */
  #advancing: Promise<void> = Promise.resolve();

  constructor(mode: "virtual" | "real", sandbox: Scheduled) {
    this.#mode = mode;
    this.#sandbox = sandbox;
  }

  ms(): number {
    return this.#mode === "virtual" ? this.#sandbox.state.now : machineTime() + this.#aheadMs;
  }

  now(): Date {
    return new Date(this.ms());
  }

  async advance(by: Duration): Promise<void> {
    const lengthMs = durationMs(by);
    const { state } = this.#sandbox;
    this.#advancing = this.#advancing.then(() => this.#advanceBy(lengthMs, state));
    await this.#advancing;
    this.#sandbox.changed();
  }

  schedule(inMs: number, task: Task): void {
    const { state } = this.#sandbox;
    addTimer(state.timers, { at: this.ms() + inMs, turn: state.nextTurn++, task });
    this.#setWakeTimer();
  }

  /** Must be called after the state was replaced. */
  restart(): void {
    if (this.#mode === "real") this.#aheadMs = this.#sandbox.state.now - machineTime();
    this.#advancing = Promise.resolve();
    this.#setWakeTimer();
  }

  async #advanceBy(lengthMs: number, begun: State): Promise<void> {
    const { deliveries } = this.#sandbox;
    const target = this.ms() + lengthMs;
    await deliveries.settled();
    // A state that replaced this one in the meantime must not be advanced.
    while (this.#sandbox.state === begun) {
      const next = begun.timers[0];
      if (next === undefined || next.at > target) {
        this.#moveTo(Math.max(target, this.ms()));
        return;
      }
      this.#moveTo(Math.max(next.at, this.ms()));
      this.#runDueTasks();
      // The result of a delivery decides what is due next.
      await deliveries.settled();
    }
  }

  #moveTo(at: number): void {
    if (this.#mode === "virtual") this.#sandbox.state.now = at;
    else this.#aheadMs = Math.max(this.#aheadMs, at - machineTime());
  }

  #runDueTasks(): void {
    for (;;) {
      const task = takeDueTask(this.#sandbox.state.timers, this.ms());
      if (task === undefined) break;
      this.#sandbox.run(task);
      this.#sandbox.changed();
    }
    this.#setWakeTimer();
  }

  /** On a real clock: wakes up when the next task is due. */
  #setWakeTimer(): void {
    if (this.#mode === "virtual") return;
    clearTimeout(this.#wakeTimer);
    const [next] = this.#sandbox.state.timers;
    if (next === undefined) return;
    const delayMs = Math.min(Math.max(next.at - this.ms(), 0), MAX_TIMEOUT_MS);
    this.#wakeTimer = setTimeout(() => this.#runDueTasks(), delayMs);
    // A sandbox that is not served must not keep the process alive. A browser's timer has no unref.
    (this.#wakeTimer as { unref?: () => void }).unref?.();
  }
}
