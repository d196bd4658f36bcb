import { VIRTUAL_START } from "../../clock/time.ts";
import type { Records, Resource } from "../../exchange/result.ts";
import type { StoredInvoice, StoredPayment } from "../../state/stored.ts";
import type { Place } from "./shape-tree.ts";
import { choice, type Format, type Known, money, orAbsent, sent, text, time } from "./values.ts";

/** What is known of a resource, by the name of its field. */
export type KnownFields = Readonly<Record<string, Known>>;

/** Whichever the service has. */
const ANY = /^/;
const COMPLETED = /^(success|successful|succeeded|paid|complete|settled|confirmed)$/;
const FAILED = /^(failure|error|declined|rejected|unsuccessful)$/;
const PENDING = /^(processing|in_progress|queued|initiated|created|sent|awaiting.*|started)$/;
const CANCELLED = /^(user_)?cancell?ed(_by_\w+)?$/;
const EXPIRED = /^(expired|timed_?out|timeout|abandoned)$/;

/** The code of the network at the beginning of a failure's reason. */
const FURTHER_STATUSES: Readonly<Record<string, RegExp>> = {
  1032: CANCELLED,
  1037: EXPIRED,
  1019: EXPIRED,
};

function paymentStatus({ status, failure, ignored }: StoredPayment): Known {
  if (status === "completed") return choice(status, COMPLETED);
  if (status === "pending") {
    return ignored
      ? choice(/^(processing|in_progress)$/, status, PENDING)
      : choice(status, PENDING);
  }
  const further = FURTHER_STATUSES[failure?.reason.split(":")[0] ?? ""];
  return further === undefined ? choice(status, FAILED) : choice(further, status, FAILED);
}

function paymentFields(payment: StoredPayment): KnownFields {
  const { failure, transaction_id, createdAt, finalAt, status } = payment;
  return {
    id: text(String(payment.payment_id)),
    payment_id: text(String(payment.payment_id)),
    merchant_id: text(String(payment.merchant_id)),
    reference: sent(payment.reference),
    amount: money(payment.cents),
    currency: choice(payment.currency, ANY),
    phone: sent(payment.phone),
    status: paymentStatus(payment),
    account_reference: sent(payment.account_reference),
    description: sent(payment.description || null),
    checkout_request_id: orAbsent(payment.checkout_request_id, sent),
    transaction_id: orAbsent(transaction_id, text),
    provider_transaction_id: orAbsent(transaction_id, text),
    provider_reference: orAbsent(transaction_id, () =>
      text("The service request is processed successfully."),
    ),
    payer_name: orAbsent(transaction_id, () => text("SANDBOX CUSTOMER")),
    failure_reason: orAbsent(failure?.reason, text),
    user_message: orAbsent(failure?.userMessage, text),
    retry_possible: orAbsent(failure?.retryPossible, sent),
    created_at: time(createdAt),
    updated_at: time(finalAt ?? createdAt),
    completed_at: time(status === "completed" ? finalAt : undefined),
    failed_at: time(status === "failed" ? finalAt : undefined),
    final_at: time(finalAt),
  };
}

const INVOICE_STATUSES: Readonly<Record<StoredInvoice["status"], RegExp>> = {
  draft: /^(open|new|created|active|unsent|unpaid|pending.*)$/,
  sent: /^(issued|open|unpaid|pending|due|submitted)$/,
  paid: COMPLETED,
  overdue: /^(past_due|late|unpaid)$/,
};

function invoiceFields(invoice: StoredInvoice): KnownFields {
  const { status, fields } = invoice;
  // The merchant's own fields come first: a field that the sandbox knows replaces them.
  const own = Object.entries(fields).map(([name, one]) => [name, sent(one)]);
  return {
    description: sent(null),
    ...Object.fromEntries(own),
    id: sent(invoice.id),
    number: text(invoice.number),
    status: choice(status, INVOICE_STATUSES[status]),
    amount: money(invoice.cents),
    currency: choice("KES", ANY),
    due_at: time(invoice.dueAt),
    created_at: time(invoice.createdAt),
    updated_at: time(invoice.createdAt),
  };
}

type FieldsOf = {
  readonly [One in Resource]: (record: Records[One], format: Format) => KnownFields;
};

