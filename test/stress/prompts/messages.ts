import type { Incident } from "./incidents/incident.ts";
import type { Order } from "./plan.ts";
import type { StoreLocation } from "./store.ts";
import type { Sabotage } from "./worker/sabotage.ts";

/** The machine on which the workers run. The campaign lets it start again. */
export interface Machine {
  /** When it started, by the clock of the history. 0: as the real one. */
  readonly startedAt: number;
  /** How far its wall clock is from the right time. */
  readonly offsetMs: number;
}

/** What a worker needs to start. */
export interface Setup {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  readonly store: StoreLocation;
  readonly sabotage: Sabotage | undefined;
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

/** A customer clicks, and what happens in the middle of it. */
export interface Click {
  readonly order: Order;
  readonly incident?: Incident | undefined;
}

/** An order whose last attempt may have happened. */
export interface UnknownOrder {
  readonly order: Order;
  /** The attempt, if the error named it. */
  readonly attempt?: string | undefined;
}

/** The jobs of a worker. */
export interface Jobs {
  /** A customer clicks. */
  readonly pay: { readonly input: Click; readonly output: Reply };
  /** The same key once more, at the end. */
  readonly payAgain: { readonly input: Order; readonly output: Reply };
  /** The back office resolves attempts of unknown outcome. */
  readonly resolve: {
    readonly input: readonly UnknownOrder[];
    readonly output: readonly Resolution[];
  };
  /** The keys whose attempt is in flight or unknown. */
  readonly listOpen: { readonly input: undefined; readonly output: readonly string[] };
  /** The back office reads payments, and returns those in a final status. */
  readonly reconcile: {
    readonly input: readonly string[];
    readonly output: readonly FinalStatus[];
  };
}

export type JobName = keyof Jobs;

export interface JobMessage {
  readonly id: number;
  readonly job: JobName;
  readonly input?: Jobs[JobName]["input"];
}

/** Steps the wall clock of a worker to so far from the right time. */
export interface ClockMessage {
  readonly offsetMs: number;
}

export type WorkerMessage =
  /** The port on which it receives webhooks. */
  | { readonly kind: "ready"; readonly port: number }
  /** Without output, the job could not be done now. */
  | { readonly kind: "done"; readonly id: number; readonly output?: Jobs[JobName]["output"] };
