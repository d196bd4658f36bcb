import type { EndpointName } from "../../contract/endpoints.ts";
import { EVENT_KINDS } from "../../contract/events.ts";
import {
  type MobileMoneyPaymentParams,
  mobileMoneyPaymentParams,
  phoneToValidate,
} from "../../contract/payment.ts";
import type { Schema } from "../../contract/schema.ts";
import { networkWebhooks, webhookChanges, webhookRegistration } from "../../contract/webhook.ts";
import { parseTimestamp } from "../clock.ts";
import {
  type Body,
  ErrorResponse,
  invalidField,
  type Records,
  type Resource,
  type RouteResult,
} from "../messages.ts";
import {
  changeInvoice,
  createInvoice,
  type InvoiceChange,
  markPaid,
  sendInvoice,
} from "../payments/sandbox-invoices.ts";
import { type NewPayment, startPayment } from "../payments/sandbox-payments.ts";
import type { SandboxState } from "../sandbox-state.ts";
import {
  formatAmount,
  mobileExpected,
  mobileNumber,
  networkOf,
  parseAmount,
} from "../state/notation.ts";
import { merchantOf } from "../state/state.ts";
import type { StoredInvoice, StoredPayment, StoredWebhook } from "../state/stored.ts";

// Fields of requests are checked twice: against the contract, then against the choices of the sandbox.

function checked<T>(schema: Schema, body: Body): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data as T;
  const [{ path, message } = { path: [], message: "" }] = result.error.issues;
  throw invalidField(path.map(String).join("."), message);
}

/** @throws {ErrorResponse} for an amount outside the limits. */
function checkedAmount(amount: unknown, { settings }: SandboxState): number {
  const cents = parseAmount(amount);
  const { minCents, maxCents } = settings.limits;
  if (cents !== undefined && cents >= minCents && cents <= maxCents) return cents;
  throw invalidField(
    "amount",
    `expected ${formatAmount(minCents)} to ${formatAmount(maxCents)} with at most two decimals`,
  );
}

function newPaymentFields(sandboxState: SandboxState, body: Body): NewPayment {
  const params = checked<MobileMoneyPaymentParams>(mobileMoneyPaymentParams, body);
  const { country } = sandboxState.settings;
  const phone = mobileNumber(params.phone, country);
  if (phone === undefined) throw invalidField("phone", mobileExpected(country));
  const { accountIds } = sandboxState.serializer;
  const [defaultAccount] = accountIds;
  const chosen = accountIds.find(
    (one) => String(one) === String(params.payment_account_id ?? defaultAccount),
  );
  if (chosen === undefined) {
    throw invalidField(
      "payment_account_id",
      `there is no such payment account; the ids are ${accountIds.join(" and ")}`,
    );
  }
  return {
    cents: checkedAmount(params.amount, sandboxState),
    phone,
    account_reference: params.account_reference ?? "",
    description: params.description ?? "",
    ...(chosen !== defaultAccount && { payment_account_id: chosen }),
  };
}

function phoneField({ serializer }: SandboxState, body: Body): string {
  const result = phoneToValidate.safeParse(body);
  if (result.success) return (result.data as { phone: string }).phone;
  if (typeof body.phone !== "string") return checked(phoneToValidate, body);
  if (serializer.accepts("invalid_phone")) return body.phone;
  const [{ message } = { message: "" }] = result.error.issues;
  throw new ErrorResponse("invalid_phone", `phone: ${message}`, { field: "phone" });
}

const WEBHOOKS = { webhookRegistration, webhookChanges } as const;

