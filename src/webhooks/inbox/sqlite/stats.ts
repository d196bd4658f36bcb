import type { DatabaseSync, StatementSync } from "node:sqlite";
import { uptimeMs } from "../../../internal/retention-clock.ts";
import { prepareAll } from "../../../internal/sqlite/transaction.ts";
import type { InboxStats } from "../types.ts";
import { COUNTS } from "./statements.ts";

interface QueueCounts {
  readonly queue: string;
  readonly count: number;
  readonly due: number;
  readonly running: number;
  readonly retrying: number;
  readonly oldest: number | null;
  readonly oldestRetrying: number | null;
}

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

const least = (values: readonly (number | null)[]): number | null => {
  const numbers = values.filter((value) => value !== null);
  return numbers.length === 0 ? null : Math.min(...numbers);
};

/** Counts what an inbox holds, by indexes that hold only what is not processed. */
export class Stats {
  readonly #statements: Record<keyof typeof COUNTS, StatementSync>;

  constructor(database: DatabaseSync) {
    this.#statements = prepareAll(database, COUNTS);
  }

  /** @param queues - Those that this process works on. */
  count(queues: readonly string[]): InboxStats {
    const now = uptimeMs();
    const all = this.#statements.pending.all(now) as unknown as QueueCounts[];
    const own = all.filter(({ queue }) => queues.includes(queue));
    const waitingOf = (counts: readonly QueueCounts[]) =>
      sum(counts.map(({ count, running }) => count - running));
    const firstDue = least(own.map(({ due }) => due)) ?? now;
    return {
      waiting: waitingOf(all),
      unhandled: waitingOf(all) - waitingOf(own),
      running: sum(all.map(({ running }) => running)),
      dead: Number(this.#statements.dead.get()?.count),
      conflicts: Number(this.#statements.conflicts.get()?.count),
      retrying: sum(all.map(({ retrying }) => retrying)),
      oldestRetrying: least(all.map(({ oldestRetrying }) => oldestRetrying)),
      oldestWaiting: least(all.map(({ oldest }) => oldest)),
      lagMs: Math.max(0, now - firstDue),
    };
  }
}
