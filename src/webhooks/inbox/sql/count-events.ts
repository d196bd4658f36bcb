import type { Steps } from "../../../storage/sql-steps.ts";
import type { Horizon, InboxStats } from "../inbox-types.ts";
import { includesKind, type Kinds } from "../kinds.ts";
import { type KindCounts, statsOf } from "../stats.ts";
import type { InboxStatement } from "./inbox-sql.ts";

/** What an inbox holds. @param kinds - Those that this process works on. */
export function* statsSteps(kinds: Kinds): Steps<InboxStatement, InboxStats> {
  const counts = (yield ["counts", {}]).rows as readonly KindCounts[];
  const lists = (yield ["forAPerson", {}]).rows;
  return statsOf(counts, (kind) => includesKind(kinds, kind), lists);
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
