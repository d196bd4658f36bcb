import type {
  AttemptStatus,
  BooksReport,
  NewOrder,
  OrderStatus,
  PayParams,
  Review,
  ReviewDecision,
} from "malipo/checkout";
import type { Place } from "../harness/databases.ts";
import type { Part, PlannedOrder, Point } from "./plan.ts";

/** What a process of the shop is told at its start. */
export interface Setup {
  readonly place: Place;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly secret: string;
  /** The step at which this process stops, by order. */
  readonly stops: Readonly<Record<string, Point>>;
  readonly orders: readonly Pick<PlannedOrder, "id" | "wrong" | "refuses" | "isUnderpaid">[];
  /** Whether it does what is due. One that does not takes only a click. */
  readonly works: boolean;
}

/** A click, as the page sends it. */
interface Click {
  readonly params: PayParams;
  readonly after: number;
}

/** A cart: an order that is made in the merchant's own transaction. */
interface Cart {
  readonly id: string;
  readonly isRolledBack: boolean;
}

/** What a person decides about a review. */
export interface Decision {
  readonly review: string;
  readonly decision: ReviewDecision;
  readonly by: string;
}

/** Another amount of an order. */
export interface AmountChange {
  readonly id: string;
  readonly amount: number;
}

/** A refund that a person notes. */
export interface RefundNote extends AmountChange {
  readonly reference: string;
  readonly by: string;
}

/** With which codes the package rejects what a person or the merchant asks for. */
export const REJECTIONS = [
  "review_decided",
  "order_paid",
  "order_busy",
  "order_conflict",
  "invalid_params",
] as const;

/** `failed`: it is not known what became of it. */
export type Outcome = "won" | (typeof REJECTIONS)[number] | "failed";

/** What became of what was asked for. */
export interface Answer {
  readonly outcome: Outcome;
  /** How the review had ended before, as its error says. */
  readonly ended?: string | undefined;
}

/** What the service says of a payment that is less than was asked for. */
export const UNDERPAID = "90.00";

/** What a process does for customers, for the merchant and for the people of the shop. */
export interface Jobs {
  makeCart(cart: Cart): Promise<true>;
  pay(click: Click): Promise<true>;
  decide(decision: Decision): Promise<Answer>;
  update(change: AmountChange): Promise<Answer>;
  refund(refund: RefundNote): Promise<Answer>;
  create(params: NewOrder): Promise<true>;
  /** The books of the campaign. */
  report(from: string): Promise<BooksReport>;
}

/** What became of the decision of one person. */
export interface Call extends Answer {
  readonly decision: ReviewDecision;
}

/** What happens in a campaign of orders, beside what happens in every campaign. */
export type OrderHappening = { readonly order: string } & (
  | {
      /** A request for a prompt leaves, this long after the click. */
      readonly what: "sending";
      readonly sinceMs: number;
      readonly amount: string;
    }
  /** A process has changed the order. */
  | {
      readonly what: "changed";
      readonly by: string;
      readonly status: OrderStatus;
      readonly attempts: readonly AttemptStatus[];
      readonly amount: string;
      /** The references of the money that has come. */
      readonly money: readonly string[];
      /** The kinds of its open reviews. */
      readonly reviews: readonly Review["kind"][];
    }
  /** The merchant has asked for another amount of the order. */
  | { readonly what: "updated"; readonly amount: number; readonly outcome: Outcome }
  /** Someone has paid with the label of the order, and was not asked for it. */
  | { readonly what: "by_hand"; readonly reference: string; readonly when: Part["when"] }
  /** Two people have noted a refund at the same moment, in two processes. */
  | {
      readonly what: "refund";
      readonly amount: number;
      readonly reference: string;
      readonly outcomes: readonly Outcome[];
    }
  | {
      readonly what: /** A click was rejected, since the phone has the prompt of another order. */
        | "busy"
        /** A second `transaction` of one order was rejected. */
        | "rejected"
        /** A try of `onPaid` begins that goes wrong. */
        | "wrong"
        /** A try of `onPaid` has failed, and is made again. */
        | "failed"
        /** A customer or a merchant got an answer. */
        | "answered"
        /** The merchant has canceled it. */
        | "canceled"
        | "cart_rolled_back"
        | "double_click";
    }
  /** Two people have decided a review at the same moment, in two processes. */
  | {
      readonly what: "decided";
      readonly review: string;
      readonly kind: Review["kind"];
      readonly calls: readonly Call[];
    }
  /** What was asked of a process while its SQLite file was away. */
  | {
      readonly what: "asked_without_file";
      readonly kind: "order" | "webhook";
      /** Whether it was acknowledged before the file was put back; `undefined` if no answer came by then. */
      readonly isAcknowledged: boolean | undefined;
    }
);
