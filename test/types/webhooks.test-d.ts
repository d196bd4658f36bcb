import {
  type AnyGatewayError,
  ApiError,
  ConfigurationError,
  type ConnectionError,
  GatewayError,
  type GatewayErrorCode,
  InvalidParamsError,
  isGatewayError,
  mergePayment,
  NotFoundError,
  type Outcome,
  type ParamIssue,
  type Payment,
  RateLimitError,
  TimeoutError,
} from "malipo";
import type { ApiErrorCode, MergedPayment } from "malipo/types";
import {
  type EventKind,
  isKnownEvent,
  type KnownWebhookEvent,
  type PaymentCompletedData,
  type PaymentCompletedEvent,
  type PaymentFailedData,
  type PaymentFailedEvent,
  signWebhook,
  type UnknownWebhookEvent,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookErrorCode,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookSecret,
  WebhookVerificationError,
} from "malipo/webhooks";
import { expectTypeOf, test } from "vitest";

declare module "malipo/webhooks" {
  interface PaymentCompletedData {
    till_number_of_test?: string;
  }
  interface PaymentFailedData {
    /** The service does not document it for a failed payment. One service may send it all the same. */
    currency?: string;
  }
}

declare module "malipo" {
  interface Payment {
    fee_of_test?: string;
  }
}

declare const event: WebhookEvent;
declare const error: unknown;

test("isKnownEvent with a kind narrows to the events of that kind", () => {
  if (isKnownEvent(event, "payment.completed")) {
    expectTypeOf(event).toEqualTypeOf<KnownWebhookEvent<"payment.completed">>();
    expectTypeOf(event.event).toEqualTypeOf<"payment.completed">();
    expectTypeOf(event.data).toExtend<PaymentCompletedData>();
    expectTypeOf(event.data.amount).toEqualTypeOf<string>();
    expectTypeOf(event.data.status).toEqualTypeOf<"completed">();
    // @ts-expect-error: only a failed payment has it
    event.data.retry_possible satisfies boolean;
  }
  if (isKnownEvent(event, "payment.failed")) {
    expectTypeOf(event.data).toExtend<PaymentFailedData>();
    expectTypeOf(event.data.retry_possible).toEqualTypeOf<boolean | undefined>();
    expectTypeOf(event.data.account_reference).toEqualTypeOf<undefined>();
    // @ts-expect-error: a failed payment has no account_reference
    event.data.account_reference satisfies string;
    // @ts-expect-error: the field is misspelt
    event.data.failure_raeson;
  }
  // @ts-expect-error: the kind does not exist
  isKnownEvent(event, "payment.refunded");
});

test("declaration merging adds a field that a service sends beside the documented ones", () => {
  if (isKnownEvent(event, "payment.completed")) {
    expectTypeOf(event.data.till_number_of_test).toEqualTypeOf<string | undefined>();
  }
});

test("a field of the other payment event may be declared, too", () => {
  if (isKnownEvent(event, "payment.failed")) {
    expectTypeOf(event.data.currency).toEqualTypeOf<string | undefined>();
  }
});

test("a field that the service may leave out is optional in a payment and in its events", () => {
  type Optional = "payment_id" | "merchant_id" | "phone" | "account_reference" | "payer_name";
  expectTypeOf<Pick<PaymentCompletedData, Optional>>().toEqualTypeOf<Pick<Payment, Optional>>();
  type Cause = "payment_id" | "failure_reason" | "user_message" | "retry_possible";
  expectTypeOf<Pick<PaymentFailedData, Cause>>().toEqualTypeOf<Pick<Payment, Cause>>();
});

test("the events of a payment have what a read must have to become the same event", () => {
  expectTypeOf<PaymentCompletedData["reference"]>().toEqualTypeOf<string>();
  expectTypeOf<PaymentCompletedData["amount"]>().toEqualTypeOf<string>();
  expectTypeOf<PaymentCompletedData["currency"]>().toEqualTypeOf<string>();
  expectTypeOf<PaymentFailedData["reference"]>().toEqualTypeOf<string>();
  expectTypeOf<PaymentFailedData["amount"]>().toEqualTypeOf<string>();
});

test("one function takes the events of a payment that has ended", () => {
  const label = ({ data }: PaymentCompletedEvent | PaymentFailedEvent) => {
    expectTypeOf(data.account_reference).toEqualTypeOf<string | undefined>();
    expectTypeOf(data.user_message).toEqualTypeOf<string | undefined>();
    expectTypeOf(data.reference).toEqualTypeOf<string>();
    if (data.status === "failed") expectTypeOf(data.transaction_id).toEqualTypeOf<undefined>();
    // @ts-expect-error: the field is misspelt
    data.failure_raeson;
    return data.status;
  };
  expectTypeOf(label).returns.toEqualTypeOf<"completed" | "failed">();
});

