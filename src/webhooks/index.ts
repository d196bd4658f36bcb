/**
 * Verifies webhooks, and receives them so that none is lost and none is processed twice.
 *
 * @module malipo/webhooks
 */

export type { DoublePayment } from "../contract/double-payment.ts";
export {
  type EventKind,
  type InvoiceCreatedData,
  type InvoiceOverdueData,
  type InvoicePaidData,
  isKnownEvent,
  type KnownWebhookEvent,
  type PaymentCompletedData,
  type PaymentCompletedEvent,
  type PaymentFailedData,
  type PaymentFailedEvent,
  type PaymentInitiatedData,
  type SubscriptionCanceledData,
  type SubscriptionCreatedData,
  type UnknownWebhookEvent,
  type WebhookEnvelope,
  type WebhookEvent,
} from "../contract/events.ts";
export { isGatewayError } from "../errors/any.ts";
export { GatewayError, type Outcome } from "../errors/base.ts";
export { ConfigurationError } from "../errors/configuration.ts";
export { type WebhookErrorCode, WebhookVerificationError } from "../errors/webhook.ts";
export type { Conflict, DeadLetter } from "./inbox/event-list.ts";
export {
  type DrainResult,
  type EventSource,
  type Inbox,
  type InboxStats,
  receiptFor,
  type Transaction,
} from "./inbox/inbox-types.ts";
export type { HandlerContext, WebhookHandler } from "./receiver/handlers.ts";
export { createWebhookReceiver } from "./receiver/receiver.ts";
export type { WebhookHooks } from "./receiver/receiver-hooks.ts";
export type { MerchantSecret, WebhookReceiverOptions } from "./receiver/receiver-options.ts";
export type { SweepResult } from "./receiver/sweep.ts";
export type { DoublePayments, PendingEvents, WaitingEvents } from "./receiver/waiting-events.ts";
export type { WebhookReceiver } from "./receiver/webhook-receiver.ts";
export type { WebhookResponse } from "./receiver/webhook-responses.ts";
export type { RawBody } from "./verification/raw-body.ts";
export type { WebhookSecret } from "./verification/secret.ts";
export { signWebhook } from "./verification/signature.ts";
export type { WebhookHeaders } from "./verification/signature-header.ts";
export { type VerifyWebhookOptions, verifyWebhook } from "./verification/verify-webhook.ts";
