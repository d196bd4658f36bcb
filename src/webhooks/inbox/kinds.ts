/** Kinds of events that a process works on; `undefined` stands for all. */
export type Kinds = readonly string[] | undefined;

/** Whether events of this kind are among them. */
export const includesKind = (kinds: Kinds, kind: string): boolean =>
  kinds === undefined || kinds.includes(kind);

/** The queue of all kinds that have none. */
export const OTHER_QUEUE = "other";

/**
 * The queues in which inboxes store events. The names are part of what is stored, so this list never
 * changes: another version looks for an event in the queue in which this one has stored it. A kind that the service
 * documents later is stored in `other`, as the versions did that did not know it.
 */
export const QUEUES: readonly string[] = [
  "payment.completed",
  "payment.failed",
  "payment.initiated",
  "invoice.created",
  "invoice.paid",
  "invoice.overdue",
  "subscription.created",
  "subscription.canceled",
  OTHER_QUEUE,
];

/** The queue of an event. Their number does not depend on what senders write. */
export const queueOf = (kind: string): string => (QUEUES.includes(kind) ? kind : OTHER_QUEUE);

/** The queues that may have events of these kinds. */
export const queuesWith = (kinds: Kinds): readonly string[] =>
  kinds === undefined ? QUEUES : [...new Set(kinds.map(queueOf))];

/** The queues that have only events of these kinds. */
export const queuesOnlyWith = (kinds: Kinds): readonly string[] =>
  queuesWith(kinds).filter((queue) => kinds === undefined || queue !== OTHER_QUEUE);

/** Those of the kinds that share the last queue with others; none if it has only events of these kinds. */
export const kindsInOther = (kinds: Kinds): readonly string[] =>
  (kinds ?? []).filter((kind) => queueOf(kind) === OTHER_QUEUE);
