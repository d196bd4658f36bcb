import { ownOptions } from "../../../internal/check-options.ts";
import { WorkerSlot } from "../lease-worker.ts";
import { DEFAULT_PACE, type Pace, retentionFor } from "../pace.ts";
import type { Inbox } from "../types.ts";
import { type LiveEvent, MemoryLedger } from "./ledger.ts";
import { conflictList, deadLetterList, doubleList } from "./lists.ts";
import { MemoryStore } from "./store.ts";

const OPTIONS = ["retentionMs", "pace"];

/**
 * Keeps deliveries in this process: for tests and experiments. **A restart loses what was acknowledged
 * and not processed yet**, and other processes see nothing of it. Use `sqliteInbox` for a shop.
 *
 * @param options - `retentionMs`: how long processed events are remembered, in milliseconds, so that
 * late duplicates are recognised; at least one day, at most 68 years. Set it shorter if memory is short.
 * Default: 14 days.
 * @throws {ConfigurationError} for an unknown option or a wrong value.
 */
export function memoryInbox(
  options: {
    retentionMs?: number | undefined;
    /** @internal */
    pace?: Pace | undefined;
  } = {},
): Inbox {
  const own = ownOptions(options, OPTIONS, "memoryInbox");
  const { pace = DEFAULT_PACE } = own;
  const retentionMs = retentionFor(own.retentionMs, pace);
  const ledger = new MemoryLedger(retentionMs);
  const store = new MemoryStore(ledger, pace, retentionMs);
  const worker = new WorkerSlot();
  const offer = (event: LiveEvent) => {
    store.offer(event);
    worker.pollSoon();
  };
  // Without `retentionMs` and `horizon`: tests deliver recorded events, which may be of any age.
  return {
    accept: async (delivery) => ledger.accept(delivery, offer),
    start: async (workerOptions) => worker.start(store, workerOptions, pace),
    stop: (timeoutMs) => worker.stop(timeoutMs),
    drain: (workerOptions, limits) => worker.drain(store, workerOptions, pace, limits),
    deadLetters: deadLetterList(ledger, offer),
    conflicts: conflictList(ledger, offer),
    doublePayments: doubleList(ledger),
    stats: async () => store.stats(worker.queues),
  };
}
