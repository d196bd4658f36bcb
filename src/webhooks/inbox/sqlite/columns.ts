import type { SQLOutputValue } from "node:sqlite";
import type { NewDelivery, TraceContext } from "../types.ts";

export const fromHex = (hex: string): Uint8Array => Buffer.from(hex, "hex");
export const toHex = (bytes: unknown): string => Buffer.from(bytes as Uint8Array).toString("hex");

export type Row = Record<string, SQLOutputValue>;

/** A delivery as the statements that insert it take it. */
export type DeliveryValues = readonly [
  key: Uint8Array,
  digest: Uint8Array,
  event: string,
  raw: Uint8Array,
  secretIndex: number,
  receivedAt: number,
  signature: string | null,
  traceContext: string | null,
];

export const valuesOf = (delivery: NewDelivery): DeliveryValues => [
  fromHex(delivery.key),
  fromHex(delivery.digest),
  delivery.event,
  delivery.raw,
  delivery.secretIndex,
  delivery.receivedAt,
  delivery.signature ?? null,
  delivery.traceContext === undefined ? null : JSON.stringify(delivery.traceContext),
];

export const traceContextIn = ({ trace_context: text }: Row): TraceContext | undefined =>
  typeof text === "string" ? JSON.parse(text) : undefined;

export const deliveryIn = (row: Row): NewDelivery => ({
  key: toHex(row.key),
  digest: toHex(row.digest),
  event: row.event as string,
  raw: row.raw as Uint8Array,
  secretIndex: row.secret_index as number,
  receivedAt: row.received_at as number,
  signature: (row.signature ?? undefined) as string | undefined,
  traceContext: traceContextIn(row),
});
