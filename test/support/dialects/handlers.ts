import type { EndpointName } from "malipo/types";
import { checkoutId } from "./base.ts";
import { checkedAmount, checkNames, invalid, mobile, Rejected } from "./rejected.ts";
import type { Store } from "./store.ts";
import type { Dialect, Fields, Invoice, ListName, PageValues, Payment, Webhook } from "./types.ts";

/** A request that is allowed. */
export interface Call {
  readonly store: Store;
  readonly dialect: Dialect;
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: Fields;
  readonly path: string;
  /** Makes an event. */
  readonly emit: (event: string, data: Fields) => void;
}

/** What a handler decides: a status, and one resource or a page of resources. */
type Decision =
  | { readonly status: number; readonly resource: string; readonly data: unknown }
  | { readonly list: ListName; readonly items: Fields[]; readonly page: PageValues };

const EVENTS = ["payment.completed", "payment.failed", "payment.initiated", "invoice.created"];
EVENTS.push("invoice.paid", "invoice.overdue", "subscription.created", "subscription.canceled");

/** The cursor of the next page in the body of a list. */
export function nextCursor(paging: Dialect["paging"], body: unknown): string | undefined {
  const next = "next" in paging ? paging.next : undefined;
  const fields = Object(body) as Fields;
  const cursor = next === undefined ? fields.next_cursor : next(fields);
  return typeof cursor === "string" ? cursor : undefined;
}

function wholeNumber(query: URLSearchParams, name: string, fallback: number, min: number): number {
  const given = query.get(name);
  if (given === null) return fallback;
  if (/^\d{1,9}$/.test(given) && Number(given) >= min) return Number(given);
  throw invalid(name, `expected a whole number from ${min}`);
}

/** When each record was made, by the number of the request. */
const BORN = new WeakMap<object, number>();

function born<Record extends object>({ store }: Call, record: Record): Record {
  BORN.set(record, store.requests);
  return record;
}

/** What a list shows by now. */
const visible = <Record extends object>(
  { store, dialect }: Call,
  all: readonly Record[],
): readonly Record[] =>
  all.filter((one) => store.requests - (BORN.get(one) ?? 0) >= (dialect.listLag ?? 0));

function list(call: Call, name: ListName, all: readonly Fields[]): Decision {
  const { paging } = call.dialect;
  const newest = call.dialect.oldestFirst ? all : [...all].reverse();
  const total = all.length;
  if (paging.kind === "none") {
    const page = { page: 1, size: total, offset: 0, total, count: total, path: call.path };
    return { list: name, items: [...newest], page };
  }
  const asked = wholeNumber(call.query, paging.size, paging.defaultSize, 1);
  const size = call.dialect.clampsSize ? Math.min(asked, paging.maxSize) : asked;
  if (size > paging.maxSize) throw invalid(paging.size, `expected at most ${paging.maxSize}`);
  let offset = 0;
  if (paging.kind === "offset") offset = wholeNumber(call.query, paging.at, 0, 0);
  if (paging.kind === "zero") offset = wholeNumber(call.query, paging.at, 0, 0) * size;
  if (paging.kind === "page") offset = (wholeNumber(call.query, paging.at, 1, 1) - 1) * size;
  if (paging.kind === "cursor")
    offset = call.store.cursors.get(call.query.get(paging.at) ?? "") ?? 0;
  const items = newest.slice(offset, offset + size);
  const page = Math.floor(offset / size) + 1;
  const shown = { page, size, offset, total, count: items.length, path: call.path };
  if (paging.kind === "cursor") {
    const cursor = nextCursor(paging, call.dialect.list(items, shown, name));
    if (cursor !== undefined) call.store.cursors.set(cursor, offset + size);
  }
  return { list: name, items, page: shown };
}

function find<T>(all: readonly T[], what: string, matches: (one: T) => boolean): T {
  const found = all.find(matches);
  if (found !== undefined) return found;
  throw new Rejected("unknownId", `There is no such ${what}.`);
}

const invoiceId = ({ dialect }: Call, { n }: Invoice) => dialect.ids.invoice(n);
const webhookId = ({ dialect }: Call, { n }: Webhook) => dialect.ids.webhook(n);
const showInvoice = (call: Call, one: Invoice) =>
  call.dialect.views.invoice(one, invoiceId(call, one));