function webhookFields(
  { sandboxState, body }: RouteContext,
  isChange: boolean,
): Partial<Omit<StoredWebhook, "id">> {
  const schemas = sandboxState.settings.testNetwork ? networkWebhooks : WEBHOOKS;
  const {
    name,
    url,
    events = isChange ? undefined : EVENT_KINDS,
  } = checked<Partial<StoredWebhook>>(
    schemas[isChange ? "webhookChanges" : "webhookRegistration"],
    body,
  );
  if (name === "") throw invalidField("name", "expected a name that is not empty");
  if (events?.length === 0) throw invalidField("events", "expected at least one event kind");
  const unknown = events?.find((event) => !(EVENT_KINDS as readonly string[]).includes(event));
  if (unknown !== undefined) {
    throw invalidField(
      "events",
      `${JSON.stringify(unknown)} is not an event kind; the kinds are ${EVENT_KINDS.join(", ")}`,
    );
  }
  return {
    ...(name !== undefined && { name }),
    ...(url !== undefined && { url }),
    ...(events !== undefined && { events: [...new Set(events)] }),
  };
}

/** The fields of an invoice. Those that the sandbox does not know stay unchanged. */
function invoiceFields(sandboxState: SandboxState, body: Body): InvoiceChange {
  const { id: _id, number: _number, status: _status, created_at: _created, ...rest } = body;
  const { amount, due_at, ...fields } = rest;
  const dueAt = parseTimestamp(due_at);
  if (due_at !== undefined && dueAt === undefined) {
    const expected = "expected ISO 8601 with an offset, such as 2026-01-31T18:00:00+03:00";
    throw invalidField("due_at", expected);
  }
  return {
    cents: amount === undefined ? undefined : checkedAmount(amount, sandboxState),
    dueAt,
    fields,
  };
}

/** A request whose key may make it. */
interface RouteContext {
  readonly sandboxState: SandboxState;
  readonly endpoint: EndpointName;
  /** The path parameter, decoded. */
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: Body;
}

function listOf<One extends Resource>(
  { sandboxState, endpoint, query }: RouteContext,
  resource: One,
  all: readonly Records[One][],
): RouteResult {
  const asked = sandboxState.serializer.readPage(endpoint, query);
  // The newest come first in the response; in the state they are last.
  const ordered = asked.oldestFirst ? all : all.toReversed();
  const before = ordered.findIndex((one) => idOf(one) === asked.after);
  const offset = asked.after === undefined || before === -1 ? asked.offset : before + 1;
  const records = ordered.slice(offset, offset + asked.size);
  return { resource, records, page: { ...asked, offset, total: all.length } } as RouteResult;
}

function idOf(record: unknown): string | undefined {
  const { reference, id } = Object(record) as { reference?: string; id?: string };
  return reference ?? id;
}

function orNotFound<T>(what: string, id: string, one: T | undefined): T {
  if (one !== undefined) return one;
  throw new ErrorResponse(
    "unknown_id",
    `There is no ${what} ${JSON.stringify(id.slice(0, 60))} in this sandbox.`,
  );
}

function findPayment({ sandboxState, id }: RouteContext): StoredPayment {
  const payment = sandboxState.payments.get(id);
  // The index has checkout request ids too, but the path accepts only a reference.
  return orNotFound("payment", id, payment?.reference === id ? payment : undefined);
}

function findInvoice({ sandboxState, id }: RouteContext): StoredInvoice {
  const { invoices } = sandboxState.state;
  const invoice = invoices.find((one) => one.id === id || one.number === id);
  return orNotFound("invoice", id, invoice);
}

function findWebhook({ sandboxState, id }: RouteContext): StoredWebhook {
  const webhook = sandboxState.state.webhooks.find((one) => one.id === id);
  return orNotFound("webhook", id, webhook);
}

const initiate = ({ sandboxState, body }: RouteContext): RouteResult => ({
  resource: "initiation",
  record: startPayment(sandboxState, newPaymentFields(sandboxState, body)),
});

function status({ sandboxState, body }: RouteContext): RouteResult {
  const { reference, checkout_request_id } = body;
  const name = reference === undefined ? "checkout_request_id" : "reference";
  const value = reference ?? checkout_request_id;
  if (typeof value !== "string" || value === "") {
    throw invalidField("reference", "expected a reference, or a checkout_request_id");
  }
  const payment = sandboxState.payments.get(value);
  const found = payment?.[name] === value ? payment : undefined;
  return { resource: "payment", record: orNotFound(name, value, found) };
}

