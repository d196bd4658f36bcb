import { sha256Hex } from "#hmac";
import { conflictIdOf } from "../conflicts.ts";
import { PROCESS_DIED } from "../errors.ts";
import { bytesOf, exactText } from "../text.ts";
import type { NewDelivery, TraceContext } from "../types.ts";

/** What a job holds until it is processed. After that, only the digest is left. */
export interface JobData {
  readonly key: string;
  readonly digest: string;
  /** The event kind, as {@link storedKind} writes it. */
  readonly event: string;
  readonly body: string;
  readonly secretIndex: number;
  readonly receivedAt: number;
  readonly signature?: string;
  /** JSON. */
  readonly trace?: string;
}

// jsonb stores neither a NUL nor half a surrogate pair.
export const storable = (text: string): string =>
  new TextDecoder().decode(bytesOf(text)).replaceAll("\0", "\uFFFD");

/** The event kind as text that jsonb stores, whatever the service sent. Two kinds never become one. */
export const storedKind = (kind: string): string => JSON.stringify(kind).slice(1, -1);

export const kindFrom = (stored: string): string => JSON.parse(`"${stored}"`);

export function jobDataOf(delivery: NewDelivery): JobData {
  const { key, digest, event, raw, secretIndex, receivedAt, signature, traceContext } = delivery;
  return {
    key,
    digest,
    event: storedKind(event),
    body: exactText(raw),
    secretIndex,
    receivedAt,
    ...(signature !== undefined && { signature: storable(signature) }),
    ...(traceContext !== undefined && { trace: storable(JSON.stringify(traceContext)) }),
  };
}

export const traceContextOf = ({ trace }: JobData): TraceContext | undefined =>
  trace === undefined ? undefined : JSON.parse(trace);

/** A job's id is a UUID: the last 128 bits of a key. The whole key is in the data. */
export const jobIdOf = (key: string): string =>
  key.slice(-32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

export const isJobId = (id: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id);

/** A conflict has the id that it has as an event of its own. */
export const conflictJobIdOf = (delivery: Pick<NewDelivery, "key" | "digest">): string =>
  jobIdOf(sha256Hex(conflictIdOf(delivery)));

/** Why the attempts of a dead letter failed, as pg-boss stores it. */
export function reasonIn(output: object | null): string {
  const { message, value } = (output ?? {}) as { message?: unknown; value?: { message?: unknown } };
  // The message of pg-boss for a process that stopped sending heartbeats.
  if (value?.message === "job heartbeat timeout") return PROCESS_DIED;
  return String(message ?? value?.message ?? "");
}
