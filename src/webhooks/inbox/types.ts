import { ConfigurationError } from "../../errors/configuration.ts";

/** A verified delivery, as an inbox stores it. */
export interface NewDelivery {
  /** What repeats are told by: the same event has the same key. Hexadecimal, 64 digits. */
  readonly key: string;
  /** What a repeat must equal: the digest of the event's `data`. */
  readonly digest: string;
  /** The event kind. */
  readonly event: string;
  /** The raw bytes that were signed. */
  readonly raw: Uint8Array;
  /** Index of the secret that signed it. */
  readonly secretIndex: number;
  /** When it came, in milliseconds since the epoch. */
  readonly receivedAt: number;
}

declare const STORED: unique symbol;

/**
 * Proof that a delivery is stored: what a 200 is made of. Only an inbox gives one, once what it says
 * would outlive the process.
 */
export interface Receipt {
  readonly [STORED]: true;
  /** `duplicate`: it was stored before. `conflict`: the key was, with other `data`. */
  readonly standing: "accepted" | "duplicate" | "conflict";
}

/** For inboxes alone, and only after the store has said that it is done. */
export const receiptFor = (standing: Receipt["standing"]): Receipt => ({ standing }) as Receipt;

/** One stored delivery, to be worked off. */
export interface Job {
  readonly key: string;
  readonly raw: Uint8Array;
  /** From 1. A process that died counts. */
  readonly attempt: number;
  /** Aborts where the work is no longer this process's: a lost lease, the end of a stop. */
  readonly signal: AbortSignal;
  /** Where the inbox can: runs the handler's own writes and "done" in one transaction. */
  readonly transaction?: Transaction;
}

/**
 * Runs `write` and "this event is done" in one transaction of the inbox's database: both happen, or
 * neither. Gives what `write` gives. What the connection is depends on the inbox, so its type is taken
 * from the parameter of `write`: a `DatabaseSync` with `sqliteInbox`, a `PgBossTransaction` with
 * `pgBossInbox`.
 */
export type Transaction = <Result, Connection = unknown>(
  write: (connection: Connection) => Result | Promise<Result>,
) => Promise<Result>;

/** An event that was given up. */
export interface DeadLetter {
  /** What `requeue` takes. */
  readonly id: string;
  readonly event: string;
  /** The raw body, as text. */
  readonly body: string;
  readonly attempts: number;
  /** What the last attempt failed with. */
  readonly error: string;
}

/** How an inbox is to work. */
export interface Work {
  /** Works one delivery. A rejection is a failed attempt. */
  readonly run: (job: Job) => Promise<void>;
  /** How many at once. */
  readonly concurrency: number;
  /** Told what goes wrong outside the handlers: the engine is gone, or cannot be trusted. */
  readonly onError: (error: unknown) => void;
}

/**
 * Where verified deliveries are kept until they are worked off. What is accepted is never lost, and
 * worked until it succeeds or, after 12 attempts, lies among the dead letters.
 */
export interface Inbox {
  /** Stores a delivery. Resolves once it is durable, rejects where it cannot be. */
  accept(delivery: NewDelivery): Promise<Receipt>;
  /** Begins to work. */
  start(work: Work): Promise<void>;
  /** Takes nothing new, lets what runs end, for `timeoutMs` at most, and hands the rest back. */
  stop(timeoutMs: number): Promise<void>;
  /** What was given up and not requeued since. */
  deadLetters(): Promise<DeadLetter[]>;
  /** Puts a dead letter back to work, as new. Rejects where there is no such one. */
  requeue(id: string): Promise<void>;
}

/** Attempts, the first one included. */
export const MOST_ATTEMPTS = 12;

/** How long what was worked off is remembered, so that a late repeat is known: 14 days. */
export const STANDARD_RETENTION_MS: number = 1_209_600_000;

/** The longest wait between two attempts. */
export const LONGEST_BACKOFF_MS = 300_000;

/** Doubling from a second, full jitter. */
const backoffMs = (attempt: number): number =>
  Math.round(Math.random() * Math.min(LONGEST_BACKOFF_MS, 1_000 * 2 ** (attempt - 1)));

/** How fast an inbox goes. Tests turn it up. */
export interface Pace {
  /** How long a process may be silent before its deliveries are another's. Renewed in thirds. */
  readonly leaseMs: number;
  /** The wait after a failed attempt. */
  readonly backoffMs: (attempt: number) => number;
  /** How long an engine may take over an answer that somebody waits for. Default: 5 s. */
  readonly answerMs?: number;
}

export const STANDARD_PACE: Pace & { readonly answerMs: number } = {
  leaseMs: 15_000,
  backoffMs,
  answerMs: 5_000,
};

/** What a failure says of itself, whatever was thrown. */
export function whyFailed(error: unknown): string {
  try {
    return String(error);
  } catch {
    return "Something was thrown that has no text.";
  }
}

/** What an event is given up with that no attempt failed at: each killed its process. */
export const DIED = "The process died while it worked this event.";

/** For every inbox alike. */
export const noDeadLetter = (id: string): ConfigurationError =>
  new ConfigurationError(
    `There is no dead letter ${JSON.stringify(id)}. \`receiver.deadLetters.list()\` lists them.`,
  );

export const atWork = (): ConfigurationError =>
  new ConfigurationError("This inbox is at work already: one receiver to an inbox.");

/** The bytes of a stored text. */
export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The text of verified bytes, to the byte: a byte order mark included. */
export const exactText = (raw: Uint8Array): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(raw);
