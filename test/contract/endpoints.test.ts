import fc from "fast-check";
import { Gateway } from "malipo";
import { describe, expect, test } from "vitest";
import {
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  endpointFor,
  SCOPES,
} from "../../src/contract/endpoints.ts";

// The documented endpoints and their effects, written by hand to check the table.
// biome-ignore format: one line for each endpoint
const DOCUMENTED = [
  ["merchant.get", "GET", "/merchant", "merchant.read", "read"],
  ["merchant.paymentAccounts", "GET", "/merchant/payment-accounts", "merchant.read", "read"],
  ["payments.get", "GET", "/payments/{reference}", "payments.read", "read"],
  ["payments.list", "GET", "/payments", "payments.read", "read"],
  ["payments.initiate", "POST", "/payments/initiate", undefined, "create"],
  ["mobileMoney.initiate", "POST", "/mobile-money/payment/initiate", "payments.create", "create"],
  ["mobileMoney.status", "POST", "/mobile-money/payment/status", "payments.read", "read"],
  ["mobileMoney.validatePhone", "POST", "/mobile-money/validate-phone", "mobile-money.validate", "read"],
  ["webhooks.register", "POST", "/webhooks/register", "webhooks.manage", "create"],
  ["webhooks.list", "GET", "/webhooks", "webhooks.read", "read"],
  ["webhooks.update", "PUT", "/webhooks/{id}", "webhooks.manage", "idempotent"],
  ["webhooks.delete", "DELETE", "/webhooks/{id}", "webhooks.manage", "idempotent"],
  ["invoices.create", "POST", "/invoices", "invoices.create", "create"],
  ["invoices.list", "GET", "/invoices", "invoices.read", "read"],
  ["invoices.get", "GET", "/invoices/{invoice}", "invoices.read", "read"],
  ["invoices.update", "PUT", "/invoices/{invoice}", "invoices.update", "idempotent"],
  ["invoices.delete", "DELETE", "/invoices/{invoice}", "invoices.delete", "idempotent"],
  ["invoices.send", "POST", "/invoices/{invoice}/send", "invoices.send", "create"],
] as const satisfies readonly (readonly [EndpointName, string, string, string | undefined, string])[];

const ROWS = Object.entries<Endpoint>(ENDPOINTS);
const acceptedBy = (kind: "public" | "secret" | "sandbox") =>
  ROWS.filter(([, { keys }]) => keys.includes(kind)).map(
    ([, { method, path }]) => `${method} ${path}`,
  );

describe("the table of endpoints", () => {
  test("has the 18 documented endpoints in their order, with methods, paths, scopes and effects", () => {
    expect(DOCUMENTED).toHaveLength(18);
    expect(ROWS.map(([name, row]) => [name, row.method, row.path, row.scope, row.effect])).toEqual(
      DOCUMENTED,
    );
  });

  test("lets public keys call the eight documented reads", () => {
    expect(acceptedBy("public").sort()).toEqual(
      [
        "GET /merchant",
        "GET /merchant/payment-accounts",
        "GET /payments/{reference}",
        "GET /payments",
        "POST /mobile-money/validate-phone",
        "GET /webhooks",
        "GET /invoices",
        "GET /invoices/{invoice}",
      ].sort(),
    );
  });

  test("requires a secret key for the other ten endpoints", () => {
    const open = acceptedBy("public");
    expect(
      acceptedBy("secret")
        .filter((row) => !open.includes(row))
        .sort(),
    ).toEqual(
      [
        "POST /payments/initiate",
        "POST /mobile-money/payment/initiate",
        "POST /mobile-money/payment/status",
        "POST /webhooks/register",
        "PUT /webhooks/{id}",
        "DELETE /webhooks/{id}",
        "POST /invoices",
        "PUT /invoices/{invoice}",
        "DELETE /invoices/{invoice}",
        "POST /invoices/{invoice}/send",
      ].sort(),
    );
  });

  test("accepts secret keys and sandbox keys for every endpoint", () => {
    expect(acceptedBy("secret")).toHaveLength(18);
    expect(acceptedBy("sandbox")).toHaveLength(18);
  });

  test("marks the four lists, and the fields that a response must have", () => {
    const namesOf = (matches: (row: Endpoint) => boolean) =>
      ROWS.filter(([, row]) => matches(row)).map(([name]) => name);
    expect(namesOf(({ list }) => list === true)).toEqual([
      "merchant.paymentAccounts",
      "payments.list",
      "webhooks.list",
      "invoices.list",
    ]);
    expect(namesOf(({ requiredFields }) => requiredFields !== undefined)).toEqual([
      "payments.get",
      "mobileMoney.initiate",
    ]);
    expect(ENDPOINTS["payments.get"].requiredFields).toEqual(["status"]);
    expect(ENDPOINTS["mobileMoney.initiate"].requiredFields).toEqual(["reference"]);
  });

  test("has the eleven scopes, and uses each of them", () => {
    expect([...SCOPES].sort()).toEqual(
      [
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
      ].sort(),
    );
    expect(new Set(ROWS.flatMap(([, { scope }]) => scope ?? []))).toEqual(new Set(SCOPES));
  });
});

describe("the client", () => {
  const gateway = new Gateway({ apiKey: "sk_test_1", baseUrl: "https://gateway.example" });
  const namespaces = gateway as unknown as Record<string, Record<string, unknown>>;

  test.each(ROWS)("has a method for the row %s", (name) => {
    const [namespace = "", method = ""] = name.split(".");
    expect(
      namespaces[namespace]?.[method],
      `the row ${name} has no method: add \`${method}\` to the class of gateway.${namespace} in src/client/resources`,
    ).toBeInstanceOf(Function);
  });
});

describe("endpointFor", () => {
  const segment = fc
    .string({ unit: "grapheme", minLength: 1 })
    .filter((text) => !text.includes("/") && !/[\n\r\u2028\u2029]/.test(text));

  test.each(DOCUMENTED)("finds %s by its method and path", (name, method, path) => {
    fc.assert(
      fc.property(segment, (value) => {
        const filled = path.replace(/\{\w+\}/, () => value);
        const match = endpointFor(method, filled);
        expect(match?.name).toBe(name);
        expect(match?.endpoint).toBe(ENDPOINTS[name]);
        expect(match?.params).toEqual(path.includes("{") ? [value] : []);
      }),
    );
  });

  test.each([
    ["GET", "/payments/initiate", "payments.get"],
    ["POST", "/payments/initiate", "payments.initiate"],
    ["GET", "/webhooks/register", undefined],
    ["POST", "/webhooks/register", "webhooks.register"],
    ["PUT", "/webhooks/register", "webhooks.update"],
    ["PATCH", "/invoices/1", undefined],
    ["HEAD", "/payments", undefined],
    ["get", "/payments", undefined],
    ["GET", "/payments/", undefined],
    ["GET", "/payments/a/b", undefined],
    ["GET", "payments", undefined],
    ["GET", "/api/payments", undefined],
    ["GET", "/", undefined],
    ["POST", "/invoices/1/send/now", undefined],
  ])("finds for %s %s: %s", (method, path, name) => {
    expect(endpointFor(method, path)?.name).toBe(name);
  });
});