const FIELDS: FieldsOf = {
  merchant: ({ merchant_id, name, country, currency }) => ({
    id: text(String(merchant_id)),
    merchant_id: text(String(merchant_id)),
    name: text(name),
    country: text(country),
    currency: choice(currency, ANY),
    created_at: time(VIRTUAL_START),
  }),
  account: ({ payment_account_id, name, currency, is_default }) => ({
    id: sent(payment_account_id),
    payment_account_id: sent(payment_account_id),
    name: text(name),
    currency: choice(currency, ANY),
    is_default: sent(is_default),
    created_at: time(VIRTUAL_START),
  }),
  payment: paymentFields,
  initiation: paymentFields,
  phone: ({ valid, phone, network }) => ({
    valid: sent(valid),
    phone: sent(phone),
    network: text(network),
  }),
  webhook: ({ id, name, url, events }, { webhookSecret }) => ({
    id: sent(id),
    name: sent(name),
    url: sent(url),
    events: sent(events),
    status: choice("active", "enabled"),
    secret: text(webhookSecret),
  }),
  invoice: invoiceFields,
  deletion: ({ id }) => ({ id: sent(id), status: choice("deleted"), deleted: sent(true) }),
};

/** What is known of a record. The caller must give the resource that it is. */
export const knownFieldsOf = (resource: Resource, record: unknown, format: Format): KnownFields =>
  (FIELDS[resource] as (record: unknown, format: Format) => KnownFields)(record, format);

/** What a place that repeats a value of the request holds. */
const REPEATED: Readonly<Record<string, string>> = { minor: "amount", rounded: "amount" };

/** Names of services for fields that no request has: what cannot be known by its value. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  state: "status",
  payment_status: "status",
  invoice_status: "status",
  total: "amount",
  total_amount: "amount",
  amount_minor: "amount",
  amount_cents: "amount",
  amount_due: "amount",
  phone_number: "phone",
  msisdn: "phone",
  is_valid: "valid",
  carrier: "network",
  operator: "network",
  invoice_number: "number",
  invoice_no: "number",
  receipt: "transaction_id",
  receipt_number: "transaction_id",
  mpesa_receipt: "transaction_id",
  updated: "updated_at",
  modified_at: "updated_at",
  paid_at: "completed_at",
  confirmed_at: "completed_at",
  completed: "completed_at",
  processed_at: "final_at",
  ended_at: "final_at",
  due_date: "due_at",
  due: "due_at",
  expires_at: "due_at",
  signing_secret: "secret",
  webhook_secret: "secret",
  signing_key: "secret",
};

/** Names that mean another resource in an object inside of one. */
const OWN_NAMES = new Set(["id", "name", "status", "state", "number", "created_at", "type"]);

const isTime = ({ formats, types, same }: Place): boolean =>
  types.includes("string") &&
  same.length === 0 &&
  formats.some((one) => one === "iso8601" || one === "datetime" || one === "date");

/**
 * Finds what is known of a place: by the value that it repeats, then by its name, then by its format.
 * `failure.reason` is `failure_reason`; the `id` of an object inside of a payment is not the payment's.
 *
 * @param same - What the place repeats.
 */
export function findKnown(
  fields: KnownFields,
  place: Place,
  within: readonly string[],
  { same, resource }: { readonly same: readonly string[]; readonly resource: Resource },
): Known | undefined {
  for (const name of same) {
    const known = fields[REPEATED[name] ?? name];
    const isId = name === "id" && (resource === "payment" || resource === "initiation");
    if (isId) return fields.reference;
    if (known?.kind === "money") return { ...known, same };
    if (known !== undefined) return known;
  }
  const { name } = place;
  const parent = within.at(-1);
  const known = (one: string): Known | undefined => fields[one] ?? fields[OTHER_NAMES[one] ?? ""];
  const joined = parent === undefined ? undefined : known(`${parent}_${name}`);
  if (joined !== undefined) return joined;
  const isInner = parent !== undefined && parent !== resource && OWN_NAMES.has(name);
  const found = isInner ? undefined : known(name);
  return found ?? (isTime(place) ? fields.created_at : undefined);
}
