import type { Conflict, DeadLetter, EventList } from "./event-list.ts";

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
   * Set where the event must not be processed without a person: the inbox stores it as a dead letter
   * at once, with this text as its error. It is remembered by its key like any other event.
   */
  readonly deadLetterReason?: string | undefined;
}

/** The headers of a trace by the W3C recommendation, such as `traceparent`. */
export type TraceContext = Readonly<Record<string, string>>;

declare const STORED: unique symbol;

/**
 * Proof that a delivery is stored, from which the acknowledgement (200) is made. Only an inbox gives
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
}

/** Makes a receipt. For inboxes only, after their store has confirmed the write. */
export const receiptFor = (kind: Receipt["kind"]): Receipt => ({ kind }) as Receipt;

/** One stored delivery, to be processed. */
export interface Job {
  readonly key: string;
  readonly raw: Uint8Array;
  /** From 1. An attempt during which the process died counts. */
  readonly attempt: number;
  /** When the delivery was received, in milliseconds since the epoch, where the inbox keeps it. */
  readonly receivedAt?: number | undefined;
  /** As in the delivery. */
  readonly traceContext?: TraceContext | undefined;
  /** Aborts when this process may no longer process the job: its lease was lost, or a stop timed out. */
  readonly signal: AbortSignal;
  /** Where the inbox supports it: runs the handler's own writes and "processed" in one transaction. */
  readonly transaction?: Transaction;
}

/**
 * Runs `write` and "this event is processed" in one transaction of the inbox's database: both happen,
 * or neither. Resolves with what `write` gives. The connection depends on the inbox, so its type is
 * taken from the parameter of `write`: a `DatabaseSync` with `sqliteInbox`, a `PgBossTransaction` with
 * `pgBossInbox`.
 */
export type Transaction = <Result, Connection = unknown>(
  write: (connection: Connection) => Result | Promise<Result>,
) => Promise<Result>;

/** What an inbox holds, for a health route. */
export interface InboxStats {
  /** All events, the processed ones that are remembered included. */
  readonly stored: number;
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
  /** When the oldest waiting event was received, in milliseconds since the epoch; `null` for none. */
  readonly oldestWaiting: number | null;
  /** How long the first due event has been due, in milliseconds. Above a few seconds, it falls behind. */
  readonly lagMs: number;
}

/** How an inbox is to process its jobs. */
export interface WorkerOptions {
  /** Processes one job. A rejection is a failed attempt. */
  readonly run: (job: Job) => Promise<void>;
  /** How many jobs to process at the same time. */
  readonly concurrency: number;
  /** Called with failures outside the handlers: the engine is gone, or its settings lose data. */
  readonly onError: (error: unknown) => void;
  /**
   * The kinds of events that this process takes; all of them where it is missing. Others are kept for a
   * process that takes them, running now or started later. They use up no attempts, and are forgotten
   * when the retention ends.
   */
  readonly kinds?: readonly string[] | undefined;
  /** Called with the kind of an event that is kept for another process. */
  readonly onKept?: ((kind: string) => void) | undefined;
}

/**
 * Stores verified deliveries until they are processed. An accepted delivery is never lost: it is
 * processed until it succeeds or, after 12 attempts, becomes a dead letter.
 */
export interface Inbox {
  /** Stores a delivery. Resolves as soon as it is durable; rejects where it cannot be stored. */
  accept(delivery: NewDelivery): Promise<Receipt>;
  /** Begins to process. */
  start(options: WorkerOptions): Promise<void>;
  /** Takes no new jobs, waits at most `timeoutMs` for running ones, and hands the rest back. */
  stop(timeoutMs: number): Promise<void>;
  /** Events whose 12 attempts failed, where the inbox can give them. */
  readonly deadLetters?: EventList<DeadLetter> | undefined;
  /** The conflicts, where the inbox can give them. */
  readonly conflicts?: EventList<Conflict> | undefined;
  /** What it holds, where the inbox can count it. */
  stats?(): Promise<InboxStats>;
  /**
   * How long it remembers a processed event, in milliseconds. The receiver does not process an event
   * that is signed with an older timestamp: it may be a replay that nobody recognises any more.
   */
  readonly retentionMs?: number | undefined;
}

/** Attempts for each event, the first one included. */
export const MAX_ATTEMPTS = 12;
