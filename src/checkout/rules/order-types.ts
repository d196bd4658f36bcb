import type { MessageCode, MessageValues } from "./customer-messages.ts";

/** What an order is. See the table of statuses in the manual. */
export type OrderStatus = "open" | "pending" | "paid" | "canceled" | "expired";

export const ORDER_STATUSES: readonly OrderStatus[] = [
  "open",
  "pending",
  "paid",
  "canceled",
  "expired",
];

/** What a request that was not sent was about. See {@link Attempt}. */
export type RejectionAbout = "phone" | "amount" | "shop" | "moment";

/**
 * Why an order was canceled. `paid_elsewhere`: with cash, by card or under another order: money that still comes is not
 * for its goods.
 */
export type CancelReason = "canceled" | "paid_elsewhere";

export const CANCEL_REASONS: readonly CancelReason[] = ["canceled", "paid_elsewhere"];

/** What became of one attempt to pay an order. */
export type AttemptStatus =
  | "starting"
  | "pending"
  | "unknown"
  | "completed"
  | "failed"
  | "not_sent";

/** Why a person must look at an order or a payment. */
export type ReviewKind =
  | "overpaid"
  | "amount_mismatch"
  | "currency_mismatch"
  | "late_payment"
  | "unknown_outcome"
  | "contradiction"
  | "refund_due"
  | "unmatched"
  | "effect_failed"
  | "effect_unclear";

/** What a person decides about a review. */
export type ReviewDecision = "accept" | "refunded" | "dismiss";

export const REVIEW_DECISIONS: readonly ReviewDecision[] = ["accept", "refunded", "dismiss"];

/** One attempt to pay an order: one prompt on a phone, with the idempotency key `id/number`. */
export interface CustomerAttempt {
  /** From 1. */
  readonly number: number;
  readonly status: AttemptStatus;
  /** The phone that was asked, masked: `0712 *** 678`. */
  readonly phone: string;
  /** The reference of the payment at the service, as soon as it is known. */
  readonly reference?: string;
  /** What to tell the customer about an attempt that ended without money, in English. */
  readonly message?: string;
  /** The code of `message`, for other languages. Absent if these are the service's own words. */
  readonly messageCode?: MessageCode;
  /**
   * What it was about if the request was not sent: the `phone` number, which the customer can correct; the `amount`;
   * the `shop`, such as its key; or only the `moment`.
   */
  readonly about?: RejectionAbout;
}

/** An attempt with what only the merchant reads. */
export interface Attempt extends CustomerAttempt {
  /** Why the service rejected its request, in the service's own words. */
  readonly reason?: string;
}

/** A completed payment of an order. */
export interface OrderPayment {
  /** At the service. */
  readonly reference: string;
  /** With two decimals, or `""` if the service has not said it. */
  readonly amount: string;
  readonly currency: string;
  /** The network's id of it, which the customer has in his message: the M-Pesa code. */
  readonly transactionId?: string;
  /** Whose phone paid it, masked, if the service has said it. */
  readonly phone?: string;
  /** Whether a person has said that it was paid back. */
  readonly isRefunded: boolean;
}

/** Money of an order that a person has paid back: a record, since the service has no refund. */
export interface CustomerRefund {
  /** With two decimals, or `""` if it was a whole payment whose amount is not known. */
  readonly amount: string;
  readonly currency: string;
  /** When it was noted: ISO 8601. */
  readonly at: string;
  /** Your reference of it, or the network's, as `refunds.add` got it. */
  readonly reference?: string;
}

/** A refund with what only the merchant reads. */
export interface Refund extends CustomerRefund {
  readonly reason?: string;
  /** Who has paid it back. */
  readonly by?: string;
  /** The references of payments that are wholly paid back since then. */
  readonly payments: readonly string[];
}

/** Something that a person must decide. */
export interface Review {
  /** What `reviews.resolve` takes. */
  readonly id: string;
  readonly kind: ReviewKind;
  /** The order; a payment that belongs to no order has none. */
  readonly orderId?: string;
  /** The references of the payments that it is about. A decision is about the last one. */
  readonly references: readonly string[];
  /** What came by that payment, if it is known: `"1500.00"`. If only a part of it is to be paid back, that part. */
  readonly amount?: string;
  readonly currency?: string;
  /** The network's id of that payment: the M-Pesa code. */
  readonly transactionId?: string;
  /** Whose phone paid it, masked. */
  readonly phone?: string;
  /** What was typed as its account reference, if it belongs to no order. */
  readonly accountReference?: string;
  /** What happened, in a sentence for the merchant. */
  readonly message: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** Marks an order with everything, so that no code that takes the order of a customer takes it. */
declare const forStaff: unique symbol;

/**
 * An order, as its customer may see it: it can be sent to a page unchanged. It has no whole phone number, no name, no
 * words for your staff, nothing of another order, and no metadata but what `publicMetadata` names.
 */
export interface CustomerOrder {
  readonly id: string;
  /** The label of its payments at the service, at most 12 characters. */
  readonly accountReference: string;
  /** With two decimals: `"1500.00"`. */
  readonly amount: string;
  readonly currency: string;
  readonly status: OrderStatus;
  /** Why it was canceled, if it was. */
  readonly cancelReason?: CancelReason;
  /** Whether the customer may be asked now. */
  readonly canPay: boolean;
  /** What to tell the customer, in English. */
  readonly message: string;
  /**
   * The code of `message`, for other languages. Absent if these are the service's own words about a failure
   * without a known result code: show `message` then.
   */
  readonly messageCode?: MessageCode;
  /** The numbers in `message`, such as `minutes`. */
  readonly messageValues?: MessageValues;
  readonly attempts: readonly CustomerAttempt[];
  /**
   * What `onPaid` does: `none` until the order is paid, `due` until it has committed, then `done`. `refused` if it
   * refused the money, which is to be paid back; `refunded` if a person says that it was paid back before the goods
   * were given. Neither is tried again.
   */
  readonly effect: "none" | "due" | "done" | "refused" | "refunded";
  /** All money that came for the order and was not refunded: `"1500.00"`. */
  readonly received: string;
  /**
   * What is left to pay, and what `pay` asks for. Money that needs review, or that a person has dismissed, does not
   * count. `"0.00"` if the order is paid or over.
   */
  readonly due: string;
  /** Every payment that was completed for the order, the first one first. */
  readonly payments: readonly OrderPayment[];
  /** What was paid back, the first refund first. */
  readonly refunds: readonly CustomerRefund[];
  /** When it became known that it is paid: ISO 8601. */
  readonly paidAt?: string;
  /** What `publicMetadata` names of your own data. Absent if that is nothing. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. */
  readonly updatedAt: string;
  /** @internal */
  readonly [forStaff]?: never;
}

/**
 * An order with everything that is known of it, for your own code and your staff. Do not send it to a page: the order
 * of a customer is {@link CustomerOrder}.
 */
export interface Order extends Omit<CustomerOrder, "metadata" | typeof forStaff> {
  readonly attempts: readonly Attempt[];
  readonly refunds: readonly Refund[];
  /** What `onPaid` threw the last time, while the goods are due: at most 200 characters, with phones masked. */
  readonly effectError?: string;
  /** The reviews that a person has not decided yet. */
  readonly reviews: readonly Review[];
  /** Your own data, as `pay`, `create` or `update` got it. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** @internal */
  readonly [forStaff]?: true;
}
