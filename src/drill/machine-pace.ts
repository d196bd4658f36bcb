// How busy the machine is. A shop that is slow because other programs use the machine does not break a promise: every wait
// of a drill lasts as much longer as the drill itself runs slower.
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 10;
const TICK_MS = 20;
/** How often the slowness is measured. */
const WINDOW_MS = 200;
/** A window in which the drill worked for less says nothing about the machine. */
const MIN_WORK_MS = 10;
/** How much of the last window's slowness is taken over: one late timer does not make a machine slow. */
const WEIGHT = 0.3;
/** A drill with its shops keeps a small machine this busy by itself. */
const USUAL = 1.5;
/** From here on, what happens late may be the fault of the machine. */
const BUSY = 2;
/** No wait becomes longer than this many times, and by more than a minute. */
const MAX_SLOWNESS = 10;
const MAX_EXTRA_MS = 60_000;
/** A service that takes longer than this, without a fault, may run into the timeouts of a shop. */
export const MAX_SERVICE_MS = 800;
const KEPT_WINDOWS = 20_000;

interface Measured {
  readonly at: number;
  readonly slowness: number;
}

/** The CPU time of this thread, in milliseconds; before Node.js 23.9, of this process. */
function cpuMs(): number {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage)();
  return (user + system) / 1_000;
}

/** The time that passes for a program on this machine. */
class Pace {
  /** How many times slower than usual the machine runs now. */
  slowness = 1;
  #users = 0;
  #timer: NodeJS.Timeout | undefined;
  #passedMs = 0;
  #countedAt = performance.now();
  #window = { at: 0, ticks: 0, cpuMs: 0, load: performance.eventLoopUtilization() };
  readonly #measured: Measured[] = [];

  /** Begins to measure. Each user calls what it returns, once. */
  start(): () => void {
    if (this.#users++ === 0) {
      this.#begin();
      this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    }
    return () => {
      if (--this.#users === 0) clearInterval(this.#timer);
    };
  }

  /** The time that has passed for the programs of this machine: on a busy one, less than on a clock. */
  get nowMs(): number {
    const now = performance.now();
    this.#passedMs += (now - this.#countedAt) / this.slowness;
    this.#countedAt = now;
    return this.#passedMs;
  }

  /** How long a clock must wait for what takes a time on a machine that has time. */
  scale(ms: number): number {
    return Math.ceil(ms * this.slowness);
  }

  /** How many times slower than usual the machine was at most since a moment, from `performance.now()`. */
  slownessSince(time: number): number {
    const now = performance.now();
    // If this process could not run at all until now, the timer has not noticed it yet.
    let most = Math.max(this.slowness, (now - this.#window.at) / WINDOW_MS / 2);
    for (let at = this.#measured.length - 1; at >= 0; at--) {
      const one = this.#measured[at] as Measured;
      if (one.at < time) break;
      most = Math.max(most, one.slowness);
    }
    return most;
  }

  /** Whether what came late since a moment may be the fault of the machine. */
  wasBusySince(time: number): boolean {
    return this.slownessSince(time) >= BUSY;
  }

  #begin(): void {
    const load = performance.eventLoopUtilization();
    this.#window = { at: performance.now(), ticks: 0, cpuMs: cpuMs(), load };
  }

  #tick(): void {
    const { at, ticks, cpuMs: cpuBefore, load } = this.#window;
    this.#window.ticks++;
    const elapsedMs = performance.now() - at;
    if (elapsedMs < WINDOW_MS) return;
    const { active } = performance.eventLoopUtilization(load);
    // What the loop needed the CPU for, and what it got; and how late its timers came.
    const share = active < MIN_WORK_MS ? 1 : active / Math.max(cpuMs() - cpuBefore, 1);
    const lateness = elapsedMs / ((ticks + 1) * TICK_MS);
    this.#measure(Math.max(share, lateness));
    this.#begin();
  }

  #measure(slowness: number): void {
    // The time until now passed as slowly as it was known.
    void this.nowMs;
    const limited = Math.min(slowness < USUAL ? 1 : slowness, MAX_SLOWNESS);
    this.slowness += (limited - this.slowness) * WEIGHT;
    this.#measured.push({ at: performance.now(), slowness: this.slowness });
    if (this.#measured.length > KEPT_WINDOWS) this.#measured.splice(0, KEPT_WINDOWS / 2);
  }
}

/** The pace of this process: all shops of all drills in it share the machine. */
export const pace = new Pace();

/**
 * Waits until a condition holds, at most for a time of a machine that has time. Resolves with whether it holds.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  maxMs: number,
  pollMs = POLL_MS,
): Promise<boolean> {
  const deadline = pace.nowMs + maxMs;
  const lastDeadline = performance.now() + maxMs + MAX_EXTRA_MS;
  while (!(await condition())) {
    if (pace.nowMs > deadline || performance.now() > lastDeadline) return false;
    await sleep(pace.scale(pollMs));
  }
  return true;
}
