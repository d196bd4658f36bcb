import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  endpointFor,
  SCOPES,
} from "../../src/contract/endpoints.ts";

// The interface's section 4, and the effects of the design, typed out by hand.
// biome-ignore format: a table is read across
const INTERFACE = [
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
const whichAccept = (kind: "public" | "secret" | "sandbox") =>
  ROWS.filter(([, { keys }]) => keys.includes(kind)).map(
    ([, { method, path }]) => `${method} ${path}`,
  );

describe("the table", () => {
  test("has the interface's 18 rows, in its order, with their methods, paths, scopes and effects", () => {
    expect(INTERFACE).toHaveLength(18);
    expect(ROWS.map(([name, row]) => [name, row.method, row.path, row.scope, row.effect])).toEqual(
      INTERFACE,
    );
  });

  test("opens to public keys the eight rows of section 5.3", () => {
    expect(whichAccept("public").sort()).toEqual(
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

  test("keeps for secret keys the ten rows of section 5.4", () => {
    const open = whichAccept("public");
    expect(
      whichAccept("secret")
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

  test("accepts a secret key wherever a public one is accepted, and lets a sandbox key ask anywhere", () => {
    expect(whichAccept("secret")).toHaveLength(18);
    expect(whichAccept("sandbox")).toHaveLength(18);
  });

  test("marks the four lists, and what rows 3 and 6 promise", () => {
    const named = (fits: (row: Endpoint) => boolean) =>
      ROWS.filter(([, row]) => fits(row)).map(([name]) => name);
    expect(named(({ list }) => list === true)).toEqual([
      "merchant.paymentAccounts",
      "payments.list",
      "webhooks.list",
      "invoices.list",
    ]);
    expect(named(({ requiredFields }) => requiredFields !== undefined)).toEqual([
      "payments.get",
      "mobileMoney.initiate",
    ]);
    expect(ENDPOINTS["payments.get"].requiredFields).toEqual(["status"]);
    expect(ENDPOINTS["mobileMoney.initiate"].requiredFields).toEqual(["reference"]);
  });

  test("knows the eleven scopes, and names each in a row", () => {
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

describe("the row of a request", () => {
  const segment = fc
    .string({ unit: "grapheme", minLength: 1 })
    .filter((text) => !text.includes("/") && !/[\n\r\u2028\u2029]/.test(text));

  test.each(INTERFACE)("%s is found by its method and path", (name, method, path) => {
    fc.assert(
      fc.property(segment, (value) => {
        const filled = path.replace(/\{\w+\}/, () => value);
        const found = endpointFor(method, filled);
        expect(found?.name).toBe(name);
        expect(found?.endpoint).toBe(ENDPOINTS[name]);
        expect(found?.params).toEqual(path.includes("{") ? [value] : []);
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
  ])("%s %s is %s", (method, path, name) => {
    expect(endpointFor(method, path)?.name).toBe(name);
  });
});
