/** Time that passes when it is told to, for everything that asks for timers and `performance.now`. */
export interface VirtualTime {
  now(): number;
  /** Lets time pass, a millisecond at a time. `each` is called at every one, and says whether it did something. */
  pass(ms: number, each?: (now: number) => boolean): Promise<void>;
  /** The most timers that ended in one millisecond. */
  mostAtOnce(): number;
  /** Puts the machine's time back. */
  end(): void;
}

type Timer = { readonly at: number; readonly run: () => void };

/** Puts virtual time in the place of the machine's. */
export function virtualTime(): VirtualTime {
  const real = { setTimeout, clearTimeout, now: performance.now };
  let now = 0;
  let most = 0;
  // By the millisecond that they end in: one Map a wheel.
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
    mostAtOnce: () => most,
    pass: async (ms, each) => {
      await quiet();
      for (const end = now + ms; now < end; ) {
        now++;
        const timers = due.get(now);
        due.delete(now);
        most = Math.max(most, timers?.size ?? 0);
        for (const { run } of timers ?? []) run();
        const acted = each?.(now) ?? false;
        if (timers !== undefined || acted) await quiet();
      }
      await quiet();
    },
    end: () => {
      Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
      performance.now = real.now;
    },
  };
}

/** Lets whatever can happen without time happen: answers in process take a few turns of the loop. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}
