import type { CommonHappening, Event, History, Named } from "../../harness/history.ts";
import type { FinalStatus } from "../messages.ts";

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

/** What happens in a campaign of prompts, beside what happens in every campaign: by the name in `what`. */
interface Details {
  /** The store began the attempt, at some time after `askedAt`. */
  readonly begun: Keyed & { readonly leaseMs: number; readonly askedAt: number };
  /** The store said that another attempt is in flight. */
  readonly joined: Keyed;
  /** The store said that an earlier attempt, `attempt`, may have happened. */
  readonly seen_unknown: Keyed & { readonly holder: string };
  readonly seen_succeeded: Keyed;
  /** A request leaves. */
  readonly sending: Keyed;
  readonly response: Keyed & { readonly status: number };
  readonly no_response: Keyed;
  /** The client asks the store to record the end of an attempt. */
  readonly finishing: Keyed & { readonly state: string };
  /** The client asks the store to free the key. */
  readonly forgetting: Keyed;
  /** A process asks the store to resolve an attempt. `holder`: only the attempt of that owner. */
  readonly resolving: Resolving;
  readonly resolved: Resolving & { readonly state: string };
  readonly store_failed: Keyed & { readonly operation: string };
  /** The machine started again: its processes are new, and its date is so far from the right one. */
  readonly machine_started: { readonly offsetMs: number };
  /** The wall clock of the process was stepped to so far from the right time. */
  readonly clock: { readonly offsetMs: number };
  /** Every wall clock is right from now on. */
  readonly clocks_right: unknown;
  readonly faults_stopped: unknown;
  /** Every order has reached its answer. */
  readonly all_ended: unknown;
  /** The attempt of this key is in flight or unknown, at the end. */
  readonly open: { readonly key: string };
  /** An order of the shop, at the end. */
  readonly order: {
    readonly key: string;
    readonly results: readonly FinalStatus[];
    readonly atEnd: FinalStatus | string;
    readonly unexpected: readonly string[];
  };
  /** A payment in the service's own ledger, at the end. */
  readonly payment: { readonly key: string } & FinalStatus;
  /** An error that must never happen. */
  readonly unexpected: { readonly error: string };
}

interface Keyed {
  /** The idempotency key, which is also the id of the order. */
  readonly key: string;
  /** The owner of the attempt that does it, if it is known. */
  readonly attempt?: string | undefined;
}

interface Resolving {
  readonly key: string;
  readonly outcome: "found" | "not_sent";
  readonly holder?: string | undefined;
}

/** Something that happened, without its time and place. */
type PromptHappening = {
  readonly [Name in keyof Details]: { readonly what: Name } & (unknown extends Details[Name]
    ? unknown
    : Details[Name]);
}[keyof Details];
export type Happening = PromptHappening | CommonHappening;

export type PromptHistory = History<PromptHappening>;

/** One line of a history. */
export type HistoryEvent = Event<Happening>;
export type EventName = Happening["what"];
export type EventOf<Name extends EventName> = Named<Happening, Name>;
