import { asOwnEvent, conflictIdOf } from "../conflicts.ts";
import type { Conflict, DeadLetter, EventFilter, EventList } from "../event-list.ts";
import { compareEvents, matchesFilter } from "../event-pages.ts";
import { exactText } from "../text.ts";
import type { NewDelivery } from "../types.ts";
import type { DeadEvent, MemoryStore } from "./store.ts";

/** A delivery as lists show it. The body is decoded only for those on the page. */
interface Listed {
  readonly id: string;
  readonly event: string;
  readonly receivedAt: number;
  readonly delivery: NewDelivery;
  readonly dead?: DeadEvent;
}

const listed = (id: string, delivery: NewDelivery, dead?: DeadEvent): Listed => {
  const { event, receivedAt } = delivery;
  return { id, event, receivedAt, delivery, ...(dead && { dead }) };
};

const pageOf = (all: readonly Listed[], filter: EventFilter): Listed[] =>
  all
    .filter((one) => matchesFilter(one, filter))
    .sort(compareEvents)
    .slice(0, filter.limit);

const fieldsOf = ({ id, event, receivedAt, delivery: { raw, signature } }: Listed): Conflict => ({
  id,
  event,
  body: exactText(raw),
  receivedAt,
  signature,
});

/** @param poll - Has the worker take what is due. */
export const deadLetterList = (store: MemoryStore, poll: () => void): EventList<DeadLetter> => ({
  list: async (filter) => {
    const all = store.dead().map((one) => listed(one.key, one.delivery, one));
    return pageOf(all, filter).map((one) => ({
      ...fieldsOf(one),
      attempts: one.dead?.attempts ?? 0,
      error: one.dead?.error ?? "",
    }));
  },
  requeue: async (ids) => {
    store.requeue(ids);
    poll();
  },
  drop: async (ids) => store.drop(ids),
});

/** @param poll - Has the worker take what is due. */
export const conflictList = (store: MemoryStore, poll: () => void): EventList<Conflict> => ({
  list: async (filter) => {
    const all = store.conflicts().map((delivery) => listed(conflictIdOf(delivery), delivery));
    return pageOf(all, filter).map(fieldsOf);
  },
  requeue: async (ids) => {
    for (const delivery of store.endConflicts(ids)) store.store(asOwnEvent(delivery));
    poll();
  },
  drop: async (ids) => void store.endConflicts(ids),
});
