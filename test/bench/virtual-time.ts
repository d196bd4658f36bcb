/** Replaces timers and `performance.now` by a clock that a benchmark moves. */
export interface VirtualTime {
  now(): number;
  /** Moves the clock millisecond by millisecond. `each` is called at every one, and returns whether it did something. */
  pass(ms: number, each?: (now: number) => boolean): Promise<void>;
  /** The highest number of timers that fired in one millisecond. */
  maxAtOnce(): number;
  /** Restores the real time. */
  end(): void;
}

type Timer = { readonly at: number; readonly run: () => void };

/** Installs virtual time. */
export function virtualTime(): VirtualTime {
  const real = { setTimeout, clearTimeout, now: performance.now };
  let now = 0;
  let max = 0;
  // Timers by the millisecond in which they fire.
  const due = new Map<number, Set<Timer>>();

  const set = (run: (...given: unknown[]) => void, ms = 1, ...given: unknown[]): Timer => {
    const at = now + Math.max(1, Math.trunc(ms));
    const timer = { at, run: () => run(...given) };
    due.set(at, (due.get(at) ?? new Set()).add(timer));
    return timer;
  };
  const clear = (timer: Timer | undefined) => void (timer && due.get(timer.at)?.delete(timer));
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  performance.now = () => now;

  return {
    now: () => now,
    maxAtOnce: () => max,
    pass: async (ms, each) => {
      await idle();
      for (const end = now + ms; now < end; ) {
        now++;
        const timers = due.get(now);
        due.delete(now);
        max = Math.max(max, timers?.size ?? 0);
        for (const { run } of timers ?? []) run();
        const acted = each?.(now) ?? false;
        if (timers !== undefined || acted) await idle();
      }
      await idle();
    },
    end: () => {
      Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
      performance.now = real.now;
    },
  };
}

/** Waits until nothing more happens at this time: a response in process takes a few turns of the loop. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}
