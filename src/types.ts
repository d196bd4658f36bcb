/**
 * Types that few programs name, since the compiler infers them: what an own store of idempotency keys or an
 * own inbox implements, what hooks are called with, and what lists take and return.
 *
 * @module malipo/types
 */

export type { GatewayObserver, ObservedExchange } from "./client/gateway-observer.ts";
export type { AttemptResult, RequestView, ResponseView, RetryView } from "./client/hooks.ts";
export type { RequestParams } from "./client/request.ts";
export type { WithResponse } from "./client/response/result.ts";
export type { AttemptList, AttemptQuery } from "./client/unknown-outcomes/recorded-attempts.ts";
export type {
  CreateName,
  KeyOptions,
  KeyState,
  ResolveOptions,
} from "./client/unknown-outcomes/resolve-attempt.ts";
export type { ResolveUnknownOptions } from "./client/unknown-outcomes/resolve-unknown.ts";
export type { ReconcileOptions, ReconcileProgress } from "./client/waiting/reconcile.ts";
export type { WakeupsEngine } from "./client/wakeups/wakeups-engine.ts";
export type { AccountReferenceOptions } from "./contract/account-reference.ts";
export type { EndpointName, PublicMethod, Scope } from "./contract/endpoints.ts";
export type { ExplainablePayment } from "./contract/explain-failure.ts";
export type { KeyKind } from "./contract/keys.ts";
export type { PaymentFields } from "./contract/payment.ts";
export type { MergedPayment } from "./contract/payment-state.ts";
export type { RetryAdvice } from "./contract/result-codes.ts";
export type { ApiErrorCode, ResponseFields } from "./errors/api.ts";
export type { InFlightAttempt } from "./errors/attempt.ts";
export type { KeyStatus } from "./errors/base.ts";
export type { IdempotencyEngine } from "./idempotency/idempotency-engine.ts";
export type {
  AttemptDigests,
  AttemptEnd,
  AttemptPage,
  AttemptRecord,
  BeginResult,
  InFlightResult,
  ListQuery,
  MatchFields,
  NewAttempt,
  ReadAttempt,
  RecordedService,
  ResolveResult,
  SucceededResult,
  UnknownResult,
} from "./idempotency/idempotency-store.ts";
export type { IdempotencyStoreOptions } from "./idempotency/store-options.ts";
export type {
  EventFilter,
  EventList,
  EventPage,
  EventPosition,
  EventQuery,
  WaitingEvent,
  WaitingList,
  WithBody,
} from "./webhooks/inbox/event-list.ts";
export type { InboxEngine, InboxOptions } from "./webhooks/inbox/inbox-engine.ts";
export type {
  DoublePaymentList,
  DrainLimits,
  Horizon,
  Job,
  NewDelivery,
  Receipt,
  StoredDoublePayment,
  TraceContext,
  WorkerOptions,
} from "./webhooks/inbox/inbox-types.ts";
export type { WebhookRequest } from "./webhooks/receiver/accept.ts";
export type { MerchantRequest } from "./webhooks/receiver/merchants/merchant-request.ts";
export type {
  Observation,
  ProcessResult,
  ProcessView,
  ReceiveObservation,
  ReceiveResult,
  ReceiveView,
} from "./webhooks/receiver/receiver-hooks.ts";
export type {
  AttemptResolver,
  DeliveryObserver,
  FailedAttempt,
  FoundSecret,
  NotifierEngine,
  ObservedDelivery,
  PaymentNotifier,
  PaymentReader,
} from "./webhooks/receiver/receiver-options.ts";
export type { Acknowledgement, Rejection } from "./webhooks/receiver/webhook-responses.ts";
