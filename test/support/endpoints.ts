import type { CreateOptions, Gateway, Result } from "malipo";
import type { EndpointName, Scope } from "malipo/types";

/** The identifiers that rows with a path parameter are called with. */
export interface Ids {
  readonly reference: string;
  readonly webhook: string;
  readonly invoice: string;
}

/** A documented endpoint, written by hand so that no test repeats the table of `src`. */
interface DocumentedEndpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly route: `/${string}`;
  /** `undefined`: the service documents none. */
  readonly scope: Scope | undefined;
  /** Who may call it. A sandbox key may try everything. */
  readonly open: "to public keys" | "only to secret keys";
  readonly effect: "read" | "idempotent" | "create";
  readonly list?: true;
  /** The fields that a response must have. */
  readonly requires?: readonly string[];
  /** The parts that the service does not document: `scope`, `query`, `request`, `response`. */
  readonly undocumented?: string;
  /** The body that is sent. `undefined`: no body. */
  readonly body?: (ids: Ids) => unknown;
  readonly call: (gateway: Gateway, ids: Ids, options?: CreateOptions) => Result<unknown>;
  /** What the result, or its first item, contains in a sandbox with one of each. */
  readonly result?: (ids: Ids) => object;
  /** The names of further fields of it. */
  readonly has?: readonly string[];
  /** The command that calls it. The path parameter is X-1. */
  readonly command: string;
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
const DOCUMENTED: Readonly<Record<EndpointName, DocumentedEndpoint>> = {
  "merchant.get": {
    method: "GET", route: "/merchant", scope: "merchant.read", open: PUBLIC, effect: "read", undocumented: "response",
    call: ({ merchant }, _, options) => merchant.get(options),
    command: "merchant get",
  },
  "merchant.paymentAccounts": {
    method: "GET", route: "/merchant/payment-accounts", scope: "merchant.read", open: PUBLIC, effect: "read", list: true, undocumented: "response",
    call: ({ merchant }, _, options) => merchant.paymentAccounts(options), has: ["payment_account_id"],
    command: "merchant payment-accounts",
  },
  "payments.get": {
    method: "GET", route: "/payments/{reference}", scope: "payments.read", open: PUBLIC, effect: "read", requires: ["status"],
    call: ({ payments }, { reference }, options) => payments.get(reference, options), result: ({ reference }) => ({ reference, status: "pending", amount: "75.00" }),
    command: "payments get X-1",
  },
  "payments.list": {
    method: "GET", route: "/payments", scope: "payments.read", open: PUBLIC, effect: "read", list: true, undocumented: "query response",
    call: ({ payments }, _, options) => payments.list(undefined, options), result: ({ reference }) => ({ reference, status: "pending" }),
    command: "payments list",
  },
  "payments.initiate": {
    method: "POST", route: "/payments/initiate", scope: undefined, open: SECRET, effect: "create", undocumented: "scope request response", body: () => order,
    call: ({ payments }, _, options) => payments.initiate(order, options), has: ["reference"],
    command: "payments initiate-raw --set note=x",
  },
  "mobileMoney.initiate": {
    method: "POST", route: "/mobile-money/payment/initiate", scope: "payments.create", open: SECRET, effect: "create", requires: ["reference"], body: () => order,
    call: ({ mobileMoney }, _, options) => mobileMoney.initiate(order, options), has: ["reference", "checkout_request_id"],
    command: "payments initiate --amount 5 --phone 0712345678",
  },
  "mobileMoney.status": {
    method: "POST", route: "/mobile-money/payment/status", scope: "payments.read", open: SECRET, effect: "read", undocumented: "request response", body: ({ reference }) => ({ reference }),
    call: ({ mobileMoney }, { reference }, options) => mobileMoney.status({ reference }, options), result: ({ reference }) => ({ reference, status: "pending" }),
    command: "payments status --set note=x",
  },
  "mobileMoney.validatePhone": {
    method: "POST", route: "/mobile-money/validate-phone", scope: "mobile-money.validate", open: PUBLIC, effect: "read", undocumented: "response", body: () => ({ phone: "0712345678" }),
    call: ({ mobileMoney }, _, options) => mobileMoney.validatePhone("0712345678", options), result: () => ({ phone: "254712345678" }),
    command: "payments validate-phone 0712345678",
  },
  "webhooks.register": {
    method: "POST", route: "/webhooks/register", scope: "webhooks.manage", open: SECRET, effect: "create", undocumented: "response", body: () => registration,
    call: ({ webhooks }, _, options) => webhooks.register(registration, options), result: () => ({ name: "shop", url: "https://shop.example/hooks" }),
    command: "webhooks register https://shop.example/webhooks",
  },
  "webhooks.list": {
    method: "GET", route: "/webhooks", scope: "webhooks.read", open: PUBLIC, effect: "read", list: true, undocumented: "query response",
    call: ({ webhooks }, _, options) => webhooks.list(undefined, options), result: () => ({ name: "desk", events: ["subscription.created"] }),
    command: "webhooks list",
  },
  "webhooks.update": {
    method: "PUT", route: "/webhooks/{id}", scope: "webhooks.manage", open: SECRET, effect: "idempotent", undocumented: "request response", body: () => ({ name: "till" }),
    call: ({ webhooks }, { webhook }, options) => webhooks.update(webhook, { name: "till" }, options), result: () => ({ name: "till", url: "https://desk.example/hooks" }),
    command: "webhooks update X-1 --set note=x",
  },
  "webhooks.delete": {
    method: "DELETE", route: "/webhooks/{id}", scope: "webhooks.manage", open: SECRET, effect: "idempotent", undocumented: "response",
    call: ({ webhooks }, { webhook }, options) => webhooks.delete(webhook, options),
    command: "webhooks delete X-1",
  },
  "invoices.create": {
    method: "POST", route: "/invoices", scope: "invoices.create", open: SECRET, effect: "create", undocumented: "request response", body: () => ({ amount: 250 }),
    call: ({ invoices }, _, options) => invoices.create({ amount: 250 }, options), has: ["id"],
    command: "invoices create --set note=x",
  },
  "invoices.list": {
    method: "GET", route: "/invoices", scope: "invoices.read", open: PUBLIC, effect: "read", list: true, undocumented: "query response",
    call: ({ invoices }, _, options) => invoices.list(undefined, options), result: ({ invoice }) => ({ id: invoice, title: "May" }),
    command: "invoices list",
  },
  "invoices.get": {
    method: "GET", route: "/invoices/{invoice}", scope: "invoices.read", open: PUBLIC, effect: "read", undocumented: "response",
    call: ({ invoices }, { invoice }, options) => invoices.get(invoice, options), result: ({ invoice }) => ({ id: invoice, title: "May" }),
    command: "invoices get X-1",
  },
  "invoices.update": {
    method: "PUT", route: "/invoices/{invoice}", scope: "invoices.update", open: SECRET, effect: "idempotent", undocumented: "request response", body: () => ({ amount: 300 }),
    call: ({ invoices }, { invoice }, options) => invoices.update(invoice, { amount: 300 }, options), result: ({ invoice }) => ({ id: invoice, title: "May" }),
    command: "invoices update X-1 --set note=x",
  },
  "invoices.delete": {
    method: "DELETE", route: "/invoices/{invoice}", scope: "invoices.delete", open: SECRET, effect: "idempotent", undocumented: "response",
    call: ({ invoices }, { invoice }, options) => invoices.delete(invoice, options),
    command: "invoices delete X-1",
  },
  "invoices.send": {
    method: "POST", route: "/invoices/{invoice}/send", scope: "invoices.send", open: SECRET, effect: "create", undocumented: "request response",
    call: ({ invoices }, { invoice }, options) => invoices.send(invoice, undefined, options), result: ({ invoice }) => ({ id: invoice }),
    command: "invoices send X-1",
  },
};

/** A row of the table, with its number in the documentation, its name, and its path. */
export interface Row extends DocumentedEndpoint {
  readonly number: number;
  readonly name: EndpointName;
  readonly path: (ids: Ids) => string;
}

/** Every documented endpoint, in the order of the documentation. */
export const ROWS: readonly Row[] = (
  Object.entries(DOCUMENTED) as [EndpointName, DocumentedEndpoint][]
).map(([name, row], index) => ({
  ...row,
  number: index + 1,
  name,
  path: ({ webhook, ...ids }) =>
    row.route.replace(/\{(\w+)\}/, (_, parameter: string) =>
      String({ ...ids, id: webhook }[parameter]),
    ),
}));

/** The body of a response with only the required fields of a row. */
export const minimalBody = ({ list }: Row): unknown => ({
  success: true,
  data: list ? [] : { status: "pending", reference: "PAY-1" },
});
