import { ENDPOINTS, type Endpoint } from "../../contract/endpoints.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { formatTimestamp } from "../clock.ts";
import { type ErrorCause, jsonResponse, type Records, type Resource } from "../messages.ts";
import { formatAmount } from "../state/notation.ts";
import { nextName, type RandomState } from "../state/random.ts";
import type { EventRecord, StoredInvoice, StoredPayment } from "../state/stored.ts";
import { ASSUMED_PAGING, type IdKind, readPage, type Serializer } from "./serializer.ts";

/** A payment as a response and `payment.completed` show it: the documented fields. */
export function paymentView(payment: StoredPayment): Record<string, unknown> {
  const { transaction_id, failure } = payment;
  return {
    payment_id: payment.payment_id,
    merchant_id: payment.merchant_id,
    reference: payment.reference,
    amount: formatAmount(payment.cents),
    currency: payment.currency,
    phone: payment.phone,
    status: payment.status,
    account_reference: payment.account_reference,
    ...(payment.checkout_request_id && { checkout_request_id: payment.checkout_request_id }),
    ...(transaction_id && {
      transaction_id,
      provider_transaction_id: transaction_id,
      provider_reference: "The service request is processed successfully.",
      payer_name: "SANDBOX CUSTOMER",
    }),
    ...(failure && failureFields(failure)),
  };
}

const failureFields = (failure: NonNullable<StoredPayment["failure"]>) => ({
  failure_reason: failure.reason,
  user_message: failure.userMessage,
  retry_possible: failure.retryPossible,
});

/** `data` of `payment.failed`: it has fewer fields than a response. */
function failedPaymentView({ payment_id, reference, cents, status, failure }: StoredPayment) {
  return {
    payment_id,
    reference,
    amount: formatAmount(cents),
    status,
    ...(failure && failureFields(failure)),
  };
}

/** An invoice as a response shows it: the merchant's own fields, then the sandbox's. */
function invoiceView(invoice: StoredInvoice): Record<string, unknown> {
  const { id, number, status, cents, dueAt, createdAt, fields } = invoice;
  return {
    ...fields,
    id,
    number,
    status,
    ...(cents === undefined ? {} : { amount: formatAmount(cents) }),
    due_at: formatTimestamp(dueAt),
    created_at: formatTimestamp(createdAt),
  };
}

/** The status of an error response, by its cause. */
export const ASSUMED_STATUSES: Readonly<Record<ErrorCause, number>> = {
  no_key: 401,
  unknown_key: 401,
  wrong_kind: 403,
  missing_scope: 403,
  unknown_id: 404,
  unknown_path: 404,
  wrong_method: 405,
  invalid_path: 400,
  invalid_json: 400,
  invalid_field: 422,
  invalid_phone: 422,
  unusable_phone: 422,
  rate_limit: 429,
};

type Views = { readonly [One in Resource]?: (record: Records[One]) => object };

/** The resources that a response shows in another way than the sandbox stores them. */
const VIEWS: Views = {
  payment: paymentView,
  initiation: ({ reference, checkout_request_id }) => ({
    reference,
    ...(checkout_request_id && { checkout_request_id }),
  }),
  invoice: invoiceView,
  deletion: ({ id }) => ({ id, deleted: true }),
};

/** The view of a resource. The caller must give it a record of that resource. */
export const viewOf = (resource: Resource): ((record: unknown) => object) =>
  (VIEWS[resource] ?? Object) as (record: unknown) => object;

const IDS: Readonly<Record<IdKind, (random: RandomState) => string>> = {
  reference: (random) => `PAY-${nextName(random, "receipt", 12)}`,
  checkout: (random) => `ws_CO_${nextName(random, "digits", 20)}`,
  invoice: (random) => `inv_${nextName(random, "token", 12)}`,
  webhook: (random) => `wh_${nextName(random, "token", 12)}`,
  secret: (random) => `whsec_${nextName(random, "token", 32)}`,
};

/** `data` of an event: the payment or the invoice, as a read returns it; less for a failed payment. */
export function eventData(kind: string, record: EventRecord): object {
  if ("subscription_id" in record) {
    const { createdAt, ...subscription } = record;
    return { ...subscription, created_at: formatTimestamp(createdAt) };
  }
  if ("number" in record) return invoiceView(record);
  return kind === "payment.failed" ? failedPaymentView(record) : paymentView(record);
}

/** How a sandbox without a profile speaks. */
export const ASSUMED_SERIALIZER: Serializer = {
  success: (_asked, result) => {
    const view = viewOf(result.resource);
    if ("records" in result) {
      const { page, size, total } = result.page;
      const meta = { page, per_page: size, total };
      return jsonResponse(200, { success: true, data: result.records.map(view), meta });
    }
    return jsonResponse(result.isNew ? 201 : 200, { success: true, data: view(result.record) });
  },
  error: (_asked, { cause, message, headers }) =>
    jsonResponse(ASSUMED_STATUSES[cause], { success: false, error: message }, headers),
  readPage: (_endpoint, query) => readPage(query, ASSUMED_PAGING),
  newId: (kind, { random }) => IDS[kind](random),
  accountIds: ASSUMPTIONS.paymentAccounts.value,
  mayCall: (kind, endpoint) => (ENDPOINTS[endpoint] as Endpoint).keys.includes(kind),
  accepts: (cause) => cause === "unusable_phone",
  event: (event, at, record) =>
    JSON.stringify({ event, timestamp: formatTimestamp(at), data: eventData(event, record) }),
  deliveryHeaders: ({ signature }) => ({ "x-service-signature": signature }),
  retryDelaysMs: ASSUMPTIONS.deliverySchedule.value,
};
