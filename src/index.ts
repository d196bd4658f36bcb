/**
 * The client: a gateway, its errors, and what a handler of webhooks cannot do without.
 *
 * @module malipo
 */

// The client

export { Gateway } from "./client/gateway.ts";
export type {
  AttemptResult,
  DriftView,
  GatewayHooks,
  RequestView,
  ResponseView,
  RetryView,
} from "./client/hooks.ts";
export type { Query } from "./client/http/url.ts";
export type { CreateName, Idempotency } from "./client/idempotency/resolve.ts";
export type {
  AttemptEnd,
  IdempotencyStore,
  NewAttempt,
  ResolveResult,
  Standing,
} from "./client/idempotency/store.ts";
export { memoryIdempotency } from "./client/idempotency/stores/memory.ts";
export type { RequestParams } from "./client/request.ts";
// Its namespaces, as types: they come with a gateway and are not made by hand
export type { Invoices } from "./client/resources/invoices.ts";
export type { Merchant as MerchantNamespace } from "./client/resources/merchant.ts";
export type { CollectOptions, MobileMoney } from "./client/resources/mobile-money.ts";
export type { Payments } from "./client/resources/payments.ts";
export type { Webhooks } from "./client/resources/webhooks.ts";
export type { Page } from "./client/response/page.ts";
export type { Result, WithResponse } from "./client/response/result.ts";
export type { CallOptions, CreateOptions, GatewayOptions } from "./client/settings.ts";
export type {
  ReconcileOptions,
  ReconcileProgress,
  ReconcileReport,
} from "./client/waiting/reconcile.ts";
export type { WaitOptions } from "./client/waiting/wait-for-payment.ts";
export { createWakeups, type Wake, type Wakeups } from "./client/waiting/wakeups/local.ts";

// The contract. The table of endpoints stays inside: its rows hold schemas of the library behind
// them, which would then be part of this package's interface.
export type { EndpointName, PublicMethod, Scope } from "./contract/endpoints.ts";
// Webhooks: what a handler cannot do without; the rest is in `malipo/webhooks`
export {
  isKnownEvent,
  type KnownWebhookEvent,
  type UnknownWebhookEvent,
  type WebhookEvent,
} from "./contract/events.ts";
export type { Invoice, InvoiceFields, InvoiceSendParams } from "./contract/invoice.ts";
export type { KeyKind } from "./contract/keys.ts";
export type { Merchant, PaymentAccount } from "./contract/merchant.ts";
export type {
  InitiatedPayment,
  MobileMoneyPayment,
  MobileMoneyPaymentParams,
  MobileMoneyStatus,
  MobileMoneyStatusParams,
  Payment,
  PaymentParams,
  PaymentStatus,
  PhoneValidation,
} from "./contract/payment.ts";
export { type MergedPayment, mergePayment } from "./contract/payment-state.ts";
export type { Webhook, WebhookChanges, WebhookRegistration } from "./contract/webhook.ts";
export {
  type AnswerFields,
  ApiError,
  type ApiErrorCode,
  AuthenticationError,
  ConflictError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  UnexpectedResponseError,
} from "./errors/answer.ts";
// Errors
export { type AnyGatewayError, type GatewayErrorCode, isGatewayError } from "./errors/any.ts";
export { GatewayError, type Outcome } from "./errors/base.ts";
export {
  ConfigurationError,
  InvalidParamsError,
  KeyTypeError,
  type ParamIssue,
} from "./errors/configuration.ts";
export { ConnectionError, TimeoutError } from "./errors/connection.ts";
export {
  IdempotencyConflictError,
  OutcomeUnknownError,
  PaymentPendingError,
} from "./errors/settlement.ts";
export { type WebhookErrorCode, WebhookVerificationError } from "./errors/webhook.ts";
export { type VerifyWebhookOptions, verifyWebhook } from "./webhooks/verification/verify.ts";
