import type { DoublePayment } from "../../contract/double-payment.ts";
import type { Conflict, DeadLetter, EventFilter, EventList, WaitingList } from "./event-list.ts";

/** A verified delivery, as an inbox stores it. */
export interface NewDelivery {
  /** Identifies the event: duplicates have the same key. 64 hexadecimal digits. */
  readonly key: string;
  /** The digest of the event's `data`: the same key with another digest is a conflict. */
  readonly digest: string;
  /** The event kind. */
  readonly event: string;
  /** The raw bytes that were signed. */
  readonly raw: Uint8Array;
  /** Index of the secret that signed it. */
  readonly secretIndex: number;
  /** When it was received, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The signature, as the service sent it: with it, the stored bytes can be delivered once more. */
  readonly signature?: string | undefined;
  /** The trace of the request, as W3C headers. The job has them again. */
  readonly traceContext?: TraceContext | undefined;
  /**
   * Set if the event must not be processed without a person: the inbox stores it as a dead letter
   * at once, with this text as its error. It is remembered by its key like any other event.
   */
  readonly deadLetterReason?: string | undefined;
  /**
   * The key that the event has without `identify`; if that is not set, without `merchant`. If an event
   * with this key and the same digest is stored, the delivery is a duplicate: the receiver may have used
   * that key before.
   */
  readonly formerKey?: string | undefined;
  /**
   * When the service signed it, in milliseconds since the epoch. The retention begins at the later of
   * this and the end of its processing. If it is missing (the event has no timestamp that can be read),
   * its key is remembered without end.
   */
  readonly signedAt?: number | undefined;
  /** How the event became known. A missing value stands for `webhook`. */
  readonly source?: EventSource | undefined;
}

/** How an event became known: the service delivered it, or `receiver.sweep()` read its payment. */
export type EventSource = "webhook" | "read";

/**
 * The headers of a trace by the W3C recommendation, such as `traceparent`. A receiver for many merchants
 * adds a header that says whose event it is.
 */
export type TraceContext = Readonly<Record<string, string>>;

declare const STORED: unique symbol;

/**
 * Proof that a delivery is stored, from which the acknowledgement (200) is made. Only an inbox makes
 * one, as soon as the stored delivery would survive the process.
 */
export interface Receipt {
  readonly [STORED]: true;
  /**
   * - `accepted`: stored now, and will be processed.
   * - `duplicate`: the event was stored before, with the same `data`.
   * - `conflict`: the event was stored before, with other `data`. Not processed.
   */
  readonly kind: "accepted" | "duplicate" | "conflict";
  /** The inbox has dealt with the whole event: whatever is wrong with it, it is no dead letter. */
  readonly isSettled?: boolean;
}

/** Makes a receipt. For inboxes only, after their store has confirmed the write. */
export const receiptFor = (kind: Receipt["kind"], settled?: "settled"): Receipt =>
  ({ kind, ...(settled && { isSettled: true }) }) as Receipt;

/** One stored delivery, to be processed. */
export interface Job {
  readonly key: string;
  readonly raw: Uint8Array;
  /** From 1. An attempt during which the process died counts. */
  readonly attempt: number;
  /** When the delivery was received, in milliseconds since the epoch, if the inbox stores it. */
  readonly receivedAt?: number | undefined;
  /** As in the delivery. */
  readonly traceContext?: TraceContext | undefined;
  /** As in the delivery. */
  readonly source?: EventSource | undefined;
  /** Aborts when this process may no longer process the job: its lease was lost, or a stop timed out. */
  readonly signal: AbortSignal;
  /**
   * Runs the handler's own writes and "processed" in one transaction. If it is missing, the handler gets
   * one that rejects with a `ConfigurationError`.
   */
  readonly transaction?: Transaction | undefined;
}

/**
 * Runs `write` and "this event is processed" in one transaction of the inbox's database: both happen,
 * or neither. Resolves with what `write` returns. The connection depends on the inbox, so its type is
 * taken from the parameter of `write`: a `DatabaseSync` with `sqlite()`, a client with `query`
 * with `postgres()`.
 */
export type Transaction = <Result, Connection = unknown>(
  write: (connection: Connection) => Result | Promise<Result>,
) => Promise<Result>;

/** What an inbox holds, for a health route. */
export interface InboxStats {
  /** All events, the processed ones that are remembered included. Only inboxes count it that need no scan. */
  readonly stored?: number;
  /** To be processed: now, at a retry, or by a process that has a handler for them. */
  readonly waiting: number;
  /** Of the waiting ones, those of a kind that this process neither handles nor ignores. */
  readonly unhandled: number;
  /** In progress, in all processes. */
  readonly running: number;
  /** Dead letters. */
  readonly dead: number;
  /** Conflicts that were neither requeued nor dropped. */
  readonly conflicts: number;
  /** Of the waiting ones, those whose last attempt failed. */
  readonly retrying: number;
  /** When the oldest retrying event was received, in milliseconds since the epoch; `null` for none. */
  readonly oldestRetrying: number | null;
  /** When the oldest waiting event was received, in milliseconds since the epoch; `null` for none. */
  readonly oldestWaiting: number | null;
  /** How long the first due event has been due, in milliseconds. Above a few seconds, it falls behind. */
  readonly lagMs: number;
}

