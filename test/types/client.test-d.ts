// Compiled, never run: it checks what the compiler accepts and rejects.
import {
  type AnyGatewayError,
  type CallOptions,
  Gateway,
  type GatewayErrorCode,
  type GatewayOptions,
  type Invoice,
  type InvoiceFields,
  isGatewayError,
  type MobileMoneyPayment,
  type Outcome,
  type Page,
  type ParamIssue,
  type Payment,
  type RateLimitError,
  type Result,
  type Webhook,
} from "malipo";
import type { EndpointName, PublicMethod } from "malipo/types";
import { expectTypeOf, test } from "vitest";
import type { ENDPOINTS } from "../../src/contract/endpoints.ts";

// How a user declares undocumented fields.
declare module "malipo" {
  interface Invoice {
    total_by_merging?: `${number}`;
  }
  interface InvoiceFields {
    total_by_merging?: number;
  }
}

const baseUrl = "https://gateway.example";
const order = { amount: 100, phone: "0712345678" };
const text: string = "";

const byPublic = new Gateway({ apiKey: "pk_live_1", baseUrl });
const bySecret = new Gateway({ apiKey: "sk_live_1", baseUrl });
const bySandbox = new Gateway({ apiKey: "sb_test_1", baseUrl });
const byString = new Gateway({ apiKey: text, baseUrl });
const byEnvironment = new Gateway();
const byEither = new Gateway({ apiKey: "pk_live_1" as "pk_live_1" | "sk_live_1", baseUrl });

type Namespace = EndpointName extends `${infer Name}.${string}` ? Name : never;

/** The methods that the type of a gateway has, by their names in the table of endpoints. */
type MethodsOf<G extends Record<Namespace, object>> = {
  [N in Namespace]: `${N}.${keyof G[N] & string}`;
}[Namespace];

/** The endpoints that accept public keys. */
type PublicEndpoints = {
  [Name in EndpointName]: "public" extends (typeof ENDPOINTS)[Name]["keys"][number] ? Name : never;
}[EndpointName];

/** Methods that call other methods, and so have no endpoint. */
type CombinedReads = "payments.waitFor" | "payments.reconcile";
type All = EndpointName | CombinedReads | "mobileMoney.collect";

test("every row of the table of endpoints has its method: the error names a row without one", () => {
  const noneIsMissing = (row: Exclude<EndpointName, MethodsOf<Gateway>>): never => row;
  expectTypeOf(noneIsMissing).toBeFunction();
});

test("the type of a gateway has the methods that its key may call", () => {
  expectTypeOf<MethodsOf<Gateway<"pk_live_1">>>().toEqualTypeOf<PublicEndpoints | CombinedReads>();
  expectTypeOf<MethodsOf<Gateway<`pk_${string}`>>>().toEqualTypeOf<
    PublicEndpoints | CombinedReads
  >();
  expectTypeOf<MethodsOf<Gateway>>().toEqualTypeOf<All>();
  expectTypeOf<MethodsOf<Gateway<"sk_live_1">>>().toEqualTypeOf<All>();
  expectTypeOf<MethodsOf<Gateway<"sb_test_1">>>().toEqualTypeOf<All>();
  expectTypeOf<MethodsOf<Gateway<`sk_${string}`>>>().toEqualTypeOf<All>();
  expectTypeOf<PublicEndpoints>().toEqualTypeOf<
    | "merchant.get"
    | "merchant.paymentAccounts"
    | "payments.get"
    | "payments.list"
    | "mobileMoney.validatePhone"
    | "webhooks.list"
    | "invoices.get"
    | "invoices.list"
  >();
  expectTypeOf<PublicMethod<"payments">>().toEqualTypeOf<"get" | "list">();
});

