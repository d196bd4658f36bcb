import type { OrmName } from "../../support/orms/orm.ts";
import type { Place } from "../harness/databases.ts";

/**
 * How events are processed: by the process that receives them; by processes that drain the inbox and
 * end, while those that receive only store; as at first, and payments without a webhook are swept; or as
 * at first, by versions that take turns and know other kinds of events, with some that drain beside them.
 */
export const MODES = ["start", "drain", "sweep", "versions"] as const;
export type Mode = (typeof MODES)[number];

/** A kind of event that this version does not document, and the next one does. */
export const NEW_KIND = "payment.reversed";

/** Versions of the package. */
export const VERSIONS = ["this", "next"] as const;
type Version = (typeof VERSIONS)[number];

/** The points at which a process may die during a delivery. */
export const POINTS = [
  "before the insert",
  "after the insert",
  "in the handler",
  "in the middle of its effect",
  "after its effect",
  'before "done"',
] as const;
export type Point = (typeof POINTS)[number];

/** What a shop is told at its start. */
export interface ShopSettings {
  readonly mode?: Mode | undefined;
  /** Which version of the package it runs. Without one, there are only documented kinds. */
  readonly version?: Version | undefined;
  /** Drains the inbox and ends, instead of receiving. */
  readonly isDrainer?: boolean;
  /** The references of all orders, for sweeps. */
  readonly orders?: readonly string[];
  readonly place: Place;
  /** For tests: a short lease, and retries without a wait. */
  readonly leaseMs?: number | undefined;
  /** With which library the shop writes, in the transaction of an inbox in PostgreSQL. */
  readonly orm?: OrmName | undefined;
  readonly port: number;
  /** The handler of the first delivery blocks its process until this file is there. */
  readonly blocksUntil?: string | undefined;
  /** Dies there, in the first delivery. */
  readonly die?: Point | undefined;
}
