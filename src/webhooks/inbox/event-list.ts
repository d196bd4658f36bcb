/** An event whose 12 attempts failed. It waits for a person to decide. */
export interface DeadLetter {
  /** What `requeue` and `drop` take. */
  readonly id: string;
  readonly event: string;
  /** The raw body, as text. */
  readonly body: string;
  readonly attempts: number;
  /** Why the last attempt failed. */
  readonly error: string;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The signature with which the event was received. */
  readonly signature?: string | undefined;
}

/** A delivery whose event was stored before with other `data`. It waits for a person to decide. */
export interface Conflict {
  /** What `requeue` and `drop` take. */
  readonly id: string;
  readonly event: string;
  /** The raw body, as text. */
  readonly body: string;
  /** In milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The signature with which the event was received. */
  readonly signature?: string | undefined;
}

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

/** Where an event stands in a list. */
export interface EventPosition {
  readonly receivedAt: number;
  readonly id: string;
}

/** The events of an inbox that wait for a person: its dead letters, or its conflicts. */
export interface EventList<Item extends EventPosition> {
  /** The first of them that match, ordered by `receivedAt`, then by `id` as text. */
  list(filter: EventFilter): Promise<Item[]>;
  /**
   * Processes them, as new events. Rejects where one of the ids is not in the list, before any of them
   * is requeued.
   */
  requeue(ids: readonly string[]): Promise<void>;
  /**
   * Forgets their bodies: a person has decided that nothing is to be done. Until the retention ends,
   * they are still recognised as duplicates. Rejects as `requeue` does.
   */
  drop(ids: readonly string[]): Promise<void>;
}