test("a literal public key has the eight reads", () => {
  expectTypeOf(byPublic.merchant.get).toBeFunction();
  expectTypeOf(byPublic.merchant.paymentAccounts).toBeFunction();
  expectTypeOf(byPublic.payments.get).toBeFunction();
  expectTypeOf(byPublic.payments.list).toBeFunction();
  expectTypeOf(byPublic.mobileMoney.validatePhone).toBeFunction();
  expectTypeOf(byPublic.webhooks.list).toBeFunction();
  expectTypeOf(byPublic.invoices.get).toBeFunction();
  expectTypeOf(byPublic.invoices.list).toBeFunction();
});

test("a literal public key has none of the ten calls that need a secret key", () => {
  // @ts-expect-error
  byPublic.payments.initiate(order);
  // @ts-expect-error
  byPublic.mobileMoney.initiate(order);
  // @ts-expect-error
  byPublic.mobileMoney.status({});
  // @ts-expect-error
  byPublic.webhooks.register({ name: "", url: "", events: [] });
  // @ts-expect-error
  byPublic.webhooks.update(1, {});
  // @ts-expect-error
  byPublic.webhooks.delete(1);
  // @ts-expect-error
  byPublic.invoices.create({});
  // @ts-expect-error
  byPublic.invoices.update(1, {});
  // @ts-expect-error
  byPublic.invoices.delete(1);
  // @ts-expect-error
  byPublic.invoices.send(1);
});

test("a secret key, a sandbox key, any string and no key give every call", () => {
  for (const gateway of [bySecret, bySandbox, byString, byEnvironment]) {
    expectTypeOf(gateway.mobileMoney.initiate).toBeFunction();
    expectTypeOf(gateway.invoices.send).toBeFunction();
    expectTypeOf(gateway.payments.get).toBeFunction();
  }
  expectTypeOf(byString).toEqualTypeOf<Gateway<string>>();
  expectTypeOf(byEnvironment).toExtend<Gateway>();
});

test("a union of key kinds has the methods that all of them may call", () => {
  expectTypeOf(byEither.payments.get).toBeFunction();
  expectTypeOf(byEither.mobileMoney.validatePhone).toBeFunction();
  // @ts-expect-error
  byEither.mobileMoney.initiate(order);
  // @ts-expect-error
  byEither.invoices.create({});
});

test("declaration merging narrows undocumented interfaces", () => {
  expectTypeOf<Invoice["total_by_merging"]>().toEqualTypeOf<`${number}` | undefined>();
  expectTypeOf(bySecret.invoices.get).returns.toEqualTypeOf<Result<Invoice>>();
  expectTypeOf(byPublic.invoices.get)
    .returns.resolves.toHaveProperty("total_by_merging")
    .toEqualTypeOf<`${number}` | undefined>();
  expectTypeOf<InvoiceFields["total_by_merging"]>().toEqualTypeOf<number | undefined>();
  // @ts-expect-error: narrowed to a number
  bySecret.invoices.create({ total_by_merging: "1.00" });
});

