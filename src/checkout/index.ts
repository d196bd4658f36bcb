/**
 * An order that is paid once: several attempts, one payment, the goods once.
 *
 * @module malipo/checkout
 */

export type { CountryCode } from "../contract/countries.ts";
export type { KnownResultCode } from "../contract/result-codes.ts";
export {
  OrderBusyError,
  OrderConflictError,
  OrderPaidError,
  ReviewDecidedError,
  type ReviewEnd,
} from "../errors/order.ts";
export { type NormalizePhoneOptions, normalizePhone } from "../phones/phone-number.ts";
export type {
  BookedPayment,
  CurrencySum,
  Difference,
  DifferenceKind,
  OpenByAge,
} from "./books/compare-books.ts";
export type { BooksReport, ReportQuery } from "./books/day-books.ts";
export type { BookedRefund, GoodsDue } from "./books/read-books.ts";
export { createCheckout } from "./checkout.ts";
export type { Checkout, CheckoutOptions, PayParams } from "./checkout-options.ts";
export type { CheckoutEngine, CheckoutStore } from "./orders/checkout-store.ts";
export type { PaidContext, Refused } from "./orders/give-goods.ts";
export type { ManagedOrders, OrderQuery, RejectedOrder } from "./orders/manage-orders.ts";
export type { ManagedRefunds, NewRefund } from "./orders/manage-refunds.ts";
export type { ManagedReviews, ReviewNote } from "./orders/manage-reviews.ts";
export type { NewOrder } from "./orders/new-order.ts";
export type { OrderUpdate } from "./orders/update-order.ts";
export type { PayPageMessages, PayPageOwnTexts, PayPageTexts } from "./page/languages/texts.ts";
export type { PayPageMerchant, PayPageOptions } from "./page/page-options.ts";
export type { PayLinkOptions, PayPages } from "./page/pay-page.ts";
export type {
  MessageCode,
  MessageValues,
  NetworkMessageCode,
  ReasonCode,
} from "./rules/customer-messages.ts";
export type { OrderEvent } from "./rules/history.ts";
export type { OrderChange } from "./rules/order-change.ts";
export type {
  Attempt,
  AttemptStatus,
  CancelReason,
  CustomerAttempt,
  CustomerOrder,
  CustomerRefund,
  Order,
  OrderPayment,
  OrderStatus,
  Refund,
  RejectionAbout,
  Review,
  ReviewDecision,
  ReviewKind,
} from "./rules/order-types.ts";
