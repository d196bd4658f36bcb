import type { EndpointName } from "../../contract/endpoints.ts";
import { ErrorResponse, invalidField } from "../exchange/error-response.ts";
import type { Page, RouteResult } from "../exchange/result.ts";
import { changeInvoice, createInvoice, markPaid, sendInvoice } from "../payments/invoices.ts";
import { MERCHANT } from "../payments/merchant.ts";
import { startPayment } from "../payments/payments.ts";
import { kenyanMobile, networkOf } from "../payments/phone-number.ts";
import type { SandboxState } from "../sandbox-state.ts";
import type { StoredInvoice, StoredPayment, StoredWebhook } from "../state/records.ts";
import { invoiceFields, newPaymentFields, phoneField, webhookFields } from "./params.ts";
import type { Body } from "./parse-body.ts";

/** A request whose key may make it. */
export interface RouteContext {
  readonly sandboxState: SandboxState;
  readonly endpoint: EndpointName;
  /** The path parameter, decoded. */
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: Body;
}

/** The part of a list that a request asks for. */
function pageOf<Item>({ sandboxState, endpoint, query }: RouteContext, all: readonly Item[]) {
  const page: Page = { ...sandboxState.speech.readPage(endpoint, query), total: all.length };
  const { offset, size } = page;
  if (page.oldestFirst) return { records: all.slice(offset, offset + size), page };
  // The newest come first in the response; in the state they are last.
  const end = all.length - offset;
  return { records: all.slice(Math.max(end - size, 0), Math.max(end, 0)).reverse(), page };
}

function orNotFound<T>(what: string, id: string, one: T | undefined): T {
  if (one !== undefined) return one;
  throw new ErrorResponse(
    "unknown_id",
    `There is no ${what} ${JSON.stringify(id.slice(0, 60))} in this sandbox.`,
  );
}

const findPayment = ({ sandboxState, id }: RouteContext): StoredPayment => {
  const payment = sandboxState.payments.get(id);
  // The index has checkout request ids too, but the path accepts only a reference.
  return orNotFound("payment", id, payment?.reference === id ? payment : undefined);
};
const findInvoice = ({ sandboxState, id }: RouteContext): StoredInvoice =>
  orNotFound(
    "invoice",
    id,
    sandboxState.state.invoices.find((one) => one.id === id || one.number === id),
  );
const findWebhook = ({ sandboxState, id }: RouteContext): StoredWebhook =>
  orNotFound(
    "webhook",
    id,
    sandboxState.state.webhooks.find((one) => one.id === id),
  );

function initiate({ sandboxState, body }: RouteContext): RouteResult {
  return {
    thing: "initiation",
    record: startPayment(sandboxState, newPaymentFields(sandboxState, body)),
  };
}

function status({ sandboxState, body }: RouteContext): RouteResult {
  const { reference, checkout_request_id } = body;
  const name = reference === undefined ? "checkout_request_id" : "reference";
  const value = reference ?? checkout_request_id;
  if (typeof value !== "string" || value === "") {
    throw invalidField("reference", "expected a reference, or a checkout_request_id");
  }
  const payment = sandboxState.payments.get(value);
  const found = payment?.[name] === value ? payment : undefined;
  return { thing: "payment", record: orNotFound(name, value, found) };
}

function validatePhone({ sandboxState, body }: RouteContext): RouteResult {
  const given = phoneField(sandboxState, body);
  const phone = kenyanMobile(given);
  if (phone === undefined && !sandboxState.speech.acceptsUnusablePhones) {
    const message = "phone: expected a Kenyan mobile number, such as 0712345678";
    throw new ErrorResponse("unusable_phone", message, { field: "phone" });
  }
  const network = phone && networkOf(phone);
  const record = { valid: phone !== undefined, phone: phone ?? given, ...(network && { network }) };
  return { thing: "phone", record };
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
  return { thing: "invoice", record: invoice };
}

function send(context: RouteContext): RouteResult {
  const invoice = findInvoice(context);
  if (invoice.status === "paid") throw invalidField("status", "the invoice is already paid");
  sendInvoice(context.sandboxState, invoice);
  return { thing: "invoice", record: invoice };
}

function remove<T extends { id: string }>(all: T[], one: T): RouteResult {
  all.splice(all.indexOf(one), 1);
  return { thing: "deletion", record: { id: one.id } };
}

/** What each endpoint of the contract does. */
export const ROUTES: Readonly<Record<EndpointName, (context: RouteContext) => RouteResult>> = {
  "merchant.get": () => ({ thing: "merchant", record: MERCHANT }),
  "merchant.paymentAccounts": (context) => {
    const { currency } = MERCHANT;
    // In a list the last one comes first.
    const accounts = context.sandboxState.speech.accountIds
      .map((payment_account_id, index) => ({
        payment_account_id,
        name: index === 0 ? "Till" : "Paybill",
        currency,
        is_default: index === 0,
      }))
      .reverse();
    return { thing: "account", ...pageOf(context, accounts) };
  },
  "payments.get": (context) => ({ thing: "payment", record: findPayment(context) }),
  "payments.list": (context) => ({
    thing: "payment",
    ...pageOf(context, context.sandboxState.state.payments),
  }),
  "payments.initiate": initiate,
  "mobileMoney.initiate": initiate,
  "mobileMoney.status": status,
  "mobileMoney.validatePhone": validatePhone,
  "webhooks.register": ({ sandboxState, body }) => {
    const fields = webhookFields(body, false) as Omit<StoredWebhook, "id">;
    const webhook = { id: sandboxState.speech.newId("webhook", sandboxState.state), ...fields };
    sandboxState.state.webhooks.push(webhook);
    return { thing: "webhook", record: webhook, isNew: true };
  },
  "webhooks.list": (context) => ({
    thing: "webhook",
    ...pageOf(context, context.sandboxState.state.webhooks),
  }),
  "webhooks.update": (context) => {
    const webhook = findWebhook(context);
    const record = Object.assign(webhook, webhookFields(context.body, true));
    return { thing: "webhook", record };
  },
  "webhooks.delete": (context) => remove(context.sandboxState.state.webhooks, findWebhook(context)),
  "invoices.create": ({ sandboxState, body }) => {
    if (body.status !== undefined && body.status !== "draft") {
      throw invalidField("status", 'expected "draft" for a new invoice');
    }
    const invoice = createInvoice(sandboxState, invoiceFields(sandboxState, body));
    return { thing: "invoice", record: invoice, isNew: true };
  },
  "invoices.list": (context) => ({
    thing: "invoice",
    ...pageOf(context, context.sandboxState.state.invoices),
  }),
  "invoices.get": (context) => ({ thing: "invoice", record: findInvoice(context) }),
  "invoices.update": updateInvoice,
  "invoices.delete": (context) => remove(context.sandboxState.state.invoices, findInvoice(context)),
  "invoices.send": send,
};
