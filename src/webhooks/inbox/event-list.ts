/** An event that waits for a person, as a list shows it: its body is read by its id. */
export interface Conflict {
  /** What `read`, `requeue` and `drop` take. */
  readonly id: string;
  readonly event: string;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The signature with which the event was received. */
  readonly signature?: string | undefined;
}

/** An event whose 12 attempts failed. It waits for a person to decide. */
export interface DeadLetter extends Conflict {
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly error: string;
}

/** An event that is not processed yet: it waits, is in progress, or is tried again. */
export interface WaitingEvent extends Conflict {
  /** Attempts that have begun. */
  readonly attempts: number;
  /** Why the last attempt failed; empty before the first one has failed. */
  readonly error: string;
}

/** An item of a list with the raw body of its event, as text. */
export type WithBody<Item> = Item & { readonly body: string };

/** Which events a list returns. */
export interface EventQuery {
  /** Only events of this kind, such as `payment.completed`. */
  readonly kind?: string | undefined;
  /** Only events that were received at this moment or later. */
  readonly since?: Date | undefined;
  /** Only events that were received before this moment. */
  readonly until?: Date | undefined;
  /** The page after the one that has this as its `next`. */
  readonly after?: string | undefined;
  /**
   * How many events a page has at most, from 1 to 1,000.
   * @default 100
   */
  readonly limit?: number | undefined;
}

/** A page of events, the oldest first. */
export interface EventPage<Item> extends Array<Item> {
  /** What `after` takes for the next page; `undefined` on the last page. */
  readonly next: string | undefined;
}

/** A query as an inbox takes it: checked, with the defaults. */
export interface EventFilter {
  readonly kind: string | undefined;
  /** Received at this moment or later, in milliseconds since the epoch. */
  readonly since: number | undefined;
  /** Received before this moment, in milliseconds since the epoch. */
  readonly until: number | undefined;
  /** Only what comes after this event, in the order of `receivedAt`, then of `id` as text. */
  readonly after: EventPosition | undefined;
  /** How many events to return at most. */
  readonly limit: number;
}

/** The position of an event in a list. */
export interface EventPosition {
  readonly receivedAt: number;
  readonly id: string;
}

/** The events of an inbox that wait for a person: its dead letters, or its conflicts. */
export interface EventList<Item extends EventPosition> {
  /** The first of them that match, ordered by `receivedAt`, then by `id` as text. No body is read. */
  list(filter: EventFilter): Promise<Item[]>;
  /** One of them with its body. Rejects if the id is not in the list. */
  read(id: string): Promise<WithBody<Item>>;
  /**
   * Processes them, as new events. Rejects if one of the ids is not in the list, before any of them is
   * requeued.
   */
  requeue(ids: readonly string[]): Promise<void>;
  /**
   * Deletes their bodies: a person has decided that nothing is to be done. Until the retention ends,
   * they are still recognised as duplicates. Rejects as `requeue` does.
   */
  drop(ids: readonly string[]): Promise<void>;
}

/** The events that are not processed yet. */
export interface WaitingList {
  /**
   * The first of them that match, ordered by `receivedAt`, then by `id` as text. No body is read.
   * `isRetrying`: only those whose last attempt failed.
   */
  list(filter: EventFilter & { readonly isRetrying?: boolean }): Promise<WaitingEvent[]>;
  /** One of them with its body. Rejects if it is processed, or was never stored. */
  read(id: string): Promise<WithBody<WaitingEvent>>;
}
