import type { KeyKind } from "./keys.ts";
import {
  mobileMoneyPayment,
  mobileMoneyPaymentParams,
  payment,
  phoneToValidate,
} from "./payment.ts";
import { anyObject, type Schema } from "./schema.ts";
import { webhook, webhookChanges, webhookRegistration } from "./webhook.ts";

/** The permissions that a key may hold. @see Service interface, section 5. */
export const SCOPES = [
  "merchant.read",
  "payments.read",
  "payments.create",
  "mobile-money.validate",
  "webhooks.manage",
  "webhooks.read",
  "invoices.create",
  "invoices.read",
  "invoices.update",
  "invoices.delete",
  "invoices.send",
] as const;

/** One of the eleven permissions. */
export type Scope = (typeof SCOPES)[number];

/**
 * What sending twice does. A `read` changes nothing, an `idempotent` write ends in the same state,
 * a `create` happens twice. A row's effect decides what may be sent again.
 */
export type Effect = "read" | "idempotent" | "create";

/** All that is known of one endpoint. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the base URL; `{name}` is a path parameter. */
  readonly path: `/${string}`;
  /** `undefined`: the interface names none. */
  readonly scope: Scope | undefined;
  /** The kinds of key that the row accepts. */
  readonly keys: readonly KeyKind[];
  readonly effect: Effect;
  /** `undefined`: the row has no body. */
  readonly request?: Schema | undefined;
  /** The documented fields of `data`, or of each item of a list. `undefined`: not shown. */
  readonly response?: Schema | undefined;
  /** The fields of `data` that the method cannot do without. */
  readonly promised?: readonly string[];
  /** `data` is a list. */
  readonly list?: true;
}

// Section 5.4: a secret key also satisfies every endpoint that accepts a public key. Which
// endpoints a sandbox key may call is not shown: the service decides, the client lets it ask.
const ANY_KEY = ["public", "secret", "sandbox"] as const;
const SECRET_KEY = ["secret", "sandbox"] as const;

/**
 * The service: one row an endpoint, in the order of the interface's section 4. Methods, guards,
 * types, the sandbox and the docs all read these rows.
 */
// biome-ignore format: a table is read across
export const ENDPOINTS = {
  "merchant.get": { method: "GET", path: "/merchant", scope: "merchant.read", keys: ANY_KEY, effect: "read" },
  "merchant.paymentAccounts": { method: "GET", path: "/merchant/payment-accounts", scope: "merchant.read", keys: ANY_KEY, effect: "read", list: true },
  "payments.get": { method: "GET", path: "/payments/{reference}", scope: "payments.read", keys: ANY_KEY, effect: "read", response: payment, promised: ["status"] },
  "payments.list": { method: "GET", path: "/payments", scope: "payments.read", keys: ANY_KEY, effect: "read", response: payment, list: true },
  "payments.initiate": { method: "POST", path: "/payments/initiate", scope: undefined, keys: SECRET_KEY, effect: "create", request: anyObject },
  "mobileMoney.initiate": { method: "POST", path: "/mobile-money/payment/initiate", scope: "payments.create", keys: SECRET_KEY, effect: "create", request: mobileMoneyPaymentParams, response: mobileMoneyPayment, promised: ["reference"] },
  "mobileMoney.status": { method: "POST", path: "/mobile-money/payment/status", scope: "payments.read", keys: SECRET_KEY, effect: "read", request: anyObject },
  "mobileMoney.validatePhone": { method: "POST", path: "/mobile-money/validate-phone", scope: "mobile-money.validate", keys: ANY_KEY, effect: "read", request: phoneToValidate },
  "webhooks.register": { method: "POST", path: "/webhooks/register", scope: "webhooks.manage", keys: SECRET_KEY, effect: "create", request: webhookRegistration, response: webhook },
  "webhooks.list": { method: "GET", path: "/webhooks", scope: "webhooks.read", keys: ANY_KEY, effect: "read", response: webhook, list: true },
  "webhooks.update": { method: "PUT", path: "/webhooks/{id}", scope: "webhooks.manage", keys: SECRET_KEY, effect: "idempotent", request: webhookChanges, response: webhook },
  "webhooks.delete": { method: "DELETE", path: "/webhooks/{id}", scope: "webhooks.manage", keys: SECRET_KEY, effect: "idempotent" },
  "invoices.create": { method: "POST", path: "/invoices", scope: "invoices.create", keys: SECRET_KEY, effect: "create", request: anyObject },
  "invoices.list": { method: "GET", path: "/invoices", scope: "invoices.read", keys: ANY_KEY, effect: "read", list: true },
  "invoices.get": { method: "GET", path: "/invoices/{invoice}", scope: "invoices.read", keys: ANY_KEY, effect: "read" },
  "invoices.update": { method: "PUT", path: "/invoices/{invoice}", scope: "invoices.update", keys: SECRET_KEY, effect: "idempotent", request: anyObject },
  "invoices.delete": { method: "DELETE", path: "/invoices/{invoice}", scope: "invoices.delete", keys: SECRET_KEY, effect: "idempotent" },
  "invoices.send": { method: "POST", path: "/invoices/{invoice}/send", scope: "invoices.send", keys: SECRET_KEY, effect: "create", request: anyObject },
} as const satisfies Record<string, Endpoint>;

type Endpoints = typeof ENDPOINTS;

/** The name of a row: the namespace and the method of the client that calls it. */
export type EndpointName = keyof Endpoints;

/** The methods of a namespace that a public key may call. */
export type PublicMethod<Namespace extends string> = {
  [Name in EndpointName]: "public" extends Endpoints[Name]["keys"][number]
    ? Name extends `${Namespace}.${infer Method}`
      ? Method
      : never
    : never;
}[EndpointName];

// `{name}` stands for one segment. Names that a literal path also matches (`/payments/initiate`)
// differ in their method, so the first row that fits is the only one.
const PATTERNS = Object.entries<Endpoint>(ENDPOINTS).map(
  ([name, { path }]) =>
    [name as EndpointName, new RegExp(`^${path.replace(/\{\w+\}/g, "([^/]+)")}$`)] as const,
);

/** The row that a request belongs to, and its path parameters as they were sent. */
export function endpointFor(
  method: string,
  path: string,
): { name: EndpointName; endpoint: Endpoint; params: string[] } | undefined {
  for (const [name, pattern] of PATTERNS) {
    const found = ENDPOINTS[name].method === method ? pattern.exec(path) : null;
    if (found !== null) return { name, endpoint: ENDPOINTS[name], params: found.slice(1) };
  }
  return undefined;
}
