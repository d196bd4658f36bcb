import { checkOptions } from "../../../internal/check-options.ts";
import { conflictIdOf, exactText } from "../delivery.ts";
import { notFoundIn } from "../errors.ts";
import type { Conflict, DeadLetter, EventFilter } from "../event-list.ts";
import { pageOf } from "../event-pages.ts";
import type { DoublePaymentList, Inbox, Lists } from "../inbox-types.ts";
import { Workers } from "../lease-workers.ts";
import { INBOX_OPTIONS, type Pace } from "../pace.ts";
import { type Entry, MemoryStore } from "./inbox-store.ts";

const conflictOf = ({ delivery, state }: Entry): Conflict => ({
  id: state === "conflict" ? conflictIdOf(delivery) : delivery.key,
  event: delivery.event,
  receivedAt: delivery.receivedAt,
  signature: delivery.signature,
});

const deadLetterOf = (entry: Entry): DeadLetter => ({
  ...conflictOf(entry),
  attempts: entry.attempts,
  error: entry.error,
});

/** The lists of what waits for a person. @param requeued - Has what was requeued processed. */
function listsOf(store: MemoryStore, requeued: () => void): Lists {
  const listOf = <Item extends Conflict>(
    name: keyof Lists,
    states: readonly Entry["state"][],
    itemOf: (entry: Entry) => Item,
  ) => {
    const find = (id: string): Entry => {
      const entry = store.entry(id);
      if (entry === undefined || !states.includes(entry.state)) throw notFoundIn(name, id);
      return entry;
    };
    return {
      list: async ({ isRetrying, ...filter }: EventFilter & { readonly isRetrying?: boolean }) => {
        const entries = store.in(...states).filter(({ error }) => !isRetrying || error !== "");
        return pageOf(entries.map(itemOf), filter);
      },
      read: async (id: string) => {
        const entry = find(id);
        return { ...itemOf(entry), body: exactText(entry.delivery.raw) };
      },
      requeue: async (ids: readonly string[]) => {
        for (const id of ids) find(id);
        for (const id of ids) store.requeue(id);
        requeued();
      },
      drop: async (ids: readonly string[]) => {
        for (const id of ids) find(id);
        for (const id of ids) store.end(id);
      },
    };
  };
  const { list, read } = listOf("waiting", ["pending", "running"], deadLetterOf);
  return {
    deadLetters: listOf("deadLetters", ["dead"], deadLetterOf),
    conflicts: listOf("conflicts", ["conflict"], conflictOf),
    waiting: { list, read },
    doublePayments: doublesOf(store),
  };
}

const doublesOf = ({ doubles }: MemoryStore): DoublePaymentList => ({
  add: async (double) => {
    if (doubles.has(double.id)) return false;
    doubles.set(double.id, double);
    return true;
  },
  list: async (filter) =>
    pageOf(
      [...doubles.values()].filter((double) => double !== undefined),
      filter,
    ),
  drop: async (ids) => {
    for (const id of ids) if (doubles.get(id) === undefined) throw notFoundIn("doublePayments", id);
    for (const id of ids) doubles.set(id, undefined);
  },
});

/**
 * Stores deliveries in this process: for tests and experiments. **A restart loses what was acknowledged
 * and not processed yet**, and other processes see nothing of it. Use `sqlite(path)` for a shop.
 *
 * @param options - `retentionMs`: how long processed events are remembered, in milliseconds, so that
 * late duplicates are recognised; at least one day, at most 68 years. Each takes 0.3 kB of memory until
 * then: a million events take 300 MB. Set it shorter if memory is short.
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
  const { retentionMs, pace } = checkOptions(options, INBOX_OPTIONS, "memoryInbox");
  const store = new MemoryStore(retentionMs);
  const workers = new Workers(() => store, pace);
  // Without `retentionMs` and `horizon`: tests deliver recorded events, which may be of any age.
  return {
    accept: async (delivery) => {
      const receipt = store.accept(delivery);
      workers.arrived();
      return receipt;
    },
    start: async (workerOptions) => workers.start(workerOptions),
    stop: (timeoutMs) => workers.stop(timeoutMs),
    drain: (workerOptions, limits) => workers.drain(workerOptions, limits),
    stats: async () => store.stats(workers.kinds),
    ...listsOf(store, () => workers.arrived()),
  };
}
