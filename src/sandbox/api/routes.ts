import type { EndpointName } from "../../contract/endpoints.ts";
import { ErrorResponse, invalidField } from "../exchange/error-response.ts";
import type { Records, Resource, RouteResult } from "../exchange/result.ts";
import { changeInvoice, createInvoice, markPaid, sendInvoice } from "../payments/invoices.ts";
import { startPayment } from "../payments/payments.ts";
import { kenyanMobile, networkOf } from "../payments/phone-number.ts";
import type { SandboxState } from "../sandbox-state.ts";
import { MERCHANT } from "../state/merchant.ts";
import type { StoredInvoice, StoredPayment, StoredWebhook } from "../state/stored.ts";
import { invoiceFields, newPaymentFields, phoneField, webhookFields } from "./params.ts";
import type { Body } from "./parse-request.ts";

/** A request whose key may make it. */
export interface RouteContext {
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
  const phone = kenyanMobile(given);
  if (phone === undefined && !sandboxState.serializer.accepts("unusable_phone")) {
    const message = "phone: expected a Kenyan mobile number: 07 or 01, and eight more digits";
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
  "merchant.get": () => ({ resource: "merchant", record: MERCHANT }),
  "merchant.paymentAccounts": (context) => {
    const { currency } = MERCHANT;
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
  "webhooks.register": ({ sandboxState, body }) => {
    const fields = webhookFields(body, false) as Omit<StoredWebhook, "id">;
    const webhook = { id: sandboxState.serializer.newId("webhook", sandboxState.state), ...fields };
    sandboxState.state.webhooks.push(webhook);
    return { resource: "webhook", record: webhook, isNew: true };
  },
  "webhooks.list": (context) => listOf(context, "webhook", context.sandboxState.state.webhooks),
  "webhooks.update": (context) => {
    const webhook = findWebhook(context);
    const record = Object.assign(webhook, webhookFields(context.body, true));
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
