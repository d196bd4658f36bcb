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
  type Body,
  DEFAULT_ACCOUNT,
  invoiceChange,
  pageIn,
  paymentOrder,
  phoneIn,
  webhookFields,
} from "./params.ts";

/** A request that was let in: who may call what is settled, the body is an object. */
export interface RouteContext {
  readonly world: World;
  /** The path parameter, decoded. */
  readonly id: string;
  readonly query: URLSearchParams;
  readonly body: Body;
}

/** What goes into the envelope. */
export interface RouteResult {
  readonly status?: 201;
  readonly data: unknown;
  readonly meta?: { page: number; per_page: number; total: number };
}

function pageOf<T>(
  all: readonly T[],
  query: URLSearchParams,
  view: (one: T) => unknown,
): RouteResult {
  const { page, perPage } = pageIn(query);
  // The newest come first, and stand last.
  const end = all.length - (page - 1) * perPage;
  const items = all.slice(Math.max(end - perPage, 0), Math.max(end, 0)).reverse();
  return { data: items.map(view), meta: { page, per_page: perPage, total: all.length } };
}

function found<T>(what: string, id: string, one: T | undefined): T {
  if (one !== undefined) return one;
  throw new ErrorResponse(404, `There is no ${what} ${JSON.stringify(id.slice(0, 60))}.`);
}

const paymentIn = ({ world, id }: RouteContext): StoredPayment => {
  const payment = world.payments.get(id);
  // The index knows checkout requests too; the path takes references alone.
  return found("payment", id, payment?.reference === id ? payment : undefined);
};
const invoiceIn = ({ world, id }: RouteContext): StoredInvoice =>
  found(
    "invoice",
    id,
    world.state.invoices.find((one) => one.id === id || one.number === id),
  );
const webhookIn = ({ world, id }: RouteContext): StoredWebhook =>
  found(
    "webhook",
    id,
    world.state.webhooks.find((one) => one.id === id),
  );

function initiate({ world, body }: RouteContext): RouteResult {
  const { reference, checkout_request_id } = startPayment(world, paymentOrder(world, body));
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
  return { data: paymentView(found(name, value, payment?.[name] === value ? payment : undefined)) };
}

function validatePhone({ body }: RouteContext): RouteResult {
  const given = phoneIn(body);
  const phone = kenyanMobile(given);
  const network = phone && networkOf(phone);
  return {
    data: { valid: phone !== undefined, phone: phone ?? given, ...(network && { network }) },
  };
}

function updateInvoice(admitted: RouteContext): RouteResult {
  const { world, body } = admitted;
  const invoice = invoiceIn(admitted);
  const change = invoiceChange(world, body);
  if (body.status !== undefined && body.status !== invoice.status && body.status !== "paid") {
    throw invalidField("status", 'expected "paid": the other states come by themselves');
  }
  changeInvoice(world, invoice, change);
  if (body.status === "paid") markPaid(world, invoice);
  return { data: invoiceView(invoice) };
}

function send(admitted: RouteContext): RouteResult {
  const invoice = invoiceIn(admitted);
  if (invoice.status === "paid") throw invalidField("status", "the invoice is paid already");
  sendInvoice(admitted.world, invoice);
  return { data: invoiceView(invoice) };
}

function remove<T extends { id: string }>(all: T[], one: T): RouteResult {
  all.splice(all.indexOf(one), 1);
  return { data: { id: one.id, deleted: true } };
}

/** What each row of the contract does. */
export const ROUTES: Readonly<Record<EndpointName, (admitted: RouteContext) => RouteResult>> = {
  "merchant.get": () => ({ data: MERCHANT }),
  "merchant.paymentAccounts": ({ query }) =>
    pageOf(
      [{ payment_account_id: DEFAULT_ACCOUNT, name: "Till", currency: "KES", is_default: true }],
      query,
      (account) => account,
    ),
  "payments.get": (admitted) => ({ data: paymentView(paymentIn(admitted)) }),
  "payments.list": ({ world, query }) => pageOf(world.state.payments, query, paymentView),
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
  "webhooks.list": ({ world, query }) => pageOf(world.state.webhooks, query, (one) => one),
  "webhooks.update": (admitted) => {
    const webhook = webhookIn(admitted);
    return { data: Object.assign(webhook, webhookFields(admitted.body, true)) };
  },
  "webhooks.delete": (admitted) => remove(admitted.world.state.webhooks, webhookIn(admitted)),
  "invoices.create": ({ world, body }) => {
    if (body.status !== undefined && body.status !== "draft") {
      throw invalidField("status", 'a new invoice is a "draft"');
    }
    const invoice = createInvoice(world, invoiceChange(world, body));
    return { status: 201, data: invoiceView(invoice) };
  },
  "invoices.list": ({ world, query }) => pageOf(world.state.invoices, query, invoiceView),
  "invoices.get": (admitted) => ({ data: invoiceView(invoiceIn(admitted)) }),
  "invoices.update": updateInvoice,
  "invoices.delete": (admitted) => remove(admitted.world.state.invoices, invoiceIn(admitted)),
  "invoices.send": send,
};