test("mergePayment takes what is stored, a read, and the data of an event", () => {
  const stored: Payment | undefined = undefined;
  const merged = ({ data }: PaymentCompletedEvent | PaymentFailedEvent) =>
    mergePayment(stored, data);
  expectTypeOf(merged).returns.toEqualTypeOf<MergedPayment>();
  if (isKnownEvent(event, "payment.completed")) mergePayment(stored, event.data);
  if (isKnownEvent(event, "payment.failed")) mergePayment(stored, event.data);
  mergePayment(stored, { status: "pending", reference: "PAY-1", a_field_of_next_year: 1 });
  expectTypeOf<MergedPayment["payment"]["fee_of_test"]>().toEqualTypeOf<string | undefined>();
  // @ts-expect-error: a report has a status
  mergePayment(stored, { reference: "PAY-1" });
  // @ts-expect-error: an event that is not narrowed may be of an invoice
  mergePayment(stored, event.data);
});

test("a switch on the kind of a known event narrows its data", () => {
  if (!isKnownEvent(event)) {
    expectTypeOf(event).toEqualTypeOf<UnknownWebhookEvent>();
    return;
  }
  expectTypeOf(event.event).toEqualTypeOf<EventKind>();
  switch (event.event) {
    case "payment.completed":
      expectTypeOf(event).toEqualTypeOf<PaymentCompletedEvent>();
      break;
    case "payment.failed":
      expectTypeOf(event).toEqualTypeOf<PaymentFailedEvent>();
      expectTypeOf(event.data.user_message).toEqualTypeOf<string | undefined>();
      break;
    case "payment.initiated":
    case "invoice.created":
    case "invoice.paid":
    case "invoice.overdue":
    case "subscription.created":
    case "subscription.canceled":
      expectTypeOf(event.data.total).toEqualTypeOf<unknown>();
      break;
    default:
      // Every kind is handled above.
      expectTypeOf(event).toBeNever();
  }
});

test("an event of an unknown kind has a string as its kind and untyped data", () => {
  expectTypeOf<UnknownWebhookEvent["event"]>().toEqualTypeOf<string>();
  expectTypeOf<UnknownWebhookEvent["data"]>().toEqualTypeOf<Record<string, unknown>>();
  expectTypeOf<UnknownWebhookEvent>().toExtend<WebhookEvent>();
  expectTypeOf<UnknownWebhookEvent>().not.toExtend<KnownWebhookEvent>();
});

test("an event that is not narrowed has the fields of every event", () => {
  expectTypeOf(event.timestamp).toEqualTypeOf<string>();
  expectTypeOf(event.event).toEqualTypeOf<string>();
  expectTypeOf(event.data.reference).toEqualTypeOf<unknown>();
  // @ts-expect-error: the event is not narrowed to a kind
  event.data.amount satisfies string;
});

test("KnownWebhookEvent<kind> is an event of that kind", () => {
  type Completed = KnownWebhookEvent<"payment.completed">;
  expectTypeOf<Completed["event"]>().toEqualTypeOf<"payment.completed">();
  expectTypeOf<Completed>().toEqualTypeOf<PaymentCompletedEvent>();
  expectTypeOf<Completed["data"]>().toExtend<PaymentCompletedData>();
  expectTypeOf<KnownWebhookEvent["event"]>().toEqualTypeOf<EventKind>();
  expectTypeOf<KnownWebhookEvent<"invoice.paid" | "payment.failed">["event"]>().toEqualTypeOf<
    "invoice.paid" | "payment.failed"
  >();
  expectTypeOf<Completed>().toExtend<WebhookEvent>();
  // @ts-expect-error: the kind does not exist
  type Refunded = KnownWebhookEvent<"payment.refunded">;
  expectTypeOf<Refunded>().toBeNever();
});

test("WebhookVerificationError has literal codes and statuses", () => {
  if (!(error instanceof WebhookVerificationError)) return;
  expectTypeOf(error.code).toEqualTypeOf<WebhookErrorCode>();
  expectTypeOf<WebhookErrorCode>().toEqualTypeOf<
    | "signature_missing"
    | "signature_malformed"
    | "signature_mismatch"
    | "timestamp_out_of_range"
    | "payload_invalid"
    | "body_not_raw"
  >();
  expectTypeOf(error.status).toEqualTypeOf<400 | 401 | 500>();
  expectTypeOf(error.outcome).toEqualTypeOf<Outcome>();
  // @ts-expect-error: the fields of an error are read-only
  error.status = 200;
});

