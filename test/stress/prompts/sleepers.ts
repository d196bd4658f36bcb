import type { Pool } from "./pool.ts";

/** A worker that falls asleep in its next job. */
interface Sleeper {
  readonly pool: Pool;
  readonly index: number;
  /** Another order may have it. */
  release(): void;
}

/** The workers that fall asleep. Each has one order at a time, so that no other worker waits for it. */
export interface Sleepers {
  readonly size: number;
  /** Waits for one that is awake. */
  take(): Promise<Sleeper>;
}

export function createSleepers(pool: Pool): Sleepers {
  const free = Array.from({ length: pool.size }, (_, index) => index);
  const waiting: ((index: number) => void)[] = [];
  return {
    size: pool.size,
    take: async () => {
      const index = free.shift() ?? (await new Promise<number>((given) => waiting.push(given)));
      return {
        pool,
        index,
        release: () => {
          const next = waiting.shift();
          if (next === undefined) free.push(index);
          else next(index);
        },
      };
    },
  };
}
