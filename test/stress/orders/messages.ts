import type { AttemptStatus, OrderStatus, PayParams } from "malipo/checkout";
import type { Point } from "./plan.ts";

/** What a process of the shop gets by its environment, as JSON in `SETUP`. */
export interface Setup {
  /** The path of a SQLite file, or the URL of a PostgreSQL. */
  readonly store: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly secret: string;
  /** The step at which this process stops, by order. */
  readonly stops: Readonly<Record<string, Point>>;
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
  | { readonly what: "rejected"; readonly order: string };

/** The descriptors by which a process says where it stands, and is let go on. */
export const STANDS = 4;
export const GOES_ON = 5;