test("a switch on the code of a gateway error narrows it to its class", () => {
  if (!isGatewayError(error)) {
    expectTypeOf(error).toEqualTypeOf<unknown>();
    return;
  }
  expectTypeOf(error.outcome).toEqualTypeOf<Outcome>();
  switch (error.code) {
    case "rate_limit":
      expectTypeOf(error.retryAfterMs).toEqualTypeOf<number | undefined>();
      expectTypeOf(error.status).toEqualTypeOf<number>();
      break;
    case "api":
    case "authentication":
    case "permission":
    case "not_found":
    case "conflict":
    case "invalid_request":
    case "server":
      expectTypeOf(error).toExtend<ApiError>();
      expectTypeOf(error.body).toEqualTypeOf<unknown>();
      expectTypeOf(error.headers).toEqualTypeOf<Headers>();
      break;
    case "invalid_params":
      expectTypeOf(error.issues).toEqualTypeOf<readonly ParamIssue[]>();
      // @ts-expect-error: nothing was sent, so there is no status
      error.status satisfies number;
      break;
    case "timeout":
      expectTypeOf(error.timeoutMs).toEqualTypeOf<number>();
      break;
    case "unexpected_response":
      expectTypeOf(error.status).toEqualTypeOf<number>();
      break;
    case "connection":
      expectTypeOf(error).toEqualTypeOf<ConnectionError>();
      break;
    case "configuration":
    case "key_type":
      expectTypeOf(error.message).toEqualTypeOf<string>();
      break;
    case "body_not_raw":
    case "payload_invalid":
    case "signature_malformed":
    case "signature_mismatch":
    case "signature_missing":
    case "timestamp_out_of_range":
      expectTypeOf(error).toExtend<WebhookVerificationError>();
      expectTypeOf(error.status).toEqualTypeOf<400 | 401 | 500>();
      break;
    case "payment_pending":
      expectTypeOf(error.reference).toEqualTypeOf<string>();
      break;
    case "idempotency_conflict":
    case "outcome_unknown":
    case "attempt_in_flight":
      expectTypeOf(error.idempotencyKey).toEqualTypeOf<string>();
      break;
    case "order_conflict":
      expectTypeOf(error.orderId).toEqualTypeOf<string>();
      break;
    case "order_busy":
      expectTypeOf(error.until).toEqualTypeOf<Date>();
      break;
    case "order_paid":
      expectTypeOf(error.paidBy).toEqualTypeOf<string>();
      break;
    case "review_decided":
      expectTypeOf(error.decidedAt).toEqualTypeOf<Date | undefined>();
      break;
    default:
      // Every code is handled above.
      expectTypeOf(error).toBeNever();
  }
});

test("instanceof narrows to every class", () => {
  if (error instanceof GatewayError) expectTypeOf(error).toEqualTypeOf<GatewayError>();
  if (error instanceof ApiError) expectTypeOf(error.code).toEqualTypeOf<ApiErrorCode>();
  if (error instanceof NotFoundError)
    expectTypeOf<typeof error.code>().toEqualTypeOf<"not_found">();
  if (error instanceof RateLimitError) {
    expectTypeOf(error.retryAfterMs).toEqualTypeOf<number | undefined>();
  }
  if (error instanceof InvalidParamsError) {
    expectTypeOf(error.issues).toEqualTypeOf<readonly ParamIssue[]>();
  }
  if (error instanceof TimeoutError) expectTypeOf(error.timeoutMs).toEqualTypeOf<number>();
  if (error instanceof ConfigurationError)
    expectTypeOf<typeof error.code>().toEqualTypeOf<"configuration">();
});

test("ApiErrorCode includes the codes of the subclasses", () => {
  expectTypeOf<ApiErrorCode>().toExtend<GatewayErrorCode>();
  expectTypeOf<AnyGatewayError["code"]>().toEqualTypeOf<GatewayErrorCode>();
});

test("verifyWebhook accepts the bodies and headers of every runtime, and no parsed body", () => {
  expectTypeOf(verifyWebhook).returns.toEqualTypeOf<WebhookEvent>();
  expectTypeOf<string | Uint8Array | ArrayBuffer | Buffer>().toExtend<
    VerifyWebhookOptions["body"]
  >();
  expectTypeOf<Headers>().toExtend<WebhookHeaders>();
  expectTypeOf<import("node:http").IncomingHttpHeaders>().toExtend<WebhookHeaders>();
  expectTypeOf<NodeJS.Dict<string[]>>().toExtend<WebhookHeaders>();
  expectTypeOf<string | Uint8Array | readonly WebhookSecret[]>().toExtend<
    VerifyWebhookOptions["secret"]
  >();
  expectTypeOf<string | null>().toExtend<VerifyWebhookOptions["signature"]>();
  expectTypeOf(signWebhook).returns.toEqualTypeOf<string>();

  const secret = "whsec";
  // @ts-expect-error: the signature is of the raw body, not of a parsed one
  verifyWebhook({ body: { event: "a" }, secret, signature: "" });
  // @ts-expect-error: the environment variable may be unset
  verifyWebhook({ body: "", secret: process.env.SECRET, signature: "" });
  // @ts-expect-error: the option does not exist
  verifyWebhook({ body: "", secret, signature: "", tolerance: 300 });
  // @ts-expect-error: seconds are a number
  verifyWebhook({ body: "", secret, signature: "", maxAgeSeconds: "300" });
});
