import { countSteps } from "./steps.ts";

/** Does something so often, one after another. */
export const inTurn = (work: () => Promise<unknown>) => async (times: number) => {
  for (let n = 0; n < times; n++) await work();
};

/** Something to measure. */
export interface Candidate {
  readonly name: string;
  /** Runs it a number of times. */
  run(times: number): unknown;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

const CLOCKS = {
  /** Microseconds of wall time. */
  wall: () => performance.now() * 1_000,
  /** Microseconds of CPU time of this process, which other processes do not change. */
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
};

/**
 * The median microseconds of one run of each candidate. Rounds are interleaved, and begin at another
 * candidate each time, so that a slow moment of the machine meets all of them alike.
 */
export async function medians(
  candidates: readonly Candidate[],
  {
    rounds,
    times,
    clock = "wall",
    what,
  }: {
    /** The subject, for who waits for it. */
    what: string;
    rounds: number;
    times: number;
    clock?: keyof typeof CLOCKS | undefined;
  },
): Promise<number[]> {
  const now = CLOCKS[clock];
  for (const candidate of candidates) await candidate.run(times);
  const taken = candidates.map((): number[] => []);
  const steps = countSteps(what, rounds * candidates.length);
  for (let round = 0; round < rounds; round++) {
    for (let step = 0; step < candidates.length; step++) {
      const index = (round + step) % candidates.length;
      const started = now();
      await candidates[index]?.run(times);
      taken[index]?.push((now() - started) / times);
      steps.step();
    }
  }
  steps.end();
  return taken.map(median);
}
