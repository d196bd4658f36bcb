/**
 * An order that is paid once: several attempts, one payment, the goods once.
 *
 * @module malipo/checkout
 */

export {
  OrderConflictError,
  OrderPaidError,
  ReviewDecidedError,
  type ReviewEnd,
} from "../errors/order.ts";
export type {
  BookedPayment,
  CurrencySum,
  Difference,
  DifferenceKind,
  OpenByAge,
} from "./books/compare-books.ts";
export type { BooksReport, ReportQuery } from "./books/day-books.ts";
export type { GoodsDue } from "./books/read-books.ts";
export { createCheckout } from "./checkout.ts";
export type { CheckoutEngine } from "./checkout-engine.ts";
export type { Checkout, CheckoutOptions, NewOrder, PayParams } from "./checkout-options.ts";
export type { CheckoutStore } from "./checkout-store.ts";
export type { PaidContext } from "./give-goods.ts";
export type { OrderEvent } from "./history.ts";
export type { ManagedOrders, OrderQuery, RejectedOrder } from "./manage-orders.ts";
export type { ManagedReviews } from "./manage-reviews.ts";
export type { OrderChange } from "./order-change.ts";
export type {
  Attempt,
  AttemptStatus,
  Order,
  OrderPayment,
  OrderStatus,
  RejectionAbout,
  Review,
  ReviewDecision,
  ReviewKind,
} from "./order-types.ts";
export type { PayPageMerchant, PayPageOptions } from "./page/page-options.ts";
export type { PayPageMessages, PayPageTexts } from "./page/page-texts.ts";
export type { PayLinkOptions, PayPages } from "./page/pay-page.ts";
