import { ownOptions } from "../../../internal/check-options.ts";
import { DEFAULT_PACE, type Pace, retentionFor } from "../pace.ts";
import type { Inbox } from "../types.ts";
import { Workers } from "../workers.ts";
import { listsOf } from "./lists.ts";
import { MemoryStore } from "./store.ts";

const OPTIONS = ["retentionMs", "pace"];

/**
 * Stores deliveries in this process: for tests and experiments. **A restart loses what was acknowledged
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
  const store = new MemoryStore(retentionFor(own.retentionMs, pace));
  const workers = new Workers(() => store, pace);
  // Without `retentionMs` and `horizon`: tests deliver recorded events, which may be of any age.
  return {
    accept: async (delivery) => {
      const receipt = store.accept(delivery);
      workers.pollSoon();
      return receipt;
    },
    start: async (workerOptions) => workers.start(workerOptions),
    stop: (timeoutMs) => workers.stop(timeoutMs),
    drain: (workerOptions, limits) => workers.drain(workerOptions, limits),
    stats: async () => store.stats(workers.queues),
    ...listsOf(store, () => workers.pollSoon()),
  };
}
