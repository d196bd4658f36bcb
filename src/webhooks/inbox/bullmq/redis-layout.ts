import type { Job } from "bullmq";
import { isObject } from "../../../internal/is-object.ts";
import { bytesOf, conflictIdOf, exactText } from "../delivery.ts";
import type { NewDelivery } from "../inbox-types.ts";

/** The number of this layout of names and records. A Redis with another one is not used. */
export const FORMAT = 1;

/**
 * The name of BullMQ's queue. The braces are a hash tag: in a Redis Cluster, all keys of the queue are in
 * one slot.
 */
export const bullmqQueueName = (inbox: string, queue: string): string => `{${inbox}-${queue}}`;

/** The keys of the ledger for the events of one queue, in the same slot as the queue. */
export function ledgerKeys(inbox: string, queue: string) {
  const tag = bullmqQueueName(inbox, queue);
  return {
    /** The format number, and what processes did when. */
    meta: `${tag}:meta`,
    /** The ids of dead letters by the times of their receipt. */
    deadLetters: `${tag}:dead-letters`,
    conflicts: `${tag}:conflicts`,
    doublePayments: `${tag}:double-payments`,
    /** The keys of events that wait for a retry, by the times of their receipt. */
    retrying: `${tag}:retrying`,
    event: (key: string) => `${tag}:${key}`,
    conflict: (delivery: Pick<NewDelivery, "key" | "digest">) => `${tag}:${conflictIdOf(delivery)}`,
  };
}

export type LedgerKeys = ReturnType<typeof ledgerKeys>;

/** An event as jobs, dead letters and conflicts hold it, in JSON. */
export interface StoredEvent
  extends Omit<NewDelivery, "key" | "raw" | "formerKey" | "deadLetterReason"> {
  readonly body: string;
  /** Of a dead letter. */
  readonly attempts?: number;
  /** Of a dead letter: why the last attempt failed. */
  readonly error?: string;
}

/** What a list shows of an event. */
export const headerOf = ({ event, receivedAt, signature, attempts, error }: StoredEvent) => ({
  event,
  receivedAt,
  signature,
  ...(attempts !== undefined && { attempts, error }),
});

export type Header = ReturnType<typeof headerOf>;

export function storedEventOf(delivery: NewDelivery): StoredEvent {
  const { digest, event, raw, secretIndex, receivedAt, signedAt, ...given } = delivery;
  const { signature, traceContext, source } = given;
  const known = { digest, event, body: exactText(raw), secretIndex, receivedAt };
  return { ...known, signedAt, signature, traceContext, source };
}

export const deliveryOf = (key: string, { body, ...stored }: StoredEvent): NewDelivery => ({
  ...stored,
  key,
  raw: bytesOf(body),
});

/** The event of a job. `undefined` if something else has added or changed the job. */
export function storedEventIn(data: unknown): StoredEvent | undefined {
  if (!isObject(data)) return undefined;
  const { digest, event, body, receivedAt } = data as Partial<Record<keyof StoredEvent, unknown>>;
  const isWhole = [digest, event, body].every((text) => typeof text === "string");
  return isWhole && typeof receivedAt === "number" ? (data as unknown as StoredEvent) : undefined;
}

/** The states of an event. */
const STATES = { pending: "p", done: "d", dead: "x" } as const;
type State = keyof typeof STATES;

/**
 * What the ledger knows of an event. The digest is the last half of the delivery's. A dead letter has its
 * content; it stays there after a requeue until the event is done.
 */
export interface EventRecord {
  readonly state: State;
  readonly digest: string;
  readonly content?: StoredEvent | undefined;
}

/** Half of a SHA-256: Redis stores millions of them. */
export const shortDigest = (digest: string): string => digest.slice(-32);

/** A record as text: its state, its digest and its content, separated by spaces. */
export function recordText(state: State, digest: string, content?: StoredEvent): string {
  const words: string[] = [STATES[state], shortDigest(digest)];
  if (content !== undefined) words.push(JSON.stringify(content));
  return words.join(" ");
}

/** The record of a text. `undefined` for one that this inbox has not written. */
export function recordIn(text: unknown): EventRecord | undefined {
  const [, letter, digest, json] = /^([pdx]) (\w+)(?: (\{.*))?$/s.exec(String(text)) ?? [];
  const state = (Object.keys(STATES) as State[]).find((one) => STATES[one] === letter);
  if (state === undefined || digest === undefined) return undefined;
  if (json === undefined) return { state, digest };
  try {
    return { state, digest, content: JSON.parse(json) as StoredEvent };
  } catch {
    return undefined;
  }
}

/** What is left of a conflict that a person has decided on. */
export const DECIDED = "decided";

// The fields of a job that are read here are documented:
// https://docs.bullmq.io/api/interfaces/v6.JobJson.html

/** When the retry of a job is due: after its last attempt and the wait. */
export const retryAt = ({ processedOn = 0, delay = 0 }: Job): number => processedOn + delay;

/** Why the last attempt at a job failed; empty if none has. */
export const failureOf = ({ failedReason = "" }: Job): string => failedReason;
