import type { AttemptStatus, OrderStatus, PayParams, ReviewDecision } from "malipo/checkout";
import type { Point } from "./plan.ts";
import type { WrongName } from "./wrong-on-paid.ts";

/** What a process of the shop gets by its environment, as JSON in `SETUP`. */
export interface Setup {
  /** The path of a SQLite file, or the URL of a PostgreSQL. */
  readonly store: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly secret: string;
  /** The step at which this process stops, by order. */
  readonly stops: Readonly<Record<string, Point>>;
  /** How `onPaid` goes wrong, by order. */
  readonly wrong: Readonly<Record<string, WrongName>>;
  /** The orders of which the service says that less was paid than was asked for. */
  readonly underpaid: readonly string[];
  /** Whether it does what is due. One that does not takes only a click. */
  readonly works: boolean;
}

/** A click, as the page sends it. */
export interface Click {
  readonly params: PayParams;
  readonly after: number;
}

/** A cart: an order that is made in the merchant's own transaction. */
export interface Cart {
  readonly id: string;
  readonly isRolledBack: boolean;
}

/** What a person decides about a review. */
export interface Decision {
  readonly review: string;
  readonly decision: ReviewDecision;
  readonly by: string;
}

/** What became of it. `failed`: it is not known. */
export interface Answer {
  readonly outcome: "won" | "review_decided" | "order_paid" | "failed";
  /** How the review had ended before, as its error says. */
  readonly ended?: string | undefined;
}

/** What the service says of a payment that is less than was asked for. */
export const UNDERPAID = "90.00";

/** What a process reports. */
export type Report =
  | { readonly what: "ready"; readonly port: number }
  /** A request for a prompt leaves, this long after the click. */
  | { readonly what: "sending"; readonly order: string; readonly sinceMs: number }
  /** It has changed an order. */
  | {
      readonly what: "changed";
      readonly order: string;
      readonly by: string;
      readonly status: OrderStatus;
      readonly attempts: readonly AttemptStatus[];
    }
  /** A click was rejected, since the phone has the prompt of another order. */
  | { readonly what: "busy"; readonly order: string }
  /** A second `transaction` of one order was rejected. */
  | { readonly what: "rejected"; readonly order: string }
  /** A try of `onPaid` begins that goes wrong. */
  | { readonly what: "wrong"; readonly order: string }
  /** A try of `onPaid` has failed, and is made again. */
  | { readonly what: "failed"; readonly order: string };

/** The descriptors by which a process says where it stands, and is let go on. */
export const STANDS = 4;
export const GOES_ON = 5;
