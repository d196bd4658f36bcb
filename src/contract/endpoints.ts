import type { KeyKind } from "./keys.ts";
import type { SchemaName } from "./schemas.ts";

/** The scopes that an API key can have. @see docs/reference/service.md, "Authentication" */
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

/** The name of a scope: a permission that an API key can have. */
export type Scope = (typeof SCOPES)[number];

/**
 * What happens if a request is sent twice. A `read` changes nothing. An `idempotent` write leaves
 * the same state as one request. A `create` takes effect twice. The effect decides which requests
 * are retried.
 */
export type Effect = "read" | "idempotent" | "create";

/** One row of the table: everything that is known about one endpoint. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Path below the base URL. `{name}` is a path parameter. */
  readonly path: `/${string}`;
  /** The scope that the key needs. `undefined`: the service documents none. */
  readonly scope: Scope | undefined;
  /** The kinds of key that the endpoint accepts. */
  readonly keys: readonly KeyKind[];
  readonly effect: Effect;
  /** Name of the schema of the request body. `undefined`: the request has no body. */
  readonly request?: SchemaName | undefined;
  /** Name of the schema of `data`, or of each item of a list. `undefined`: the service documents none. */
  readonly response?: SchemaName | undefined;
  /** The fields of `data` that the client requires. A response without them is an error. */
  readonly requiredFields?: readonly string[];
  /** Whether `data` is a list. */
  readonly list?: true;
}

// A secret key may call every endpoint that accepts a public key. The service does not document
// which endpoints a sandbox key may call: the client sends the request, and the service decides.
const ANY_KEY = ["public", "secret", "sandbox"] as const;
const SECRET_KEY = ["secret", "sandbox"] as const;

/**
 * The table of endpoints, one row for each. The client's methods and types, the key checks, the
 * sandbox, the OpenAPI document and the docs all use these rows.
 *
 * @see docs/reference/service.md, "Endpoints"
 */
// biome-ignore format: one line for each row
export const ENDPOINTS = {
  "merchant.get": { method: "GET", path: "/merchant", scope: "merchant.read", keys: ANY_KEY, effect: "read" },
  "merchant.paymentAccounts": { method: "GET", path: "/merchant/payment-accounts", scope: "merchant.read", keys: ANY_KEY, effect: "read", list: true },
  "payments.get": { method: "GET", path: "/payments/{reference}", scope: "payments.read", keys: ANY_KEY, effect: "read", response: "payment", requiredFields: ["status"] },
  "payments.list": { method: "GET", path: "/payments", scope: "payments.read", keys: ANY_KEY, effect: "read", response: "payment", list: true },
  "payments.initiate": { method: "POST", path: "/payments/initiate", scope: undefined, keys: SECRET_KEY, effect: "create", request: "anyObject" },
  "mobileMoney.initiate": { method: "POST", path: "/mobile-money/payment/initiate", scope: "payments.create", keys: SECRET_KEY, effect: "create", request: "mobileMoneyPaymentParams", response: "mobileMoneyPayment", requiredFields: ["reference"] },
  "mobileMoney.status": { method: "POST", path: "/mobile-money/payment/status", scope: "payments.read", keys: SECRET_KEY, effect: "read", request: "anyObject" },
  "mobileMoney.validatePhone": { method: "POST", path: "/mobile-money/validate-phone", scope: "mobile-money.validate", keys: ANY_KEY, effect: "read", request: "phoneToValidate" },
  "webhooks.register": { method: "POST", path: "/webhooks/register", scope: "webhooks.manage", keys: SECRET_KEY, effect: "create", request: "webhookRegistration", response: "webhook" },
  "webhooks.list": { method: "GET", path: "/webhooks", scope: "webhooks.read", keys: ANY_KEY, effect: "read", response: "webhook", list: true },
  "webhooks.update": { method: "PUT", path: "/webhooks/{id}", scope: "webhooks.manage", keys: SECRET_KEY, effect: "idempotent", request: "webhookChanges", response: "webhook" },
  "webhooks.delete": { method: "DELETE", path: "/webhooks/{id}", scope: "webhooks.manage", keys: SECRET_KEY, effect: "idempotent" },
  "invoices.create": { method: "POST", path: "/invoices", scope: "invoices.create", keys: SECRET_KEY, effect: "create", request: "anyObject" },
  "invoices.list": { method: "GET", path: "/invoices", scope: "invoices.read", keys: ANY_KEY, effect: "read", list: true },
  "invoices.get": { method: "GET", path: "/invoices/{invoice}", scope: "invoices.read", keys: ANY_KEY, effect: "read" },
  "invoices.update": { method: "PUT", path: "/invoices/{invoice}", scope: "invoices.update", keys: SECRET_KEY, effect: "idempotent", request: "anyObject" },
  "invoices.delete": { method: "DELETE", path: "/invoices/{invoice}", scope: "invoices.delete", keys: SECRET_KEY, effect: "idempotent" },
  "invoices.send": { method: "POST", path: "/invoices/{invoice}/send", scope: "invoices.send", keys: SECRET_KEY, effect: "create", request: "anyObject" },
} as const satisfies Record<string, Endpoint>;

type Endpoints = typeof ENDPOINTS;

/** The name of an endpoint: the namespace and the method of the client that calls it. */
export type EndpointName = keyof Endpoints;

/** The methods of a namespace that a public key may call, such as `"get" | "list"`. */
export type PublicMethod<Namespace extends string> = {
  [Name in EndpointName]: "public" extends Endpoints[Name]["keys"][number]
    ? Name extends `${Namespace}.${infer Method}`
      ? Method
      : never
    : never;
}[EndpointName];

// `{name}` matches one path segment. A literal path such as `/payments/initiate` also matches
// `/payments/{reference}`, but the two rows differ in their method, so at most one row matches.
const PATTERNS = /* @__PURE__ */ Object.entries<Endpoint>(ENDPOINTS).map(
  ([name, { path }]) =>
    [name as EndpointName, new RegExp(`^${path.replace(/\{\w+\}/g, "([^/]+)")}$`)] as const,
);

/** Finds the row of a request, and its path parameters as they were sent. */
export function endpointFor(
  method: string,
  path: string,
): { name: EndpointName; endpoint: Endpoint; params: string[] } | undefined {
  for (const [name, pattern] of PATTERNS) {
    const match = ENDPOINTS[name].method === method ? pattern.exec(path) : null;
    if (match !== null) return { name, endpoint: ENDPOINTS[name], params: match.slice(1) };
  }
  return undefined;
}