const showWebhook = (call: Call, one: Webhook) =>
  call.dialect.views.webhook(one, webhookId(call, one));
const findInvoice = (call: Call) =>
  find(call.store.invoices, "invoice", (one) => String(invoiceId(call, one)) === call.id);
const findWebhook = (call: Call) =>
  find(call.store.webhooks, "webhook", (one) => String(webhookId(call, one)) === call.id);

function initiate(call: Call): Decision {
  const { store, dialect, body, emit } = call;
  const fields = ["amount", "phone", "description", "account_reference", "payment_account_id"];
  if (dialect.isStrict) checkNames(body, fields);
  const cents = checkedAmount(body.amount);
  const phone = mobile(body.phone);
  if (phone === undefined) throw invalid("phone", "expected a mobile number");
  const label = body.account_reference ?? "";
  if (typeof label !== "string" || label.length > 12) {
    throw invalid("account_reference", "expected at most 12 characters");
  }
  const account = body.payment_account_id ?? dialect.ids.account(1);
  if (String(account) !== String(dialect.ids.account(1))) {
    throw invalid("payment_account_id", "expected one of your accounts");
  }
  const n = store.payments.length + 1;
  const isBusy = store.payments.some((one) => one.phone === phone && one.state === "pending");
  const payment: Payment = {
    n,
    reference: dialect.ids.reference(n),
    cents,
    phone,
    label,
    description: String(body.description ?? ""),
    checkout: isBusy ? undefined : checkoutId(n),
    createdAt: store.now,
    state: "pending",
  };
  store.payments.push(born(call, payment));
  emit("payment.initiated", eventData(dialect, "payment.initiated", payment));
  if (isBusy) finish(call, payment, "busy");
  return {
    status: dialect.statuses.initiated,
    resource: "payment",
    data: dialect.views.initiated(payment),
  };
}

const eventData = ({ events, views }: Dialect, event: string, payment: Payment): Fields =>
  (events[event] ?? views.payment)(payment);

/** Sets the final status of a payment; without a reason it is completed. */
export function finish(
  { store, dialect, emit }: Pick<Call, "store" | "dialect" | "emit">,
  payment: Payment,
  why?: NonNullable<Payment["why"]>,
): void {
  payment.finalAt = store.now;
  payment.state = why === undefined ? "completed" : "failed";
  if (why === undefined) payment.receipt = `R${String(payment.n).padStart(9, "0")}`;
  else payment.why = why;
  const event = `payment.${payment.state}`;
  emit(event, eventData(dialect, event, payment));
}

function status(call: Call): Decision {
  const { store, dialect, body } = call;
  if (dialect.isStrict) checkNames(body, ["reference", "checkout_request_id"]);
  const value = body.reference ?? body.checkout_request_id;
  if (typeof value !== "string" || value === "") throw invalid("reference", "is required");
  const payment = find(store.payments, "payment", ({ reference, checkout }) =>
    body.reference === undefined ? checkout === value : reference === value,
  );
  return { status: 200, resource: "payment", data: dialect.views.payment(payment) };
}

function validatePhone({ dialect, body }: Call): Decision {
  const { phone } = body;
  if (typeof phone !== "string") throw invalid("phone", "is required");
  const isNumber = /^\d{9,15}$/.test(phone.replace(/[ +-]/g, ""));
  if (dialect.rejectsBadPhones && !isNumber) throw invalid("phone", "expected a phone number");
  const digits = mobile(phone);
  const data = dialect.views.phone(digits ?? phone, digits !== undefined);
  return { status: 200, resource: "phone", data };
}

function webhookFields({ dialect, body }: Call, isChange: boolean): Partial<Webhook> {
  if (dialect.isStrict) checkNames(body, ["name", "url", "events"]);
  const { name, url, events } = body;
  if (name === undefined ? !isChange : typeof name !== "string" || name === "") {
    throw invalid("name", "expected a name");
  }
  if (url === undefined ? !isChange : typeof url !== "string" || !/^https?:\/\/./.test(url)) {
    throw invalid("url", "expected a URL");
  }
  const isList = Array.isArray(events) && events.length > 0;
  if (events === undefined ? !isChange : !isList || events.some((one) => !EVENTS.includes(one))) {
    throw invalid("events", "expected known event kinds");
  }
  return Object.fromEntries(
    Object.entries({ name, url, events }).filter(([, one]) => one !== undefined),
  );
}

