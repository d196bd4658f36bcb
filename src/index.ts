/**
 * The client of the payment gateway, its errors, and the verification of webhooks.
 *
 * @module malipo
 */

// The client

export { Gateway } from "./client/gateway.ts";
export type { DriftView, GatewayHooks } from "./client/hooks.ts";
export type { Query } from "./client/http/url.ts";
export type { CallOptions, CreateOptions, GatewayOptions } from "./client/options.ts";
export type { Page } from "./client/response/page.ts";
export type { Result } from "./client/response/result.ts";

// The namespaces of a gateway. Only types: `new Gateway()` makes the objects.

export type { Invoices } from "./client/resources/invoices.ts";
export type { Merchant as MerchantNamespace } from "./client/resources/merchant.ts";
export type { MobileMoney } from "./client/resources/mobile-money.ts";
export type { Payments } from "./client/resources/payments.ts";
export type { Webhooks } from "./client/resources/webhooks.ts";

// Idempotency, and what stores in this process

export type { Attempt } from "./client/unknown-outcomes/recorded-attempts.ts";
export type { Idempotency } from "./client/unknown-outcomes/resolve.ts";
export type { ResolveUnknownResult } from "./client/unknown-outcomes/resolve-unknown.ts";
export {
  type MemoryDatabase,
  type MemoryEngine,
  type MemoryOptions,
  memory,
} from "./engines/memory.ts";
export type { IdempotencyStore } from "./idempotency/idempotency-store.ts";

// Waiting for payments

export type { CollectOptions } from "./client/waiting/collect.ts";
export type { ReconcileResult } from "./client/waiting/reconcile.ts";
export type { WaitOptions } from "./client/waiting/wait-options.ts";
export { createWakeups, type Wake, type Wakeups } from "./client/wakeups/local.ts";
export { accountReferenceFor } from "./contract/account-reference.ts";
export type { DoublePayment } from "./contract/double-payment.ts";
export { explainFailure, type FailureExplanation } from "./contract/explain-failure.ts";
export { mergePayment } from "./contract/payment-state.ts";

// What the service sends and takes. The table of endpoints is not exported: its rows may change with
// every new endpoint, and `malipo/openapi.json` says the same in a form that has a standard.

export type { Invoice, InvoiceFields, InvoiceSendParams } from "./contract/invoice.ts";
export type { Merchant, PaymentAccount } from "./contract/merchant-account.ts";
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
export type { Webhook, WebhookChanges, WebhookRegistration } from "./contract/webhook.ts";

// Errors

export { type AnyGatewayError, type GatewayErrorCode, isGatewayError } from "./errors/any.ts";
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  UnexpectedResponseError,
} from "./errors/api.ts";
export {
  AttemptInFlightError,
  IdempotencyConflictError,
  OutcomeUnknownError,
} from "./errors/attempt.ts";
export { GatewayError, type Outcome } from "./errors/base.ts";
export {
  ConfigurationError,
  InvalidParamsError,
  KeyTypeError,
  type ParamIssue,
} from "./errors/configuration.ts";
export { ConnectionError, TimeoutError } from "./errors/connection.ts";
export { PaymentPendingError } from "./errors/payment.ts";
export { type WebhookErrorCode, WebhookVerificationError } from "./errors/webhook.ts";

// Webhooks. The receiver and its inboxes are in `malipo/webhooks`.

export {
  isKnownEvent,
  type KnownWebhookEvent,
  type UnknownWebhookEvent,
  type WebhookEvent,
} from "./contract/events.ts";
export {
  type VerifyWebhookOptions,
  verifyWebhook,
} from "./webhooks/verification/verify-webhook.ts";
