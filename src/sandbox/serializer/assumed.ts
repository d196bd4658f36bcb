import { ENDPOINTS, type Endpoint } from "../../contract/endpoints.ts";
import { ASSUMPTIONS } from "../assumptions.ts";
import { formatTimestamp } from "../clock/time.ts";
import type { ErrorCause } from "../exchange/error-response.ts";
import { jsonResponse } from "../exchange/json-response.ts";
import type { Records, Resource } from "../exchange/result.ts";
import { nextName, type RandomState } from "../state/random.ts";
import type { EventRecord } from "../state/stored.ts";
import { ASSUMED_PAGING, readPage } from "./page-request.ts";
import type { IdKind, Serializer } from "./serializer.ts";
import { failedPaymentView, invoiceView, paymentView } from "./views.ts";

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

type Views = { readonly [One in Resource]: (record: Records[One]) => object };

const VIEWS: Views = {
  merchant: (merchant) => merchant,
  account: (account) => account,
  payment: paymentView,
  initiation: ({ reference, checkout_request_id }) => ({
    reference,
    ...(checkout_request_id && { checkout_request_id }),
  }),
  phone: (phone) => phone,
  webhook: (webhook) => webhook,
  invoice: invoiceView,
  deletion: ({ id }) => ({ id, deleted: true }),
};

/** The view of a resource. The caller must give it a record of that resource. */
export const viewOf = (resource: Resource): ((record: unknown) => object) =>
  VIEWS[resource] as (record: unknown) => object;

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