test("methods return their data: documented fields are typed, all others are unknown", () => {
  expectTypeOf(bySecret.payments.get).returns.toEqualTypeOf<Result<Payment>>();
  expectTypeOf(bySecret.payments.list).returns.toEqualTypeOf<Result<Page<Payment>>>();
  expectTypeOf(bySecret.webhooks.list).returns.resolves.toEqualTypeOf<Page<Webhook>>();
  expectTypeOf(bySecret.mobileMoney.initiate).returns.toEqualTypeOf<Result<MobileMoneyPayment>>();
  expectTypeOf<Payment["amount"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Payment["payment_id"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<Payment["retry_possible"]>().toEqualTypeOf<boolean | undefined>();
  expectTypeOf<Payment["a_field_of_next_year"]>().toBeUnknown();
  expectTypeOf<MobileMoneyPayment["reference"]>().toBeString();
  expectTypeOf<MobileMoneyPayment["checkout_request_id"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<Page<Payment>["items"]>().toEqualTypeOf<Payment[]>();
  expectTypeOf<Page<Payment>["meta"]>().toEqualTypeOf<Record<string, unknown>>();
  expectTypeOf<Page<Payment>>().toExtend<Iterable<Payment>>();
  expectTypeOf<"reversed">().toExtend<Payment["status"]>();
  expectTypeOf<number>().not.toExtend<Payment["status"]>();
});

test("withResponse() returns the data, the response and the body", () => {
  expectTypeOf(bySecret.payments.get(text).withResponse()).resolves.toEqualTypeOf<{
    readonly data: Payment;
    readonly response: Response;
    readonly body: unknown;
    readonly requestId: string | undefined;
  }>();
});

test("parameters have their documented types", () => {
  bySecret.mobileMoney.initiate({ ...order, payment_account_id: 7, description: undefined });
  bySecret.webhooks.register({ name: text, url: text, events: ["payment.completed", "x.y"] });
  bySecret.payments.list({ page: 1, status: text, ids: [1, "a"], exact: true, since: undefined });
  // @ts-expect-error: an amount is a number
  bySecret.mobileMoney.initiate({ ...order, amount: "100" });
  // @ts-expect-error: the phone is missing
  bySecret.mobileMoney.initiate({ amount: 100 });
  // @ts-expect-error: the field does not exist
  bySecret.mobileMoney.initiate({ ...order, accountReference: "ORDER-42" });
  bySecret.webhooks.register({ name: text, url: text });
  // @ts-expect-error: the url is missing
  bySecret.webhooks.register({ name: text });
  // @ts-expect-error: events is an array
  bySecret.webhooks.update(1, { events: "payment.completed" });
  // @ts-expect-error: a query cannot contain objects
  bySecret.payments.list({ since: new Date() });
  // @ts-expect-error: a reference is a string
  bySecret.payments.get(7);
  // @ts-expect-error: the reference is missing
  bySecret.payments.get();
});

test("gateway.request accepts six HTTP methods and returns the type that it is given", () => {
  expectTypeOf(byPublic.request({ method: "GET", path: "/x" })).resolves.toBeUnknown();
  expectTypeOf(
    bySecret.request<{ total: string }>({ method: "PATCH", path: "/x", body: 1 }),
  ).resolves.toEqualTypeOf<{ total: string }>();
  // @ts-expect-error: the method does not exist
  bySecret.request({ method: "TRACE", path: "/x" });
  // @ts-expect-error: the path is missing
  bySecret.request({ method: "GET" });
});

test("options have fixed names, and undefined is the same as absent", () => {
  const options: GatewayOptions = {
    apiKey: undefined,
    baseUrl: undefined,
    hooks: { retry: undefined },
  };
  expectTypeOf(options).toExtend<GatewayOptions>();
  expectTypeOf<{ signal: undefined; timeoutMs: undefined }>().toExtend<CallOptions>();
  expectTypeOf<typeof fetch>().toExtend<NonNullable<GatewayOptions["fetch"]>>();
  // @ts-expect-error: the option does not exist
  new Gateway({ apiKey: text, timeout: 5 });
  // @ts-expect-error: the key cannot be sent in this way
  new Gateway({ apiKey: text, auth: "basic" });
  // @ts-expect-error: the hook does not exist
  new Gateway({ apiKey: text, hooks: { error: () => {} } });
  // @ts-expect-error: the option does not exist for a call
  bySecret.merchant.get({ retries: 3 });
});

test("the code of an error narrows its type", () => {
  const error: unknown = undefined;
  if (!isGatewayError(error)) return;
  expectTypeOf(error).toEqualTypeOf<AnyGatewayError>();
  expectTypeOf(error.outcome).toEqualTypeOf<Outcome>();
  expectTypeOf<(typeof error)["code"]>().toEqualTypeOf<GatewayErrorCode>();
  if (error.code === "rate_limit") {
    expectTypeOf(error).toEqualTypeOf<RateLimitError>();
    expectTypeOf(error.retryAfterMs).toEqualTypeOf<number | undefined>();
    expectTypeOf(error.headers).toEqualTypeOf<Headers>();
  }
  if (error.code === "invalid_params") {
    expectTypeOf(error.issues).toEqualTypeOf<readonly ParamIssue[]>();
  }
  // @ts-expect-error: the code does not exist
  if (error.code === "rate-limit") return;
});
