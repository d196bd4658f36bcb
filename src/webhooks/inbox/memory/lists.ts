import { asOwnEvent, conflictIdOf } from "../conflicts.ts";
import { conflictNotFound, deadLetterNotFound, doubleNotFound } from "../errors.ts";
import type { Conflict, DeadLetter, EventFilter, EventList } from "../event-list.ts";
import { compareEvents, matchesFilter } from "../event-pages.ts";
import { exactText } from "../text.ts";
import type { DoublePaymentList, NewDelivery } from "../types.ts";
import type { LiveEvent, MemoryLedger } from "./ledger.ts";

const pageOf = <Item extends Conflict>(all: readonly Item[], filter: EventFilter): Item[] =>
  all
    .filter((one) => matchesFilter(one, filter))
    .sort(compareEvents)
    .slice(0, filter.limit);

const listed = (id: string, { event, receivedAt, signature }: NewDelivery): Conflict => ({
  id,
  event,
  receivedAt,
  signature,
});

const deadLetterOf = ({ key, delivery, attempts, error }: LiveEvent): DeadLetter => ({
  ...listed(key, delivery),
  attempts,
  error,
});

const conflictOf = (delivery: NewDelivery): Conflict => listed(conflictIdOf(delivery), delivery);

/** @param requeued - Has an event processed. */
export function deadLetterList(
  ledger: MemoryLedger,
  requeued: (event: LiveEvent) => void,
): EventList<DeadLetter> {
  const find = (id: string): LiveEvent => {
    const event = ledger.event(id);
    if (event?.state !== "dead") throw deadLetterNotFound(id);
    return event as LiveEvent;
  };
  return {
    list: async (filter) => pageOf(ledger.in("dead").map(deadLetterOf), filter),
    read: async (id) => {
      const event = find(id);
      return { ...deadLetterOf(event), body: exactText(event.delivery.raw) };
    },
    requeue: async (ids) => {
      for (const event of ids.map(find)) {
        Object.assign(event, { state: "pending", attempts: 0, error: "" });
        requeued(event);
      }
    },
    drop: async (ids) => {
      for (const event of ids.map(find)) ledger.end(event);
    },
  };
}

/** @param requeued - Has an event processed. */
export function conflictList(
  ledger: MemoryLedger,
  requeued: (event: LiveEvent) => void,
): EventList<Conflict> {
  const find = (id: string): NewDelivery => {
    const delivery = ledger.openConflict(id);
    if (delivery === undefined) throw conflictNotFound(id);
    return delivery;
  };
  const decide = (ids: readonly string[]): NewDelivery[] => {
    const found = ids.map(find);
    for (const id of ids) ledger.decide(id);
    return found;
  };
  return {
    list: async (filter) => pageOf(ledger.openConflicts().map(conflictOf), filter),
    read: async (id) => {
      const delivery = find(id);
      return { ...conflictOf(delivery), body: exactText(delivery.raw) };
    },
    requeue: async (ids) => {
      for (const delivery of decide(ids)) ledger.accept(asOwnEvent(delivery), requeued);
    },
    drop: async (ids) => void decide(ids),
  };
}

export const doubleList = ({ doubles }: MemoryLedger): DoublePaymentList => ({
  add: async (double) => {
    if (doubles.has(double.id)) return false;
    doubles.set(double.id, double);
    return true;
  },
  list: async ({ kind: _, ...filter }) => {
    const open = [...doubles.values()].filter((double) => double !== undefined);
    return open
      .filter((one) => matchesFilter({ ...one, event: "" }, { ...filter, kind: undefined }))
      .sort(compareEvents)
      .slice(0, filter.limit);
  },
  drop: async (ids) => {
    for (const id of ids) if (doubles.get(id) === undefined) throw doubleNotFound(id);
    for (const id of ids) doubles.set(id, undefined);
  },
});
