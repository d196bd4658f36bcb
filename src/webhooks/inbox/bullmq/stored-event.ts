import { isObject } from "../../../internal/is-object.ts";
import { bytesOf, exactText } from "../text.ts";
import type { EventSource, NewDelivery, TraceContext } from "../types.ts";

/** An event as jobs, dead letters and conflicts hold it, in JSON. */
export interface StoredEvent {
  readonly digest: string;
  readonly event: string;
  readonly body: string;
  readonly secretIndex: number;
  readonly receivedAt: number;
  readonly signedAt?: number | undefined;
  readonly signature?: string | undefined;
  readonly traceContext?: TraceContext | undefined;
  readonly source?: EventSource | undefined;
}

/** An event that waits for a person after its last attempt. */
export interface StoredDeadLetter extends StoredEvent {
  readonly attempts: number;
  readonly error: string;
}

export function storedEventOf(delivery: NewDelivery): StoredEvent {
  const { digest, event, raw, secretIndex, receivedAt } = delivery;
  const { signedAt, signature, traceContext, source } = delivery;
  const body = exactText(raw);
  return {
    digest,
    event,
    body,
    secretIndex,
    receivedAt,
    signedAt,
    signature,
    traceContext,
    source,
  };
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
  readonly content?: StoredDeadLetter | undefined;
}

/** Half of a SHA-256: Redis keeps millions of them. */
const DIGEST_LENGTH = 32;

const shortDigest = (digest: string): string => digest.slice(-DIGEST_LENGTH);

/** A record as text: its state, its digest and its content, separated by spaces. */
export function recordText(state: State, digest: string, content?: StoredDeadLetter): string {
  const words: string[] = [STATES[state], shortDigest(digest)];
  if (content !== undefined) words.push(JSON.stringify(content));
  return words.join(" ");
}

/** The record of a text. `undefined` for one that this inbox has not written. */
export function recordIn(text: string | null | undefined): EventRecord | undefined {
  const [, letter, digest, json] = /^([pdx]) (\w+)(?: (\{.*))?$/s.exec(text ?? "") ?? [];
  const state = (Object.keys(STATES) as State[]).find((one) => STATES[one] === letter);
  if (state === undefined || digest === undefined) return undefined;
  if (json === undefined) return { state, digest };
  try {
    return { state, digest, content: JSON.parse(json) as StoredDeadLetter };
  } catch {
    return undefined;
  }
}

export const hasDigest = (record: EventRecord, digest: string): boolean =>
  record.digest === shortDigest(digest);

/** What is left of a conflict or a double payment that a person has decided on. */
export const DECIDED = "decided";
