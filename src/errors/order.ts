import { GatewayError } from "./base.ts";

/**
 * The order exists with another amount or currency, or another order has its account reference. Nothing
 * was changed. Use a new id for another order. Outcome `not_sent`.
 */
export class OrderConflictError extends GatewayError {
  protected static override readonly malipo: string = "OrderConflictError";
  override readonly code = "order_conflict" as const;
  /** What Express, Fastify and Nest answer if no code of yours handles it. */
  get statusCode(): 409 {
    return 409;
  }
  /** The id of the order. */
  readonly orderId: string;
  constructor(message: string, orderId: string) {
    super(message, "not_sent");
    this.orderId = orderId;
  }
}

/**
 * The order cannot change now, since a phone is asked to pay it, or it is not known whether it is. Nothing was changed.
 * Try again when `pay`, `wait` or `get` shows that the attempt has ended, at the latest after `until`. Outcome `not_sent`.
 */
export class OrderBusyError extends GatewayError {
  protected static override readonly malipo: string = "OrderBusyError";
  override readonly code = "order_busy" as const;
  /** What Express, Fastify and Nest answer if no code of yours handles it. */
  get statusCode(): 409 {
    return 409;
  }
  /** The id of the order. */
  readonly orderId: string;
  /** When its prompt can be open no longer, as far as is known. A customer who answers ends it earlier. */
  readonly until: Date;
  constructor(message: string, orderId: string, until: Date) {
    super(message, "not_sent");
    this.orderId = orderId;
    this.until = until;
  }
}

/** How a review ended. */
export interface ReviewEnd {
  readonly reviewId: string;
  /** What was decided; `closed` if the review ended by itself, since what became known later answered it. */
  readonly decision: "accept" | "refunded" | "dismiss" | "closed";
  /** Who decided it, as `reviews.resolve` was told; `undefined` if it was not told. */
  readonly by: string | undefined;
  /** When it was decided; `undefined` if the review of a payment without an order ended by itself. */
  readonly decidedAt: Date | undefined;
}

/**
 * A review was decided before, by another person, another process or an earlier call. Nothing was changed. The
 * error says who decided what, and when. Outcome `not_sent`.
 */
export class ReviewDecidedError extends GatewayError implements ReviewEnd {
  protected static override readonly malipo: string = "ReviewDecidedError";
  override readonly code = "review_decided" as const;
  /** What Express, Fastify and Nest answer if no code of yours handles it. */
  get statusCode(): 409 {
    return 409;
  }
  /** The id of the review that was decided. */
  declare readonly reviewId: string;
  /** What was decided; `closed` if the review ended by itself, since what became known later answered it. */
  declare readonly decision: ReviewEnd["decision"];
  /** Who decided it, as `reviews.resolve` was told; `undefined` if it was not told. */
  declare readonly by: string | undefined;
  /** When it was decided; `undefined` if the review of a payment without an order ended by itself. */
  declare readonly decidedAt: Date | undefined;
  constructor(message: string, end: ReviewEnd) {
    super(message, "not_sent");
    Object.assign(this, end);
  }
}

/**
 * A review cannot be accepted, since another payment has paid its order: the money of the review would vanish.
 * Nothing was changed, and the review is still open. Decide `refunded` or `dismiss`. Outcome `not_sent`.
 */
export class OrderPaidError extends GatewayError {
  protected static override readonly malipo: string = "OrderPaidError";
  override readonly code = "order_paid" as const;
  /** What Express, Fastify and Nest answer if no code of yours handles it. */
  get statusCode(): 409 {
    return 409;
  }
  /** The id of the order. */
  readonly orderId: string;
  /**
   * The reference of the payment that paid it, or `#1` for its first attempt, if a person accepted that.
   * `paid_elsewhere` if `cancel` was told so.
   */
  readonly paidBy: string;
  /** The id of the review, which is still open. */
  readonly reviewId: string;
  constructor(message: string, orderId: string, paidBy: string, reviewId: string) {
    super(message, "not_sent");
    this.orderId = orderId;
    this.paidBy = paidBy;
    this.reviewId = reviewId;
  }
}
