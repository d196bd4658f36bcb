import type { Row, Steps } from "../../../storage/sql-steps.ts";
import type { Horizon, InboxStats } from "../inbox-types.ts";
import { includesKind, type Kinds } from "../kinds.ts";
import type { InboxStatement } from "./inbox-sql.ts";

/** The smallest number; `null` if there is none. */
function least(values: readonly unknown[]): number | null {
  const numbers = values.filter((value) => value !== null).map(Number);
  return numbers.length === 0 ? null : Math.min(...numbers);
}

const sum = (counts: readonly Row[], name: string): number =>
  counts.reduce((total, one) => total + Number(one[name]), 0);

const waitingOf = (counts: readonly Row[]): number => sum(counts, "count") - sum(counts, "running");

/** What an inbox holds. @param kinds - Those that this process works on. */
export function* statsSteps(kinds: Kinds): Steps<InboxStatement, InboxStats> {
  const all = (yield ["counts", {}]).rows;
  const lists = (yield ["forAPerson", {}]).rows;
  const handled = all.filter(({ kind }) => includesKind(kinds, String(kind)));
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

/**
 * Usually what the retention tells. An event that was signed after the last forgotten one is remembered, whatever the
 * retention is or was, and whatever the clock of the machine did.
 */
export function* horizonSteps(keepMs: number): Steps<InboxStatement, Horizon> {
  const [row] = (yield ["horizon", {}]).rows;
  const now = Math.min(Number(row?.now), Number(row?.wall));
  return { now, remembersSince: Math.max(now - keepMs, Number(row?.forgotten ?? 0)) };
}
