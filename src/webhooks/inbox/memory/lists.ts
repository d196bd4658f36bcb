import type { ConfigurationError } from "../../../errors/configuration.ts";
import { conflictIdOf, exactText } from "../delivery.ts";
import {
  conflictNotFound,
  deadLetterNotFound,
  doubleNotFound,
  waitingNotFound,
} from "../errors.ts";
import type {
  Conflict,
  DeadLetter,
  EventFilter,
  EventList,
  EventPosition,
  WaitingList,
} from "../event-list.ts";
import { compareEvents, matchesFilter } from "../event-pages.ts";
import type { DoublePaymentList, Inbox } from "../types.ts";
import type { LiveEntry, MemoryStore } from "./store.ts";

function pageOf<Item extends EventPosition>(all: readonly Item[], filter: EventFilter): Item[] {
  const matching = all.filter((one) => matchesFilter({ event: "", ...one }, filter));
  return matching.sort(compareEvents).slice(0, filter.limit);
}

const conflictOf = ({ delivery, state }: LiveEntry): Conflict => ({
  id: state === "conflict" ? conflictIdOf(delivery) : delivery.key,
  event: delivery.event,
  receivedAt: delivery.receivedAt,
  signature: delivery.signature,
});

const deadLetterOf = (entry: LiveEntry): DeadLetter => ({
  ...conflictOf(entry),
  attempts: entry.attempts,
  error: entry.error,
});

/** The lists of what waits for a person. @param requeued - Has what was requeued processed. */
export function listsOf(
  store: MemoryStore,
  requeued: () => void,
): Pick<Inbox, "deadLetters" | "conflicts" | "doublePayments" | "waiting"> {
  const listOf = <Item extends Conflict>(
    state: "dead" | "conflict",
    itemOf: (entry: LiveEntry) => Item,
    notFound: (id: string) => ConfigurationError,
  ): EventList<Item> => {
    const find = (id: string): LiveEntry => {
      const entry = store.entry(id);
      if (entry?.state !== state) throw notFound(id);
      return entry as LiveEntry;
    };
    return {
      list: async (filter) => pageOf(store.in(state).map(itemOf), filter),
      read: async (id) => {
        const entry = find(id);
        return { ...itemOf(entry), body: exactText(entry.delivery.raw) };
      },
      requeue: async (ids) => {
        for (const id of ids) find(id);
        for (const id of ids) store.requeue(id);
        requeued();
      },
      drop: async (ids) => {
        for (const id of ids) find(id);
        for (const id of ids) store.end(id);
      },
    };
  };
  return {
    deadLetters: listOf("dead", deadLetterOf, deadLetterNotFound),
    conflicts: listOf("conflict", conflictOf, conflictNotFound),
    doublePayments: doublesOf(store),
    waiting: waitingOf(store),
  };
}

const waitingOf = (store: MemoryStore): WaitingList => {
  const waiting = () => [...store.in("pending"), ...store.in("running")];
  return {
    list: async ({ isRetrying, ...filter }) => {
      const entries = waiting().filter(({ error }) => !isRetrying || error !== "");
      return pageOf(entries.map(deadLetterOf), filter);
    },
    read: async (id) => {
      const entry = waiting().find(({ delivery }) => delivery.key === id);
      if (entry === undefined) throw waitingNotFound(id);
      return { ...deadLetterOf(entry), body: exactText(entry.delivery.raw) };
    },
  };
};

const doublesOf = ({ doubles }: MemoryStore): DoublePaymentList => ({
  add: async (double) => {
    if (doubles.has(double.id)) return false;
    doubles.set(double.id, double);
    return true;
  },
  list: async (filter) => {
    const open = [...doubles.values()].filter((double) => double !== undefined);
    return pageOf(open, { ...filter, kind: undefined });
  },
  drop: async (ids) => {
    for (const id of ids) if (doubles.get(id) === undefined) throw doubleNotFound(id);
    for (const id of ids) doubles.set(id, undefined);
  },
});
