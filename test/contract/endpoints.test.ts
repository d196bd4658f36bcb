import { Gateway } from "malipo";
import { describe, expect, test } from "vitest";
import { ENDPOINTS, type Endpoint, endpointFor, SCOPES } from "../../src/contract/endpoints.ts";
import { ROWS as DOCUMENTED } from "../support/endpoints.ts";
import { fc } from "../support/properties.ts";

const ROWS = Object.entries<Endpoint>(ENDPOINTS);

describe("the table of endpoints", () => {
  test("has the 18 documented endpoints in their order, each with all that is documented", () => {
    expect(DOCUMENTED).toHaveLength(18);
    const found = ROWS.map(([name, row]) => ({
      name,
      method: row.method,
      route: row.path,
      scope: row.scope,
      open: row.keys.includes("public") ? "to public keys" : "only to secret keys",
      effect: row.effect,
      list: row.list,
      requires: row.requiredFields,
      hasBody: row.request !== undefined,
    }));
    expect(found).toEqual(
      DOCUMENTED.map(({ name, method, route, scope, open, effect, list, requires, body }) => ({
        ...{ name, method, route, scope, open, effect, list, requires },
        // The client sends no body with it, unless it is given one.
        hasBody: body !== undefined || name === "invoices.send",
      })),
    );
  });

  test("accepts secret keys and sandbox keys for every endpoint", () => {
    for (const [name, { keys }] of ROWS) expect(keys, name).toContain("secret");
    for (const [name, { keys }] of ROWS) expect(keys, name).toContain("sandbox");
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

  test.each(DOCUMENTED)("finds $name by its method and path", ({ name, method, route: path }) => {
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
