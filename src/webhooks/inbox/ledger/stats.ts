import type { InboxStats } from "../inbox-types.ts";
import type { LedgerRow } from "./rows.ts";
import type { Dialect } from "./tables.ts";

/** The numbers of a kind of which events wait. PostgreSQL returns large ones as text. */
export type KindCounts = Readonly<
  Record<
    /** `count`: the running events included. `lag`: how long the first event has been due. */
    "kind" | "count" | "running" | "retrying" | "oldest" | "oldest_retrying" | "lag",
    unknown
  >
>;

/** A statement: how many events, and how many conflicts, wait for a person. */
export const forAPerson = ({ tables }: Dialect): string => `
  SELECT (SELECT count(*) FROM ${tables.events} WHERE state = 'dead') AS dead,
    (SELECT count(*) FROM ${tables.conflicts} WHERE state = 'open') AS conflicts`;

/** The smallest number; `null` if there is none. */
export function least(values: readonly unknown[]): number | null {
  const numbers = values.filter((value) => value !== null).map(Number);
  return numbers.length === 0 ? null : Math.min(...numbers);
}

/**
 * @param isOwn - Whether this process works on a kind.
 * @param lists - Rows of {@link forAPerson}.
 */
export function statsOf(
  all: readonly KindCounts[],
  isOwn: (kind: string) => boolean,
  lists: readonly LedgerRow[],
): InboxStats {
  const sum = (counts: readonly LedgerRow[], name: string) =>
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
    lagMs: Math.max(0, ...handled.map(({ lag }) => Number(lag))),
  };
}
