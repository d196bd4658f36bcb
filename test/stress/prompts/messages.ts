import type { Place } from "../harness/databases.ts";
import type { Point } from "./history/event.ts";
import type { Order } from "./plan.ts";

/** The machine on which the workers run. The campaign lets it start again. */
export interface Machine {
  /** When it started, by the clock of the history. 0: as the real one. */
  readonly startedAt: number;
  /** How far its wall clock is from the right time. */
  readonly offsetMs: number;
}

/** What a worker is told at its start. */
export interface Setup {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly place: Place;
  readonly machine: Machine;
}

/** A final status that the shop got. */
export interface FinalStatus {
  readonly reference: string;
  readonly status: string;
}

/** How an attempt to pay ended. */
export type Reply =
  | { readonly end: "final"; readonly result: FinalStatus }
  /** Not known yet. The reference identifies the payment. */
  | { readonly end: "pending"; readonly reference: string }
  /** It may have happened: look it up before paying again. */
  | { readonly end: "unknown"; readonly code: string; readonly attempt?: string | undefined }
  /** Another worker makes the attempt: ask again. */
  | { readonly end: "in_flight"; readonly code: string }
  /** Nothing happened: pay again. */
  | { readonly end: "not_paid"; readonly code: string }
  /** An error that must never happen. */
  | { readonly end: "unexpected"; readonly what: string };

/** How an attempt of unknown outcome was resolved. */
export type Resolution =
  | { readonly end: "found" | "not_sent" }
  /** There was nothing to resolve: a process still holds the key, or it was resolved before. */
  | { readonly end: "conflict" }
  /** The payment was not found, and may still come. */
  | { readonly end: "too_early"; readonly waitMs: number };

/** A customer clicks, and the worker stops in the middle of it. */
export interface Click {
  readonly order: Order;
  readonly stopAt?: Point | undefined;
}

/** An order whose last attempt may have happened. */
export interface UnknownOrder {
  readonly order: Order;
  /** The attempt, if the error named it. */
  readonly attempt?: string | undefined;
}

/** What a worker does for customers and for the back office. */
export interface Jobs {
  /** A customer clicks. */
  pay(click: Click): Promise<Reply>;
  /** Sends the same key again at the end, by `initiate` and `waitFor`. */
  payAgain(order: Order): Promise<Reply>;
  /** Resolves attempts of unknown outcome. */
  resolve(orders: readonly UnknownOrder[]): Promise<Resolution[]>;
  /** The keys whose attempt is in flight or unknown. */
  listOpen(input: object): Promise<string[]>;
  /** Reads payments, and returns those in a final status. */
  reconcile(references: readonly string[]): Promise<FinalStatus[]>;
  /** Steps the wall clock of the worker to so far from the right time. */
  stepClock(offsetMs: number): Promise<void>;
}
