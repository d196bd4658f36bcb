import { storableText } from "../../../internal/storable-text.ts";
import type { Row, Value } from "../../../storage/sql-steps.ts";
import { conflictIdOf } from "../delivery.ts";
import type { Conflict, DeadLetter } from "../event-list.ts";
import type {
  EventSource,
  NewDelivery,
  StoredDoublePayment,
  TraceContext,
} from "../inbox-types.ts";

export const bytesOfHex = (hex: string): Uint8Array => Buffer.from(hex, "hex");
export const hexOf = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString("hex");

/** A text as every database stores it. */
export const stored = (text: string): string => storableText(text, Number.POSITIVE_INFINITY);

const optionalText = (text: string | undefined): string | null =>
  text === undefined ? null : stored(text);

/** The columns of a delivery, in events and in conflicts, with their values. */
export const deliveryValues = (delivery: NewDelivery): Readonly<Record<string, Value>> => ({
  key: bytesOfHex(delivery.key),
  digest: bytesOfHex(delivery.digest),
  kind: stored(delivery.event),
  raw: delivery.raw,
  secret_index: delivery.secretIndex,
  received_at: Math.round(delivery.receivedAt),
  // A timestamp may have parts of a millisecond. Rounded up, it is remembered for long enough.
  signed_at: delivery.signedAt === undefined ? null : Math.ceil(delivery.signedAt),
  signature: optionalText(delivery.signature),
  trace_context: delivery.traceContext === undefined ? null : JSON.stringify(delivery.traceContext),
  source: delivery.source ?? null,
});

const optional = <Found>(value: unknown): Found | undefined => (value ?? undefined) as Found;

/** What a job has of the request that brought it. @throws for a row that something else has changed. */
export const requestIn = (row: Row) => ({
  receivedAt: Number(row.received_at),
  traceContext:
    row.trace_context === null
      ? undefined
      : (JSON.parse(String(row.trace_context)) as TraceContext),
  source: optional<EventSource>(row.source),
});

/** @throws for a row that something else has changed. */
export const deliveryIn = (row: Row): NewDelivery => ({
  key: hexOf(row.key),
  digest: hexOf(row.digest),
  event: String(row.kind),
  raw: row.raw as Uint8Array,
  secretIndex: Number(row.secret_index),
  signedAt: row.signed_at === null ? undefined : Number(row.signed_at),
  signature: optional(row.signature),
  ...requestIn(row),
});

const listed = (row: Row) => ({
  event: String(row.kind),
  receivedAt: Number(row.received_at),
  signature: optional<string>(row.signature),
});

export const deadLetterIn = (row: Row): DeadLetter => ({
  id: hexOf(row.key),
  ...listed(row),
  attempts: Number(row.attempts),
  error: String(row.error ?? ""),
});

export const conflictIn = (row: Row): Conflict => ({
  id: conflictIdOf({ key: hexOf(row.key), digest: hexOf(row.digest) }),
  ...listed(row),
});

export const doubleIn = (row: Row): StoredDoublePayment => ({
  id: String(row.id),
  by: row.by as StoredDoublePayment["by"],
  value: String(row.value),
  references: [String(row.reference_1), String(row.reference_2)],
  merchant: optional(row.merchant),
  receivedAt: Number(row.received_at),
});
