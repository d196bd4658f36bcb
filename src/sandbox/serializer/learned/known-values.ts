import { VIRTUAL_START } from "../../clock/time.ts";
import type { Records, Thing } from "../../exchange/result.ts";
import type { StoredInvoice, StoredPayment } from "../../state/records.ts";
import type { Place } from "./shape-tree.ts";
import { certain, choice, type Fact, type Manner, moment, money, text, value } from "./values.ts";

/** What is known of a thing, by the name of its field. */
export type Facts = Readonly<Record<string, Fact>>;

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

function paymentStatus({ status, failure, ignored }: StoredPayment): Fact {
  if (status === "completed") return choice(status, COMPLETED);
  if (status === "pending") {
    return ignored
      ? choice(/^(processing|in_progress)$/, status, PENDING)
      : choice(status, PENDING);
  }
  const further = FURTHER_STATUSES[failure?.reason.split(":")[0] ?? ""];
  return further === undefined ? choice(status, FAILED) : choice(further, status, FAILED);
}

function paymentFacts(payment: StoredPayment): Facts {
  const { failure, transaction_id, createdAt, finalAt, status } = payment;
  return {
    payment_id: value(payment.payment_id),
    merchant_id: value(payment.merchant_id),
    reference: value(payment.reference),
    amount: money(payment.cents),
    currency: choice(payment.currency, ANY),
    phone: value(payment.phone),
    status: paymentStatus(payment),
    account_reference: value(payment.account_reference),
    description: value(payment.description || null),
    checkout_request_id: certain(payment.checkout_request_id, value),
    transaction_id: certain(transaction_id, text),
    provider_transaction_id: certain(transaction_id, text),
    provider_reference: certain(transaction_id, () =>
      text("The service request is processed successfully."),
    ),
    payer_name: certain(transaction_id, () => text("SANDBOX CUSTOMER")),
    failure_reason: certain(failure?.reason, text),
    user_message: certain(failure?.userMessage, text),
    retry_possible: certain(failure?.retryPossible, value),
    created_at: moment(createdAt),
    updated_at: moment(finalAt ?? createdAt),
    completed_at: moment(status === "completed" ? finalAt : undefined),
    failed_at: moment(status === "failed" ? finalAt : undefined),
    final_at: moment(finalAt),
  };
}

const INVOICE_STATUSES: Readonly<Record<StoredInvoice["status"], RegExp>> = {
  draft: /^(open|new|created|unsent|unpaid|pending)$/,
  sent: /^(issued|open|unpaid|pending|due)$/,
  paid: COMPLETED,
  overdue: /^(past_due|late|unpaid)$/,
};

function invoiceFacts(invoice: StoredInvoice): Facts {
  const { status, fields } = invoice;
  // The merchant's own fields come first: a field that the sandbox knows replaces them.
  const own = Object.entries(fields).map(([name, one]) => [name, value(one)]);
  return {
    description: value(null),
    ...Object.fromEntries(own),
    invoice_id: value(invoice.id),
    number: text(invoice.number),
    status: choice(status, INVOICE_STATUSES[status]),
    amount: money(invoice.cents),
    currency: choice("KES", ANY),
    due_at: moment(invoice.dueAt),
    created_at: moment(invoice.createdAt),
    updated_at: moment(invoice.createdAt),
  };
}

type FactsOf = { readonly [One in Thing]: (record: Records[One], manner: Manner) => Facts };

const FACTS: FactsOf = {
  merchant: ({ merchant_id, name, country, currency }) => ({
    merchant_id: value(merchant_id),
    name: text(name),
    country: text(country),
    currency: choice(currency, ANY),
    created_at: moment(VIRTUAL_START),
  }),
  account: ({ payment_account_id, name, currency, is_default }) => ({
    payment_account_id: value(payment_account_id),
    name: text(name),
    currency: choice(currency, ANY),
    is_default: value(is_default),
    created_at: moment(VIRTUAL_START),
  }),
  payment: paymentFacts,
  initiation: paymentFacts,
  phone: ({ valid, phone, network }) => ({
    valid: value(valid),
    phone: value(phone),
    network: text(network),
  }),
  webhook: ({ id, name, url, events }, { webhookSecret }) => ({
    webhook_id: value(id),
    name: value(name),
    url: value(url),
    events: value(events),
    status: choice("active", "enabled"),
    secret: value(webhookSecret),
  }),
  invoice: invoiceFacts,
  deletion: ({ id }) => ({
    deletion_id: value(id),
    status: choice("deleted"),
    deleted: value(true),
  }),
};

/** What is known of a record. The caller must give the thing that it is. */
export const factsOf = (thing: Thing, record: unknown, manner: Manner): Facts =>
  (FACTS[thing] as (record: unknown, manner: Manner) => Facts)(record, manner);

/** The name of the field with the id of a thing. */
const ID_FIELDS: Readonly<Record<Thing, string>> = {
  merchant: "merchant_id",
  account: "payment_account_id",
  payment: "payment_id",
  initiation: "payment_id",
  phone: "",
  webhook: "webhook_id",
  invoice: "invoice_id",
  deletion: "deletion_id",
};

/** Other names that services give to a field. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  reference: ["ref", "payment_reference", "transaction_reference"],
  amount: ["total", "total_amount", "amount_minor", "amount_cents", "amount_due"],
  phone: ["phone_number", "msisdn", "mobile", "customer_phone", "payer_phone", "formatted", "e164"],
  status: ["state", "payment_status", "invoice_status"],
  valid: ["is_valid"],
  network: ["carrier", "operator", "provider"],
  number: ["invoice_number", "invoice_no"],
  description: ["narration", "narrative", "note", "memo"],
  account_reference: ["account", "account_ref", "label"],
  transaction_id: ["receipt", "receipt_number", "mpesa_receipt", "mpesa_receipt_number"],
  created_at: ["created", "created_on", "initiated_at", "date_created", "created_date"],
  updated_at: ["updated", "modified_at", "last_modified"],
  completed_at: ["paid_at", "confirmed_at", "completed"],
  final_at: ["finished_at", "processed_at", "ended_at"],
  due_at: ["due_date", "due_on", "due"],
  payment_account_id: ["account_id"],
  secret: ["signing_secret", "webhook_secret", "signing_key"],
};

const KNOWN_NAMES = new Map(
  Object.entries(OTHER_NAMES).flatMap(([name, others]) => others.map((other) => [other, name])),
);

/** Names that mean the thing itself, and in an object inside of it another thing. */
const OWN_NAMES = new Set([
  "id",
  "uuid",
  "name",
  "status",
  "state",
  "number",
  "created_at",
  "type",
]);

/**
 * Finds what is known of a field. `failure.reason` is `failure_reason`; the `id` of an object inside
 * of a payment is not that of the payment.
 */
export function findFact(
  thing: Thing,
  facts: Facts,
  { name }: Place,
  within: readonly string[],
): Fact | undefined {
  const parent = within.at(-1);
  const known = (one: string): Fact | undefined => facts[one] ?? facts[KNOWN_NAMES.get(one) ?? ""];
  const joined = parent === undefined ? undefined : known(`${parent}_${name}`);
  if (joined !== undefined) return joined;
  if (parent !== undefined && parent !== thing && OWN_NAMES.has(name)) return undefined;
  if (name === "id" || name === "uuid") return facts[ID_FIELDS[thing]];
  const isOtherId = thing === "deletion" && /^(webhook|invoice)_(id|uuid)$/.test(name);
  return isOtherId ? facts.deletion_id : known(name);
}