function validatePhone({ sandboxState, body }: RouteContext): RouteResult {
  const given = phoneField(sandboxState, body);
  const { country } = sandboxState.settings;
  const phone = mobileNumber(given, country);
  if (phone === undefined && !sandboxState.serializer.accepts("unusable_phone")) {
    const message = `phone: ${mobileExpected(country)}`;
    throw new ErrorResponse("unusable_phone", message, { field: "phone" });
  }
  const network = phone && networkOf(phone);
  const record = { valid: phone !== undefined, phone: phone ?? given, ...(network && { network }) };
  return { resource: "phone", record };
}

function updateInvoice(context: RouteContext): RouteResult {
  const { sandboxState, body } = context;
  const invoice = findInvoice(context);
  const change = invoiceFields(sandboxState, body);
  if (body.status !== undefined && body.status !== invoice.status && body.status !== "paid") {
    throw invalidField("status", 'expected "paid": the sandbox sets every other status itself');
  }
  changeInvoice(sandboxState, invoice, change);
  if (body.status === "paid") markPaid(sandboxState, invoice);
  return { resource: "invoice", record: invoice };
}

function send(context: RouteContext): RouteResult {
  const invoice = findInvoice(context);
  if (invoice.status === "paid") throw invalidField("status", "the invoice is already paid");
  sendInvoice(context.sandboxState, invoice);
  return { resource: "invoice", record: invoice };
}

function remove<T extends { id: string }>(all: T[], one: T): RouteResult {
  all.splice(all.indexOf(one), 1);
  return { resource: "deletion", record: { id: one.id } };
}

export const ROUTES: Readonly<Record<EndpointName, (context: RouteContext) => RouteResult>> = {
  "merchant.get": ({ sandboxState }) => ({
    resource: "merchant",
    record: merchantOf(sandboxState.settings),
  }),
  "merchant.paymentAccounts": (context) => {
    const { currency } = merchantOf(context.sandboxState.settings);
    // In a list the last one comes first.
    const accounts = context.sandboxState.serializer.accountIds
      .map((payment_account_id, index) => ({
        payment_account_id,
        name: index === 0 ? "Till" : "Paybill",
        currency,
        is_default: index === 0,
      }))
      .reverse();
    return listOf(context, "account", accounts);
  },
  "payments.get": (context) => ({ resource: "payment", record: findPayment(context) }),
  "payments.list": (context) => listOf(context, "payment", context.sandboxState.state.payments),
  "payments.initiate": initiate,
  "mobileMoney.initiate": initiate,
  "mobileMoney.status": status,
  "mobileMoney.validatePhone": validatePhone,
  "webhooks.register": (context) => {
    const { sandboxState } = context;
    const fields = webhookFields(context, false) as Omit<StoredWebhook, "id">;
    const webhook = { id: sandboxState.serializer.newId("webhook", sandboxState.state), ...fields };
    sandboxState.state.webhooks.push(webhook);
    return { resource: "webhook", record: webhook, isNew: true };
  },
  "webhooks.list": (context) => listOf(context, "webhook", context.sandboxState.state.webhooks),
  "webhooks.update": (context) => {
    const webhook = findWebhook(context);
    const record = Object.assign(webhook, webhookFields(context, true));
    return { resource: "webhook", record };
  },
  "webhooks.delete": (context) => remove(context.sandboxState.state.webhooks, findWebhook(context)),
  "invoices.create": ({ sandboxState, body }) => {
    if (body.status !== undefined && body.status !== "draft") {
      throw invalidField("status", 'expected "draft" for a new invoice');
    }
    const invoice = createInvoice(sandboxState, invoiceFields(sandboxState, body));
    return { resource: "invoice", record: invoice, isNew: true };
  },
  "invoices.list": (context) => listOf(context, "invoice", context.sandboxState.state.invoices),
  "invoices.get": (context) => ({ resource: "invoice", record: findInvoice(context) }),
  "invoices.update": updateInvoice,
  "invoices.delete": (context) => remove(context.sandboxState.state.invoices, findInvoice(context)),
  "invoices.send": send,
};