function invoiceFields({ dialect, body }: Call) {
  if (dialect.isStrict) checkNames(body, ["amount", "description", "due_at"]);
  const cents = body.amount === undefined ? undefined : checkedAmount(body.amount);
  if (body.due_at !== undefined && Number.isNaN(Date.parse(String(body.due_at)))) {
    throw invalid("due_at", "expected a date");
  }
  return {
    cents,
    fields: { ...(body.description !== undefined && { description: body.description }) },
  };
}

function createInvoice(call: Call): Decision {
  const { store, dialect, emit } = call;
  const { cents, fields } = invoiceFields(call);
  const createdAt = store.now;
  const dueAt = new Date(createdAt.getTime() + 14 * 86_400_000);
  const n = ++store.invoiceCount;
  const invoice: Invoice = { n, fields, cents, state: "draft", createdAt, dueAt };
  store.invoices.push(born(call, invoice));
  emit("invoice.created", showInvoice(call, invoice));
  return {
    status: dialect.statuses.created,
    resource: "invoice",
    data: showInvoice(call, invoice),
  };
}

function changeInvoice(call: Call): Decision {
  const invoice = findInvoice(call);
  const { cents, fields } = invoiceFields(call);
  if (cents !== undefined) invoice.cents = cents;
  Object.assign(invoice.fields, fields);
  return { status: 200, resource: "invoice", data: showInvoice(call, invoice) };
}

function send(call: Call): Decision {
  const invoice = findInvoice(call);
  if (invoice.state === "draft") invoice.state = "sent";
  return {
    status: call.dialect.statuses.sent,
    resource: "invoice",
    data: showInvoice(call, invoice),
  };
}

function register(call: Call): Decision {
  const { store, dialect } = call;
  const fields = webhookFields(call, false) as Pick<Webhook, "name" | "url" | "events">;
  const webhook: Webhook = { n: ++store.webhookCount, createdAt: store.now, ...fields };
  store.webhooks.push(born(call, webhook));
  return {
    status: dialect.statuses.created,
    resource: "webhook",
    data: showWebhook(call, webhook),
  };
}

function remove<T>(call: Call, all: T[], one: T, id: string | number): Decision {
  all.splice(all.indexOf(one), 1);
  const { statuses, views } = call.dialect;
  return { status: statuses.deleted, resource: "result", data: views.deleted(id) };
}

const one = (resource: string, data: unknown): Decision => ({ status: 200, resource, data });

export type Handler = (call: Call) => Decision;

/** What each endpoint does. */
export const HANDLERS: Readonly<Record<EndpointName, Handler>> = {
  "merchant.get": ({ dialect }) => one("merchant", dialect.views.merchant()),
  "merchant.paymentAccounts": (call) =>
    list(call, "accounts", [call.dialect.views.account(call.dialect.ids.account(1))]),
  "payments.get": ({ store, dialect, id }) =>
    one(
      "payment",
      dialect.views.payment(find(store.payments, "payment", (p) => p.reference === id)),
    ),
  "payments.list": (call) =>
    list(call, "payments", visible(call, call.store.payments).map(call.dialect.views.paymentItem)),
  "payments.initiate": initiate,
  "mobileMoney.initiate": initiate,
  "mobileMoney.status": status,
  "mobileMoney.validatePhone": validatePhone,
  "webhooks.register": register,
  "webhooks.list": (call) =>
    list(
      call,
      "webhooks",
      visible(call, call.store.webhooks).map((w) => showWebhook(call, w)),
    ),
  "webhooks.update": (call) => {
    const webhook = Object.assign(findWebhook(call), webhookFields(call, true));
    return one("webhook", showWebhook(call, webhook));
  },
  "webhooks.delete": (call) => {
    const webhook = findWebhook(call);
    return remove(call, call.store.webhooks, webhook, webhookId(call, webhook));
  },
  "invoices.create": createInvoice,
  "invoices.list": (call) =>
    list(
      call,
      "invoices",
      visible(call, call.store.invoices).map((i) => showInvoice(call, i)),
    ),
  "invoices.get": (call) => one("invoice", showInvoice(call, findInvoice(call))),
  "invoices.update": changeInvoice,
  "invoices.delete": (call) => {
    const invoice = findInvoice(call);
    return remove(call, call.store.invoices, invoice, invoiceId(call, invoice));
  },
  "invoices.send": send,
};
