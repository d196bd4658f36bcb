import { required } from "../inbox/errors.ts";
import type {
  EventList,
  EventPage,
  EventPosition,
  EventQuery,
  WaitingEvent,
  WithBody,
} from "../inbox/event-list.ts";
import { listPage } from "../inbox/event-pages.ts";
import type { Inbox, StoredDoublePayment } from "../inbox/inbox-types.ts";

/** Events that wait for a person. Each method rejects if your own inbox cannot do it. */
export interface WaitingEvents<Item> {
  /**
   * A page of them, the oldest first.
   *
   * @param query - Set it to filter by kind and time, and to go on after the page before.
   *
   * @example
   * ```ts
   * let page = await receiver.deadLetters.list({ kind: "payment.completed" });
   * while (page.length > 0) {
   *   await receiver.deadLetters.requeue(page.map(({ id }) => id));
   *   page = await receiver.deadLetters.list({ kind: "payment.completed" });
   * }
   * ```
   */
  list(query?: EventQuery): Promise<EventPage<Item>>;
  /** One of them, with the raw body of its event. Rejects for an id that is not in the list. */
  read(id: string): Promise<WithBody<Item>>;
  /** Processes one or many, as new events. Rejects for an id that is not in the list. */
  requeue(id: string | readonly string[]): Promise<void>;
  /**
   * Drops the body of one or many: a person has decided that nothing is to be done. Rejects for an id
   * that is not in the list.
   */
  drop(id: string | readonly string[]): Promise<void>;
}

export function waitingEvents<Item extends EventPosition>(
  what: "dead letters" | "conflicts",
  list: EventList<Item> | undefined,
): WaitingEvents<Item> {
  const events = () => required(list, `list ${what}`);
  return {
    list: async (query) => listPage(events(), query),
    read: async (id) => events().read(String(id)),
    requeue: async (id) => events().requeue(idsOf(id)),
    drop: async (id) => events().drop(idsOf(id)),
  };
}

/** The events that are not processed yet. Each method rejects if your own inbox cannot list them. */
export interface PendingEvents {
  /**
   * A page of them, the oldest first.
   *
   * @param query - Set `isRetrying` to get only those whose last attempt failed.
   *
   * @example
   * ```ts
   * for (const { id, error } of await receiver.waiting.list({ isRetrying: true })) {
   *   console.log(id, error);
   * }
   * ```
   */
  list(
    query?: EventQuery & { readonly isRetrying?: boolean | undefined },
  ): Promise<EventPage<WaitingEvent>>;
  /** One of them, with the raw body of its event. Rejects for an event that is processed. */
  read(id: string): Promise<WithBody<WaitingEvent>>;
}

export function pendingEvents({ waiting: list }: Inbox): PendingEvents {
  const events = () => required(list, "list the events that wait");
  return {
    list: async ({ isRetrying = false, ...query } = {}) =>
      listPage({ list: (filter) => events().list({ ...filter, isRetrying }) }, query),
    read: async (id) => events().read(String(id)),
  };
}

/** The double payments of an inbox. Each method rejects if your own inbox cannot do it. */
export interface DoublePayments {
  /** A page of them, the oldest first. */
  list(query?: Omit<EventQuery, "kind">): Promise<EventPage<StoredDoublePayment>>;
  /** Takes one or many off the list, for ever. Rejects for an id that is not in the list. */
  drop(id: string | readonly string[]): Promise<void>;
}

export function doublePayments({ doublePayments: list }: Inbox): DoublePayments {
  const doubles = () => required(list, "list double payments");
  return {
    list: async (query) => listPage(doubles(), query),
    drop: async (id) => doubles().drop(idsOf(id)),
  };
}

/** Each id once, as text: plain JavaScript may pass something else. */
const idsOf = (id: string | readonly string[]): string[] => [
  ...new Set([id].flat().map((one) => String(one))),
];
