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
  type PaymentFailedData,
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
export type {
  Conflict,
  DeadLetter,
  EventFilter,
  EventList,
  EventPage,
  EventPosition,
  EventQuery,
  WithBody,
} from "./inbox/event-list.ts";
export { memoryInbox } from "./inbox/memory/inbox.ts";
export {
  type DoublePaymentList,
  type DrainLimits,
  type DrainResult,
  type EventSource,
  type Horizon,
  type Inbox,
  type InboxStats,
  type Job,
  type NewDelivery,
  type Receipt,
  receiptFor,
  type StoredDoublePayment,
  type TraceContext,
  type Transaction,
  type WorkerOptions,
} from "./inbox/types.ts";
export type { WebhookRequest } from "./receiver/accept.ts";
export type { HandlerContext, WebhookHandler } from "./receiver/handlers.ts";
export type {
  Observation,
  ProcessResult,
  ProcessView,
  ReceiveObservation,
  ReceiveResult,
  ReceiveView,
  WebhookHooks,
} from "./receiver/hooks.ts";
export type { MerchantRequest } from "./receiver/merchants/merchant-request.ts";
export type {
  AttemptResolver,
  DeliveryObserver,
  FailedAttempt,
  FoundSecret,
  MerchantSecret,
  ObservedDelivery,
  PaymentReader,
  WebhookReceiverOptions,
} from "./receiver/options.ts";
export { createWebhookReceiver, type WebhookReceiver } from "./receiver/receiver.ts";
export type { Acknowledgement, Rejection, WebhookResponse } from "./receiver/responses.ts";
export type { SweepResult } from "./receiver/sweep.ts";
export type { DoublePayments, WaitingEvents } from "./receiver/waiting-events.ts";
export type { RawBody } from "./verification/raw-body.ts";
export type { WebhookSecret } from "./verification/secret.ts";
export { signWebhook } from "./verification/signature.ts";
export type { WebhookHeaders } from "./verification/signature-header.ts";
export { type VerifyWebhookOptions, verifyWebhook } from "./verification/verify.ts";
