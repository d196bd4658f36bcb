import type { CreateOptions, Gateway, Result } from "malipo";
import type { EndpointName } from "malipo/types";

/** The identifiers that rows with a path parameter are called with. */
export interface Ids {
  readonly reference: string;
  readonly webhook: string;
  readonly invoice: string;
}

/** A documented endpoint, written by hand, and the method that calls it. */
export interface Row {
  readonly number: number;
  readonly name: EndpointName;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: (ids: Ids) => string;
  /** The body that is sent. `undefined`: no body. */
  readonly body?: (ids: Ids) => unknown;
  /** Who may call it. A sandbox key may try everything. */
  readonly open: "to public keys" | "only to secret keys";
  readonly effect: "read" | "idempotent" | "create";
  readonly list?: true;
  readonly call: (gateway: Gateway, ids: Ids, options?: CreateOptions) => Result<unknown>;
}

export const IDS: Ids = { reference: "PAY-1", webhook: "7", invoice: "inv_9" };

const PUBLIC = "to public keys";
const SECRET = "only to secret keys";

const order = { amount: 100, phone: "0712345678" };
const registration = {
  name: "shop",
  url: "https://shop.example/hooks",
  events: ["payment.completed"],
};

// biome-ignore format: a table is read across
export const ROWS: readonly Row[] = [
  { number: 1, name: "merchant.get", method: "GET", path: () => "/merchant", open: PUBLIC, effect: "read", call: ({ merchant }, _, options) => merchant.get(options) },
  { number: 2, name: "merchant.paymentAccounts", method: "GET", path: () => "/merchant/payment-accounts", open: PUBLIC, effect: "read", list: true, call: ({ merchant }, _, options) => merchant.paymentAccounts(options) },
  { number: 3, name: "payments.get", method: "GET", path: ({ reference }) => `/payments/${reference}`, open: PUBLIC, effect: "read", call: ({ payments }, { reference }, options) => payments.get(reference, options) },
  { number: 4, name: "payments.list", method: "GET", path: () => "/payments", open: PUBLIC, effect: "read", list: true, call: ({ payments }, _, options) => payments.list(undefined, options) },
  { number: 5, name: "payments.initiate", method: "POST", path: () => "/payments/initiate", body: () => order, open: SECRET, effect: "create", call: ({ payments }, _, options) => payments.initiate(order, options) },
  { number: 6, name: "mobileMoney.initiate", method: "POST", path: () => "/mobile-money/payment/initiate", body: () => order, open: SECRET, effect: "create", call: ({ mobileMoney }, _, options) => mobileMoney.initiate(order, options) },
  { number: 7, name: "mobileMoney.status", method: "POST", path: () => "/mobile-money/payment/status", body: ({ reference }) => ({ reference }), open: SECRET, effect: "read", call: ({ mobileMoney }, { reference }, options) => mobileMoney.status({ reference }, options) },
  { number: 8, name: "mobileMoney.validatePhone", method: "POST", path: () => "/mobile-money/validate-phone", body: () => ({ phone: "0712345678" }), open: PUBLIC, effect: "read", call: ({ mobileMoney }, _, options) => mobileMoney.validatePhone("0712345678", options) },
  { number: 9, name: "webhooks.register", method: "POST", path: () => "/webhooks/register", body: () => registration, open: SECRET, effect: "create", call: ({ webhooks }, _, options) => webhooks.register(registration, options) },
  { number: 10, name: "webhooks.list", method: "GET", path: () => "/webhooks", open: PUBLIC, effect: "read", list: true, call: ({ webhooks }, _, options) => webhooks.list(undefined, options) },
  { number: 11, name: "webhooks.update", method: "PUT", path: ({ webhook }) => `/webhooks/${webhook}`, body: () => ({ name: "till" }), open: SECRET, effect: "idempotent", call: ({ webhooks }, { webhook }, options) => webhooks.update(webhook, { name: "till" }, options) },
  { number: 12, name: "webhooks.delete", method: "DELETE", path: ({ webhook }) => `/webhooks/${webhook}`, open: SECRET, effect: "idempotent", call: ({ webhooks }, { webhook }, options) => webhooks.delete(webhook, options) },
  { number: 13, name: "invoices.create", method: "POST", path: () => "/invoices", body: () => ({ amount: 250 }), open: SECRET, effect: "create", call: ({ invoices }, _, options) => invoices.create({ amount: 250 }, options) },
  { number: 14, name: "invoices.list", method: "GET", path: () => "/invoices", open: PUBLIC, effect: "read", list: true, call: ({ invoices }, _, options) => invoices.list(undefined, options) },
  { number: 15, name: "invoices.get", method: "GET", path: ({ invoice }) => `/invoices/${invoice}`, open: PUBLIC, effect: "read", call: ({ invoices }, { invoice }, options) => invoices.get(invoice, options) },
  { number: 16, name: "invoices.update", method: "PUT", path: ({ invoice }) => `/invoices/${invoice}`, body: () => ({ amount: 300 }), open: SECRET, effect: "idempotent", call: ({ invoices }, { invoice }, options) => invoices.update(invoice, { amount: 300 }, options) },
  { number: 17, name: "invoices.delete", method: "DELETE", path: ({ invoice }) => `/invoices/${invoice}`, open: SECRET, effect: "idempotent", call: ({ invoices }, { invoice }, options) => invoices.delete(invoice, options) },
  { number: 18, name: "invoices.send", method: "POST", path: ({ invoice }) => `/invoices/${invoice}/send`, open: SECRET, effect: "create", call: ({ invoices }, { invoice }, options) => invoices.send(invoice, undefined, options) },
];

/** The body of a response with only the required fields of a row. */
export const minimalBody = ({ list }: Row): unknown => ({
  success: true,
  data: list ? [] : { status: "pending", reference: "PAY-1" },
});
