import type { EndpointName } from "../../contract/endpoints.ts";
import {
  changeInvoice,
  createInvoice,
  invoiceView,
  markPaid,
  sendInvoice,
} from "../payments/invoices.ts";
import { MERCHANT } from "../payments/merchant.ts";
import { paymentView, startPayment } from "../payments/payments.ts";
import { kenyanMobile, networkOf } from "../payments/phone-number.ts";
import { nextName } from "../state/random.ts";
import type { StoredInvoice, StoredPayment, StoredWebhook } from "../state/records.ts";
import type { World } from "../state/world.ts";
import { ErrorResponse, invalidField } from "./error-response.ts";
import {
  DEFAULT_ACCOUNT,
  invoiceFields,
  newPaymentFields,
  pageFields,
  phoneField,
  webhookFields,
} from "./params.ts";
import type { Body } from "./parse-body.ts";

/** A request whose key may make it. */
export interface RouteContext {
  readonly world: World;
  /** The path parameter, decoded. */
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: Body;
}

/** What the envelope of the response holds. */
export interface RouteResult {
  readonly status?: 201;
  readonly data: unknown;
  readonly meta?: { page: number; per_page: number; total: number };
}

function listPage<T>(
  all: readonly T[],
  query: URLSearchParams,
  view: (one: T) => unknown,
): RouteResult {
  const { page, perPage } = pageFields(query);
  // The newest come first in the response; in the state they are last.
  const end = all.length - (page - 1) * perPage;
  const items = all.slice(Math.max(end - perPage, 0), Math.max(end, 0)).reverse();
  return { data: items.map(view), meta: { page, per_page: perPage, total: all.length } };
}

function orNotFound<T>(what: string, id: string, one: T | undefined): T {
  if (one !== undefined) return one;
  throw new ErrorResponse(
    404,
    `There is no ${what} ${JSON.stringify(id.slice(0, 60))} in this sandbox.`,
  );
}

const findPayment = ({ world, id }: RouteContext): StoredPayment => {
  const payment = world.payments.get(id);
  // The index has checkout request ids too, but the path accepts only a reference.
  return orNotFound("payment", id, payment?.reference === id ? payment : undefined);
};
const findInvoice = ({ world, id }: RouteContext): StoredInvoice =>
  orNotFound(
    "invoice",
    id,
    world.state.invoices.find((one) => one.id === id || one.number === id),
  );
const findWebhook = ({ world, id }: RouteContext): StoredWebhook =>
  orNotFound(
    "webhook",
    id,
    world.state.webhooks.find((one) => one.id === id),
  );

function initiate({ world, body }: RouteContext): RouteResult {
  const { reference, checkout_request_id } = startPayment(world, newPaymentFields(world, body));
  return { data: { reference, ...(checkout_request_id && { checkout_request_id }) } };
}

function status({ world, body }: RouteContext): RouteResult {
  const { reference, checkout_request_id } = body;
  const name = reference === undefined ? "checkout_request_id" : "reference";
  const value = reference ?? checkout_request_id;
  if (typeof value !== "string" || value === "") {
    throw invalidField("reference", "expected a reference, or a checkout_request_id");
  }
  const payment = world.payments.get(value);
  return {
    data: paymentView(orNotFound(name, value, payment?.[name] === value ? payment : undefined)),
  };
}

function validatePhone({ body }: RouteContext): RouteResult {
  const given = phoneField(body);
  const phone = kenyanMobile(given);
  const network = phone && networkOf(phone);
  return {
    data: { valid: phone !== undefined, phone: phone ?? given, ...(network && { network }) },
  };
}

function updateInvoice(context: RouteContext): RouteResult {
  const { world, body } = context;
  const invoice = findInvoice(context);
  const change = invoiceFields(world, body);
  if (body.status !== undefined && body.status !== invoice.status && body.status !== "paid") {
    throw invalidField("status", 'expected "paid": the sandbox sets every other status itself');
  }
  changeInvoice(world, invoice, change);
  if (body.status === "paid") markPaid(world, invoice);
  return { data: invoiceView(invoice) };
}

function send(context: RouteContext): RouteResult {
  const invoice = findInvoice(context);
  if (invoice.status === "paid") throw invalidField("status", "the invoice is already paid");
  sendInvoice(context.world, invoice);
  return { data: invoiceView(invoice) };
}

function remove<T extends { id: string }>(all: T[], one: T): RouteResult {
  all.splice(all.indexOf(one), 1);
  return { data: { id: one.id, deleted: true } };
}

/** What each endpoint of the contract does. */
export const ROUTES: Readonly<Record<EndpointName, (context: RouteContext) => RouteResult>> = {
  "merchant.get": () => ({ data: MERCHANT }),
  "merchant.paymentAccounts": ({ query }) =>
    listPage(
      [{ payment_account_id: DEFAULT_ACCOUNT, name: "Till", currency: "KES", is_default: true }],
      query,
      (account) => account,
    ),
  "payments.get": (context) => ({ data: paymentView(findPayment(context)) }),
  "payments.list": ({ world, query }) => listPage(world.state.payments, query, paymentView),
  "payments.initiate": initiate,
  "mobileMoney.initiate": initiate,
  "mobileMoney.status": status,
  "mobileMoney.validatePhone": validatePhone,
  "webhooks.register": ({ world, body }) => {
    const fields = webhookFields(body, false) as Omit<StoredWebhook, "id">;
    const webhook = { id: `wh_${nextName(world.state.random, "token", 12)}`, ...fields };
    world.state.webhooks.push(webhook);
    return { status: 201, data: webhook };
  },
  "webhooks.list": ({ world, query }) => listPage(world.state.webhooks, query, (one) => one),
  "webhooks.update": (context) => {
    const webhook = findWebhook(context);
    return { data: Object.assign(webhook, webhookFields(context.body, true)) };
  },
  "webhooks.delete": (context) => remove(context.world.state.webhooks, findWebhook(context)),
  "invoices.create": ({ world, body }) => {
    if (body.status !== undefined && body.status !== "draft") {
      throw invalidField("status", 'expected "draft" for a new invoice');
    }
    const invoice = createInvoice(world, invoiceFields(world, body));
    return { status: 201, data: invoiceView(invoice) };
  },
  "invoices.list": ({ world, query }) => listPage(world.state.invoices, query, invoiceView),
  "invoices.get": (context) => ({ data: invoiceView(findInvoice(context)) }),
  "invoices.update": updateInvoice,
  "invoices.delete": (context) => remove(context.world.state.invoices, findInvoice(context)),
  "invoices.send": send,
};
