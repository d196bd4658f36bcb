import { ownOptions } from "../../../internal/check-options.ts";
import { WorkerSlot } from "../lease-worker.ts";
import { checkRetention, DEFAULT_PACE, type Pace } from "../pace.ts";
import type { Inbox } from "../types.ts";
import { conflictList, deadLetterList } from "./event-lists.ts";
import { MemoryStore } from "./store.ts";

const OPTIONS = ["retentionMs", "pace"];

/**
 * Keeps deliveries in this process: for tests and experiments. **A restart loses what was acknowledged
 * and not processed yet**, and other processes see nothing of it. Use `sqliteInbox` for a shop.
 *
 * @param options - `retentionMs`: how long processed events are remembered, in milliseconds, so that
 * late duplicates are recognised. Set it shorter where memory is short. Default: 14 days.
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
  const store = new MemoryStore(pace, checkRetention(own.retentionMs));
  const worker = new WorkerSlot();
  const poll = () => worker.pollSoon();
  // Without `retentionMs`: tests deliver recorded events, which may be of any age.
  return {
    accept: async (delivery) => {
      const receipt = store.store(delivery);
      if (receipt.kind === "accepted") poll();
      return receipt;
    },
    start: async (workerOptions) => {
      store.takeKinds(workerOptions);
      worker.start(store, workerOptions, pace);
    },
    stop: (timeoutMs) => worker.stop(timeoutMs),
    deadLetters: deadLetterList(store, poll),
    conflicts: conflictList(store, poll),
    stats: async () => store.stats(),
  };
}
