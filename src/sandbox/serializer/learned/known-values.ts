import { FIELDS_OF_SOME_STATUSES } from "../../../profile/compare-shapes.ts";
import type { Place } from "../../../profile/place.ts";
import { hasTimeFormat } from "../../../profile/vocabulary/formats.ts";
import { VIRTUAL_START } from "../../clock.ts";
import type { Records, Resource } from "../../messages.ts";
import type { StoredInvoice, StoredPayment } from "../../state/stored.ts";
import { paymentView } from "../assumed.ts";
import type { Format, KnownValue } from "./write-values.ts";

/** What is known of a resource, by the name of its field. */
export type KnownFields = Readonly<Record<string, KnownValue>>;

/** Whichever the service has. */
const ANY = /^/;
const COMPLETED = /^(success|successful|succeeded|paid|complete|settled|confirmed)$/;
const FAILED = /^(failure|error|declined|rejected|unsuccessful)$/;
const PROCESSING = /^(processing|in_progress)$/;
const PENDING = /^(processing|in_progress|queued|initiated|created|sent|awaiting.*|started)$/;
const EXPIRED = /^(expired|timed_?out|timeout|abandoned)$/;

/** The names of services for a failure, by the code of the network at the beginning of its reason. */
const FAILURES: Readonly<Record<string, RegExp>> = {
  1032: /^(user_)?cancell?ed(_by_\w+)?$/,
  1037: EXPIRED,
  1019: EXPIRED,
};

function paymentStatus({ status, failure, ignored }: StoredPayment): KnownValue {
  if (status === "completed") return { oneOf: [status, COMPLETED] };
  if (status === "pending") return { oneOf: [...(ignored ? [PROCESSING] : []), status, PENDING] };
  const further = FAILURES[failure?.reason.split(":")[0] ?? ""];
  return { oneOf: [...(further ? [further] : []), status, FAILED] };
}

/** Names of values of the merchant: no other text may stand in their place. */
const SENT = new Set([
  ...["reference", "phone", "account_reference", "checkout_request_id", "retry_possible"],
  ...["payment_account_id", "is_default", "valid"],
]);

const sentFields = (fields: object): KnownFields =>
  Object.fromEntries(Object.entries(fields).map(([name, sent]) => [name, { sent }]));

const fromView = (view: object): KnownFields =>
  Object.fromEntries(
    Object.entries(view).map(([name, value]) => [
      name,
      SENT.has(name) ? { sent: value } : { text: String(value) },
    ]),
  );

/** The fields that a payment has in some statuses only: in the others there certainly are none. */
const NONE: KnownFields = Object.fromEntries(
  [...FIELDS_OF_SOME_STATUSES].map((name) => [name, null]),
);

function paymentFields(payment: StoredPayment): KnownFields {
  const { createdAt, finalAt, status } = payment;
  return {
    ...NONE,
    ...fromView(paymentView(payment)),
    id: { text: String(payment.payment_id) },
    amount: { cents: payment.cents },
    currency: { oneOf: [payment.currency, ANY] },
    status: paymentStatus(payment),
    description: { sent: payment.description || null },
    created_at: { ms: createdAt },
    updated_at: { ms: finalAt ?? createdAt },
    completed_at: { ms: status === "completed" ? finalAt : undefined },
    failed_at: { ms: status === "failed" ? finalAt : undefined },
    final_at: { ms: finalAt },
  };
}

const INVOICE_STATUSES: Readonly<Record<StoredInvoice["status"], RegExp>> = {
  draft: /^(open|new|created|active|unsent|unpaid|pending.*)$/,
  sent: /^(issued|open|unpaid|pending|due|submitted)$/,
  paid: COMPLETED,
  overdue: /^(past_due|late|unpaid)$/,
};

const invoiceFields = ({ fields, status, ...invoice }: StoredInvoice): KnownFields => ({
  description: { sent: null },
  // The merchant's own fields come first: a field that the sandbox knows replaces them.
  ...sentFields(fields),
  id: { sent: invoice.id },
  number: { text: invoice.number },
  status: { oneOf: [status, INVOICE_STATUSES[status]] },
  amount: { cents: invoice.cents },
  currency: { oneOf: ["KES", ANY] },
  due_at: { ms: invoice.dueAt },
  created_at: { ms: invoice.createdAt },
  updated_at: { ms: invoice.createdAt },
});

