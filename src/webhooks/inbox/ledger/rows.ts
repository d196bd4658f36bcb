import { conflictIdOf } from "../delivery.ts";
import type { Conflict, DeadLetter } from "../event-list.ts";
import type {
  EventSource,
  NewDelivery,
  StoredDoublePayment,
  TraceContext,
} from "../inbox-types.ts";

/** A row of a table, as the driver of its database returns it: PostgreSQL's returns large numbers as text. */
export type LedgerRow = Readonly<Record<string, unknown>>;

export const bytesOfHex = (hex: string): Uint8Array => Buffer.from(hex, "hex");
export const hexOf = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString("hex");

/** The columns that hold a delivery, in events and in conflicts. */
export const DELIVERY_COLUMNS =
  "key, digest, kind, raw, secret_index, received_at, signed_at, signature, trace_context, source";

/** The values of {@link DELIVERY_COLUMNS}. */
export const deliveryValues = (delivery: NewDelivery) =>
  [
    bytesOfHex(delivery.key),
    bytesOfHex(delivery.digest),
    delivery.event,
    delivery.raw,
    delivery.secretIndex,
    Math.round(delivery.receivedAt),
    // A timestamp may have parts of a millisecond. Rounded up, it is remembered for long enough.
    delivery.signedAt === undefined ? null : Math.ceil(delivery.signedAt),
    delivery.signature ?? null,
    delivery.traceContext === undefined ? null : JSON.stringify(delivery.traceContext),
    delivery.source ?? null,
  ] as const;

const optional = <Value>(value: unknown): Value | undefined => (value ?? undefined) as Value;

/** The trace of a row; `undefined` for a row that something else has changed. */
export function traceContextIn(row: LedgerRow): TraceContext | undefined {
  try {
    return requestIn(row).traceContext;
  } catch {
    return undefined;
  }
}

/** What a job has of the request that brought it. @throws for a row that something else has changed. */
export const requestIn = (row: LedgerRow) => ({
  receivedAt: Number(row.received_at),
  traceContext:
    row.trace_context === null
      ? undefined
      : (JSON.parse(String(row.trace_context)) as TraceContext),
  source: optional<EventSource>(row.source),
});

/** @throws for a row that something else has changed. */
export const deliveryIn = (row: LedgerRow): NewDelivery => ({
  key: hexOf(row.key),
  digest: hexOf(row.digest),
  event: String(row.kind),
  raw: row.raw as Uint8Array,
  secretIndex: Number(row.secret_index),
  signedAt: row.signed_at === null ? undefined : Number(row.signed_at),
  signature: optional(row.signature),
  ...requestIn(row),
});

const listed = (row: LedgerRow) => ({
  event: String(row.kind),
  receivedAt: Number(row.received_at),
  signature: optional<string>(row.signature),
});

export const deadLetterIn = (row: LedgerRow): DeadLetter => ({
  id: hexOf(row.key),
  ...listed(row),
  attempts: Number(row.attempts),
  error: String(row.error ?? ""),
});

export const conflictIn = (row: LedgerRow): Conflict => ({
  id: conflictIdOf({ key: hexOf(row.key), digest: hexOf(row.digest) }),
  ...listed(row),
});

export const doubleIn = (row: LedgerRow): StoredDoublePayment => ({
  id: String(row.id),
  by: row.by as StoredDoublePayment["by"],
  value: String(row.value),
  references: [String(row.reference_1), String(row.reference_2)],
  merchant: optional(row.merchant),
  receivedAt: Number(row.received_at),
});
