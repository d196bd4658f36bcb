import type { InboxStats } from "./inbox-types.ts";

/** The numbers of a kind of which events wait. PostgreSQL returns large ones as text. */
export type KindCounts = Readonly<
  Record<
    /** `count`: the running events included. `lag_ms`: how long the first event has been due. */
    "kind" | "count" | "running" | "retrying" | "oldest" | "oldest_retrying" | "lag_ms",
    unknown
  >
>;

/** Numbers by their names. PostgreSQL returns large ones as text. */
type Counts = Readonly<Record<string, unknown>>;

/** The smallest number; `null` if there is none. */
export function least(values: readonly unknown[]): number | null {
  const numbers = values.filter((value) => value !== null).map(Number);
  return numbers.length === 0 ? null : Math.min(...numbers);
}

/**
 * @param isOwn - Whether this process works on a kind.
 * @param lists - How many events, and how many conflicts, wait for a person.
 */
export function statsOf(
  all: readonly KindCounts[],
  isOwn: (kind: string) => boolean,
  lists: readonly Counts[],
): InboxStats {
  const sum = (counts: readonly Counts[], name: string) =>
    counts.reduce((total, one) => total + Number(one[name]), 0);
  const waitingOf = (counts: readonly KindCounts[]) =>
    sum(counts, "count") - sum(counts, "running");
  const handled = all.filter(({ kind }) => isOwn(String(kind)));
  return {
    waiting: waitingOf(all),
    unhandled: waitingOf(all) - waitingOf(handled),
    running: sum(all, "running"),
    dead: sum(lists, "dead"),
    conflicts: sum(lists, "conflicts"),
    retrying: sum(all, "retrying"),
    oldestRetrying: least(all.map((one) => one.oldest_retrying)),
    oldestWaiting: least(all.map(({ oldest }) => oldest)),
    lagMs: Math.max(0, ...handled.map((one) => Number(one.lag_ms))),
  };
}
