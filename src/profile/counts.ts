import type { Counts } from "./types.ts";

/** How often in all runs. */
export const total = (counts: Counts | undefined): number =>
  Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);

/** Text order by code units, the same on every machine. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
