import type { Place } from "../harness/databases.ts";
import type { CommonHappening, Event, History, Named } from "../harness/history.ts";
import type { Order } from "./plan.ts";

/** The points of an attempt at which a worker can be stopped or its clock be stepped. */
export type Point =
  /** The store has begun the attempt. Nothing has been sent. */
  | "begun"
  /** The client is about to send its first request. */
  | "request"
  /** The client is about to send a request again. */
  | "retry"
  /** The response is there. The store does not know of it yet. */
  | "response";

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
  /** Resolves attempts of unknown outcome. */
  resolve(orders: readonly UnknownOrder[]): Promise<Resolution[]>;
  /** The keys whose attempt is in flight or unknown. */
  listOpen(input: object): Promise<string[]>;
  /** Reads payments, and returns those in a final status. */
  reconcile(references: readonly string[]): Promise<FinalStatus[]>;
  /** Steps the wall clock of the worker to so far from the right time. */
  stepClock(offsetMs: number): Promise<void>;
}

/** Each of these by itself, so that an event of one of them is found by its name. */
type Keyed<What> = What extends string
  ? {
      readonly what: What;
      /** The idempotency key, which is also the id of the order. */
      readonly key: string;
      /** The owner of the attempt that does it, if it is known. */
      readonly attempt?: string | undefined;
    }
  : never;

interface Resolving<What> {
  readonly what: What;
  readonly key: string;
  readonly outcome: "found" | "not_sent";
  /** Only the attempt of this owner. */
  readonly holder?: string | undefined;
}

/** What happens in a campaign of prompts, beside what happens in every campaign. */
type PromptHappening =
  /** The store began the attempt, at some time after `askedAt`. */
  | (Keyed<"begun"> & { readonly leaseMs: number; readonly askedAt: number })
  /** The store said that an earlier attempt, `holder`, may have happened. */
  | (Keyed<"seen_unknown"> & { readonly holder: string })
  | Keyed<
      /** The store said that another attempt is in flight. */
      | "joined"
      | "seen_succeeded"
      /** A request leaves. */
      | "sending"
      | "no_response"
      /** The client asks the store to free the key. */
      | "forgetting"
    >
  | (Keyed<"response"> & { readonly status: number })
  /** The client asks the store to record the end of an attempt. */
  | (Keyed<"finishing"> & { readonly state: string })
  | (Keyed<"store_failed"> & { readonly operation: string })
  /** A process asks the store to resolve an attempt. */
  | Resolving<"resolving">
  | (Resolving<"resolved"> & { readonly state: string })
  /** The machine started again, or the clock of a process was stepped: it is so far from the right time. */
  | { readonly what: "machine_started" | "clock"; readonly offsetMs: number }
  | {
      readonly what: /** Every wall clock is right from now on. */
        | "clocks_right"
        | "faults_stopped"
        /** Every order has reached its answer. */
        | "all_ended";
    }
  /** The attempt of this key is in flight or unknown, at the end. */
  | { readonly what: "open"; readonly key: string }
  /** An order of the shop, at the end. */
  | ({ readonly what: "order"; readonly key: string } & OrderRecord)
  /** A payment in the service's own ledger, at the end. */
  | ({ readonly what: "payment"; readonly key: string } & FinalStatus)
  /** An error that must never happen. */
  | { readonly what: "unexpected"; readonly error: string };

/** What the shop knows of an order. */
export interface OrderRecord {
  /** Every final status that it got, oldest first. */
  readonly results: readonly FinalStatus[];
  /** The status that the same key gave at the end, or why it gave none. */
  readonly atEnd: FinalStatus | string;
  /** Errors that must never happen. */
  readonly unexpected: readonly string[];
}

/** Something that happened, without its time and place. */
export type Happening = PromptHappening | CommonHappening;
export type PromptHistory = History<PromptHappening>;
/** One line of a history. */
export type HistoryEvent = Event<Happening>;
export type EventName = Happening["what"];
export type EventOf<Name extends EventName> = Named<Happening, Name>;
