// Compiled, never run: what the compiler accepts and refuses is part of the package.
import {
  type AnyGatewayError,
  type CallOptions,
  type EndpointName,
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
  type PublicMethod,
  type RateLimitError,
  type Result,
  type Webhook,
} from "malipo";
import { expectTypeOf, test } from "vitest";
import type { ENDPOINTS } from "../../src/contract/endpoints.ts";

// What a user writes to narrow what the interface leaves open.
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

type Namespace = "merchant" | "payments" | "mobileMoney" | "webhooks" | "invoices";

/** The names of the methods that a gateway offers by type, as the table names its rows. */
type MethodsOf<G extends Record<Namespace, object>> = {
  [N in Namespace]: `${N}.${keyof G[N] & string}`;
}[Namespace];

/** The rows of the table that accept public keys. */
type PublicRows = {
  [Name in EndpointName]: "public" extends (typeof ENDPOINTS)[Name]["keys"][number] ? Name : never;
}[EndpointName];

/** What is made of rows, and so has none of its own. */
type Reads = "payments.waitFor" | "payments.reconcile";
type All = EndpointName | Reads | "mobileMoney.collect";

test("a gateway offers by type what its key may call", () => {
  expectTypeOf<MethodsOf<Gateway<"pk_live_1">>>().toEqualTypeOf<PublicRows | Reads>();
  expectTypeOf<MethodsOf<Gateway<`pk_${string}`>>>().toEqualTypeOf<PublicRows | Reads>();
  expectTypeOf<MethodsOf<Gateway>>().toEqualTypeOf<All>();
  expectTypeOf<MethodsOf<Gateway<"sk_live_1">>>().toEqualTypeOf<All>();
  expectTypeOf<MethodsOf<Gateway<"sb_test_1">>>().toEqualTypeOf<All>();
  expectTypeOf<MethodsOf<Gateway<`sk_${string}`>>>().toEqualTypeOf<All>();
  expectTypeOf<PublicRows>().toEqualTypeOf<
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

test("a literal public key has none of the ten calls of a secret key", () => {
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

test("a secret key, a sandbox key, a key that is any string and none at all have every call", () => {
  for (const gateway of [bySecret, bySandbox, byString, byEnvironment]) {
    expectTypeOf(gateway.mobileMoney.initiate).toBeFunction();
    expectTypeOf(gateway.invoices.send).toBeFunction();
    expectTypeOf(gateway.payments.get).toBeFunction();
  }
  expectTypeOf(byString).toEqualTypeOf<Gateway<string>>();
  expectTypeOf(byEnvironment).toExtend<Gateway>();
});

test("a key of one of several kinds has what they have in common", () => {
  expectTypeOf(byEither.payments.get).toBeFunction();
  expectTypeOf(byEither.mobileMoney.validatePhone).toBeFunction();
  // @ts-expect-error
  byEither.mobileMoney.initiate(order);
  // @ts-expect-error
  byEither.invoices.create({});
});

test("interfaces that are left open are narrowed by declaration merging", () => {
  expectTypeOf<Invoice["total_by_merging"]>().toEqualTypeOf<`${number}` | undefined>();
  expectTypeOf(bySecret.invoices.get).returns.toEqualTypeOf<Result<Invoice>>();
  expectTypeOf(byPublic.invoices.get)
    .returns.resolves.toHaveProperty("total_by_merging")
    .toEqualTypeOf<`${number}` | undefined>();
  expectTypeOf<InvoiceFields["total_by_merging"]>().toEqualTypeOf<number | undefined>();
  // @ts-expect-error: narrowed to a number
  bySecret.invoices.create({ total_by_merging: "1.00" });
});

test("methods give their data, documented fields typed and all others unknown", () => {
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

test("withResponse() gives the data beside the response and the body", () => {
  expectTypeOf(bySecret.payments.get(text).withResponse()).resolves.toEqualTypeOf<{
    readonly data: Payment;
    readonly response: Response;
    readonly body: unknown;
  }>();
});

test("parameters are typed as the interface documents them", () => {
  bySecret.mobileMoney.initiate({ ...order, payment_account_id: 7, description: undefined });
  bySecret.webhooks.register({ name: text, url: text, events: ["payment.completed", "x.y"] });
  bySecret.payments.list({ page: 1, status: text, ids: [1, "a"], exact: true, since: undefined });
  // @ts-expect-error: an amount is a number
  bySecret.mobileMoney.initiate({ ...order, amount: "100" });
  // @ts-expect-error: the phone is missing
  bySecret.mobileMoney.initiate({ amount: 100 });
  // @ts-expect-error: there is no such field
  bySecret.mobileMoney.initiate({ ...order, accountReference: "ORDER-42" });
  // @ts-expect-error: the events are missing
  bySecret.webhooks.register({ name: text, url: text });
  // @ts-expect-error: a status is no parameter of a change
  bySecret.webhooks.update(1, { events: "payment.completed" });
  // @ts-expect-error: a query holds no objects
  bySecret.payments.list({ since: new Date() });
  // @ts-expect-error: a reference is a string
  bySecret.payments.get(7);
  // @ts-expect-error: a reference is needed
  bySecret.payments.get();
});

test("gateway.request takes six methods and gives what it is told to expect", () => {
  expectTypeOf(byPublic.request({ method: "GET", path: "/x" })).resolves.toBeUnknown();
  expectTypeOf(
    bySecret.request<{ total: string }>({ method: "PATCH", path: "/x", body: 1 }),
  ).resolves.toEqualTypeOf<{ total: string }>();
  // @ts-expect-error: there is no such method
  bySecret.request({ method: "TRACE", path: "/x" });
  // @ts-expect-error: the path is missing
  bySecret.request({ method: "GET" });
});

test("options are known by name, and undefined is as good as absent", () => {
  const options: GatewayOptions = {
    apiKey: undefined,
    baseUrl: undefined,
    hooks: { retry: undefined },
  };
  expectTypeOf(options).toExtend<GatewayOptions>();
  expectTypeOf<{ signal: undefined; timeoutMs: undefined }>().toExtend<CallOptions>();
  expectTypeOf<typeof fetch>().toExtend<NonNullable<GatewayOptions["fetch"]>>();
  // @ts-expect-error: there is no such option
  new Gateway({ apiKey: text, timeout: 5 });
  // @ts-expect-error: there is no such way to send a key
  new Gateway({ apiKey: text, auth: "basic" });
  // @ts-expect-error: there is no such hook
  new Gateway({ apiKey: text, hooks: { error: () => {} } });
  // @ts-expect-error: there is no such option of a call
  bySecret.merchant.get({ retries: 3 });
});

test("the code of an error narrows it", () => {
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
  // @ts-expect-error: there is no such code
  if (error.code === "rate-limit") return;
});