/** How an inbox is to process its jobs. */
export interface WorkerOptions {
  /**
   * Processes one job. A rejection is a failed attempt. It is the last one if the error, or a cause of
   * it, has `isLastAttempt: true`: then the event becomes a dead letter at once.
   */
  readonly run: (job: Job) => Promise<void>;
  /** How many jobs to process at the same time. */
  readonly concurrency: number;
  /** Called with failures outside the handlers: the engine is gone, or its settings lose data. */
  readonly onError: (error: unknown) => void;
  /**
   * The kinds of events that this process works on; all if it is missing. Events of other kinds wait for a
   * process that works on them. They use up no attempts.
   */
  readonly kinds?: readonly string[] | undefined;
}

/**
 * Stores verified deliveries until they are processed. An accepted delivery is never lost: it is
 * processed until it succeeds or, after 12 attempts, becomes a dead letter.
 */
export interface Inbox {
  /** Stores a delivery. Resolves as soon as it is durable; rejects if it cannot be stored. */
  accept(delivery: NewDelivery): Promise<Receipt>;
  /** Begins to process. */
  start(options: WorkerOptions): Promise<void>;
  /** Takes no new jobs, waits at most `timeoutMs` for running ones, and hands the rest back. */
  stop(timeoutMs: number): Promise<void>;
  /** Events whose 12 attempts failed, if the inbox can list them. */
  readonly deadLetters?: EventList<DeadLetter> | undefined;
  /** The conflicts, if the inbox can list them. */
  readonly conflicts?: EventList<Conflict> | undefined;
  /** Events that are not processed yet, if the inbox can list them: for a person who looks. */
  readonly waiting?: WaitingList | undefined;
  /** What it holds, if the inbox can count it. */
  stats?(): Promise<InboxStats>;
  /**
   * How long it remembers a processed event, in milliseconds. The receiver does not process an event
   * that is signed with an older timestamp: it may be a replay that is not recognised any more. Leave it
   * out to have events of any age processed.
   */
  readonly retentionMs?: number | undefined;
  /**
   * Which events it can recognise, by the clock of its engine. Without it, the receiver goes by
   * `retentionMs` and its own clock.
   */
  horizon?(): Promise<Horizon>;
  /**
   * Processes what is due now, and returns: for functions and cron jobs. Works without `start`, and
   * beside other processes.
   */
  drain?(options: WorkerOptions, limits: DrainLimits): Promise<DrainResult>;
  /**
   * @internal Where it stores: equal for two inboxes of one database. Without it, or with `undefined`, no other one
   * has the same events.
   */
  readonly place?: () => unknown;
  /** Payments that look like the same money twice, if the inbox can store them. */
  readonly doublePayments?: DoublePaymentList | undefined;
}

/** The lists of an inbox that has all of them. */
export type Lists = Required<
  Pick<Inbox, "deadLetters" | "conflicts" | "waiting" | "doublePayments">
>;

/** What an inbox remembers. */
export interface Horizon {
  /** The time of the engine, in milliseconds since the epoch. */
  readonly now: number;
  /**
   * An event that was signed before this moment may have been processed and forgotten. It is the
   * earliest moment that every retention covers which a process of this inbox used lately.
   */
  readonly remembersSince: number;
}

/** When a `drain` ends, even if more is due. */
export interface DrainLimits {
  /** In milliseconds. Handlers that still run then are aborted, and their events handed back. */
  readonly timeoutMs: number;
  /** How many events to process at most. */
  readonly limit: number;
}

/** What a `drain` did. */
export interface DrainResult {
  /** Attempts that ended, the failed ones included. */
  readonly processed: number;
  /** Events that are due and were not processed. */
  readonly left: number;
}

/** A double payment, as an inbox stores it. */
export interface StoredDoublePayment extends DoublePayment {
  /** What `drop` takes: the same for every report of the same two payments. */
  readonly id: string;
  /** When it became known, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Whose payments they are, with a receiver for many merchants. */
  readonly merchant?: string | undefined;
}

/** The double payments of an inbox, each pair once. */
export interface DoublePaymentList {
  /** Stores a pair. Resolves with `false` if it is stored, or was dropped, already. */
  add(double: StoredDoublePayment): Promise<boolean>;
  /** The first of them that match, ordered by `receivedAt`, then by `id` as text. */
  list(filter: EventFilter): Promise<StoredDoublePayment[]>;
  /** A person has decided that nothing is to be done. Rejects if one of the ids is not in the list. */
  drop(ids: readonly string[]): Promise<void>;
}

/** Attempts for each event, the first one included. */
export const MAX_ATTEMPTS = 12;