type FieldsOf = {
  readonly [One in Resource]?: (record: Records[One], format: Format) => KnownFields;
};

/** The resources of which more is known than the values of their fields. */
const FIELDS: FieldsOf = {
  merchant: (merchant) => ({
    ...fromView(merchant),
    id: { text: String(merchant.merchant_id) },
    currency: { oneOf: [merchant.currency, ANY] },
    created_at: { ms: VIRTUAL_START },
  }),
  account: (account) => ({
    ...fromView(account),
    id: { sent: account.payment_account_id },
    currency: { oneOf: [account.currency, ANY] },
    created_at: { ms: VIRTUAL_START },
  }),
  payment: paymentFields,
  initiation: paymentFields,
  webhook: (webhook, { webhookSecret }) => ({
    ...sentFields(webhook),
    status: { oneOf: ["active", "enabled"] },
    secret: { text: webhookSecret },
  }),
  invoice: invoiceFields,
  deletion: ({ id }) => ({ ...sentFields({ id, deleted: true }), status: { oneOf: ["deleted"] } }),
};

/** What is known of a record. The caller must give the resource that it is. */
export const knownFieldsOf = (resource: Resource, record: unknown, format: Format): KnownFields =>
  ((FIELDS[resource] ?? fromView) as (record: unknown, format: Format) => KnownFields)(
    record,
    format,
  );

/** Names of services for fields that no request has: what cannot be known by its value. */
const NAMES: readonly (readonly [known: string, others: readonly string[]])[] = [
  ["status", ["state", "payment_status", "invoice_status"]],
  ["amount", ["total", "total_amount", "amount_minor", "amount_cents", "amount_due"]],
  ["phone", ["phone_number", "msisdn"]],
  ["valid", ["is_valid"]],
  ["network", ["carrier", "operator"]],
  ["number", ["invoice_number", "invoice_no"]],
  ["transaction_id", ["receipt", "receipt_number", "mpesa_receipt"]],
  ["updated_at", ["updated", "modified_at"]],
  ["completed_at", ["paid_at", "confirmed_at", "completed"]],
  ["final_at", ["processed_at", "ended_at"]],
  ["due_at", ["due_date", "due", "expires_at"]],
  ["secret", ["signing_secret", "webhook_secret", "signing_key"]],
  ["payment_account_id", ["account_id"]],
];

const OTHER_NAMES = new Map(
  NAMES.flatMap(([known, others]) => others.map((name) => [name, known] as const)),
);

/** Names that mean another resource in an object inside of one. */
const OWN_NAMES = new Set(["id", "name", "status", "state", "number", "created_at", "type"]);

/**
 * Finds what is known of a place: by the value that it repeats, then by its name, then by its format.
 * `failure.reason` is `failure_reason`; the `id` of an object inside of a payment is not the payment's.
 */
export function findKnown(
  fields: KnownFields,
  { name, parent, same, types, formats }: Place,
  resource: Resource,
): KnownValue | undefined {
  const isPayment = resource === "payment" || resource === "initiation";
  for (const one of same) {
    if (one === "id" && isPayment) return fields.reference;
    const known = fields[one === "minor" || one === "rounded" ? "amount" : one];
    if (known !== undefined) return known && "cents" in known ? { ...known, same } : known;
  }
  const byName = (one: string): KnownValue | undefined =>
    fields[one] === undefined ? fields[OTHER_NAMES.get(one) ?? ""] : fields[one];
  const joined = parent === undefined ? undefined : byName(`${parent}_${name}`);
  if (joined !== undefined) return joined;
  const isInner = parent !== undefined && parent !== resource && OWN_NAMES.has(name);
  const found = isInner ? undefined : byName(name);
  if (found !== undefined) return found;
  const isTime = types.includes("string") && same.length === 0 && hasTimeFormat(formats);
  return isTime ? fields.created_at : undefined;
}
