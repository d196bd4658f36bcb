/**
 * A page that follows a payment without a key: a route on your server, and what the page calls.
 *
 * @module malipo/status
 */

export type { Payment } from "../../contract/payment.ts";
export { type FollowOptions, followPayment, type PaymentProgress } from "./follow-payment.ts";
export type { PaymentWaiter } from "./shared-wait.ts";
export { type StatusHandlerOptions, statusHandler } from "./status-handler.ts";
