import { ConfigurationError } from "../../../errors/configuration.ts";
import { isPermanent, openAtStart } from "../../../storage/engine-away.ts";
import type { Tables } from "../../../storage/room.ts";
import type { Inbox, Lists, WorkerOptions } from "../inbox-types.ts";
import { Workers } from "../lease-workers.ts";
import type { Pace } from "../pace.ts";
import { reportOncePerMinute } from "../repeated-errors.ts";
import { horizonSteps, statsSteps } from "./count-events.ts";
import type { InboxStatement } from "./inbox-sql.ts";
import { InboxStore } from "./inbox-store.ts";
import { SqlLeases } from "./leases.ts";
import { listsOf } from "./lists.ts";

/** How an inbox works. */
export interface SqlInboxOptions {
  readonly retentionMs: number;
  readonly pace: Pace;
  /** What the user must know of the database at the start, beside what its tables tell. */
  readonly check?: () => readonly string[];
  readonly place?: (() => unknown) | undefined;
}

/** What every inbox in a database of SQL has. */
export type SqlInbox = Inbox & Lists & Required<Pick<Inbox, "stats" | "horizon" | "drain">>;

/** An inbox in the tables of a database. Its stop does not close the database. */
export function sqlInbox(tables: Tables<InboxStatement>, options: SqlInboxOptions): SqlInbox {
  const { retentionMs, pace, check = () => [], place } = options;
  const store: InboxStore = new InboxStore(tables, options, () => workers.arrived());
  const workers: Workers = new Workers(() => new SqlLeases(store), pace);
  const reported = (given: WorkerOptions): WorkerOptions => ({
    ...given,
    onError: reportOncePerMinute(given.onError),
  });
  return {
    retentionMs,
    ...(place && { place }),
    accept: (delivery) => store.accept(delivery),
    /** Resolves when the database was reached, or is away: then the worker goes on trying. */
    start: async (given) => {
      const worker = reported(given);
      let isStarting = true;
      // What the start rejects with is not reported, too.
      const onError = (error: unknown) => {
        if (!(isStarting && isPermanent(error))) worker.onError(error);
      };
      workers.start({ ...worker, onError });
      try {
        await openAtStart(tables.open(), store.timeoutMs, onError);
      } catch (error) {
        await workers.stop(0);
        throw error;
      }
      isStarting = false;
      for (const warning of [...check(), ...tables.takeWarnings()]) {
        worker.onError(new ConfigurationError(warning));
      }
    },
    stop: (timeoutMs) => workers.stop(timeoutMs),
    drain: (worker, limits) => workers.drain(reported(worker), limits),
    horizon: () => store.run(() => horizonSteps(store.sql.keepMs)),
    stats: () => store.run(() => statsSteps(workers.kinds)),
    ...listsOf(store, () => workers.arrived()),
  };
}
