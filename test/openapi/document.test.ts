import { Validator } from "@seriousme/openapi-schema-validator";
import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS, type Endpoint, SCOPES } from "../../src/contract/endpoints.ts";
import { EVENT_KINDS } from "../../src/contract/events.ts";
import { openApiDocument } from "../../src/openapi/document.ts";
import { type OpenApi, type Operation, schemaChecks } from "../suites/openapi.ts";

const document = openApiDocument("http://127.0.0.1:4010/api/v1") as unknown as OpenApi;
const rows = Object.entries<Endpoint>(ENDPOINTS);
const operationOf = ({ method, path }: Endpoint) =>
  document.paths[path]?.[method.toLowerCase()] as Operation;
/** Every object in the document, and where. */
function* objectsIn(value: unknown, where = "#"): Generator<[where: string, object: object]> {
  if (typeof value !== "object" || value === null) return;
  yield [where, value];
  for (const [name, one] of Object.entries(value)) yield* objectsIn(one, `${where}/${name}`);
}

describe("the OpenAPI document", () => {
  test("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  test("and a broken one is not", async () => {
    const broken = { ...structuredClone(document), webhooks: { none: { post: { responses: 1 } } } };
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
  });

  test("leads nowhere that does not exist", () => {
    for (const [where, one] of objectsIn(document)) {
      const { $ref } = one as { $ref?: string };
      if ($ref === undefined) continue;
      const target = $ref
        .slice(2)
        .split("/")
        .reduce<unknown>(
          (at, name) => (at as Record<string, unknown> | undefined)?.[name],
          document,
        );
      expect(target, `${where} -> ${$ref}`).toBeDefined();
    }
  });

  test("has every row of the contract, and no other", () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.toSorted()).toEqual(
      rows.map(([, { method, path }]) => `${method} ${path}`).toSorted(),
    );
    const ids = rows.map(([, row]) => operationOf(row).operationId);
    expect(new Set(ids).size).toBe(18);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z]+$/);
  });

  test.each(rows)("says who may call %s, and what sending it twice does", (name, row) => {
    const operation = operationOf(row);
    expect(operation["x-call"]).toBe(`gateway.${name}`);
    expect(operation["x-keys"]).toEqual(row.keys);
    expect(operation["x-scope"]).toBe(row.scope ?? null);
    expect(operation["x-effect"]).toBe(row.effect);
    const scopes = row.scope === undefined ? [] : [row.scope];
    expect(operation.security).toEqual([{ apiKey: scopes }, { bearer: scopes }]);
  });

  test.each(rows)("has a request where %s has a body, and its path's parameters", (_, row) => {
    const { requestBody, parameters = [] } = operationOf(row);
    expect(requestBody !== undefined).toBe(row.request !== undefined);
    const names = parameters.filter((one) => one.in === "path").map((one) => one.name);
    expect(names).toEqual([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  });

  test("has every event kind as a webhook that is signed", () => {
    expect(Object.keys(document.webhooks)).toEqual([...EVENT_KINDS]);
    const { Signature } = document.components.parameters;
    expect(Signature).toMatchObject({ name: "X-Service-Signature", in: "header", required: true });
    for (const { post } of Object.values(document.webhooks)) {
      expect(post.parameters).toEqual([{ $ref: "#/components/parameters/Signature" }]);
      expect(Object.keys(post.responses)).toEqual(["200", "401"]);
    }
  });

  test("has both ways of authenticating, the kinds of key and the scopes", () => {
    const { apiKey, bearer } = document.components.securitySchemes;
    expect(apiKey).toMatchObject({ type: "apiKey", in: "header", name: "X-API-Key" });
    expect(bearer).toMatchObject({ type: "http", scheme: "bearer" });
    for (const scheme of [apiKey, bearer]) {
      expect(scheme?.["x-key-prefixes"]).toEqual({ public: "pk_", secret: "sk_", sandbox: "sb_" });
      expect(scheme?.["x-scopes"]).toEqual([...SCOPES]);
    }
  });

  test("describes every field of every schema", () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const [field, { description }] of Object.entries(schema.properties ?? {})) {
        expect(description, `${name}.${field}`).toMatch(/\.$/);
      }
    }
  });

  test("holds the limits that the interface shows, and no other", () => {
    const { MobileMoneyPaymentParams, Payment } = document.components.schemas;
    expect(MobileMoneyPaymentParams?.required).toEqual(["amount", "phone"]);
    expect(MobileMoneyPaymentParams?.properties?.account_reference).toMatchObject({
      maxLength: 12,
    });
    expect(MobileMoneyPaymentParams?.properties?.amount).toEqual({
      type: "number",
      description: expect.any(String),
      examples: [100],
    });
    expect(MobileMoneyPaymentParams?.properties?.phone).not.toHaveProperty("pattern");
    expect(Payment?.required).toEqual(["status"]);
    for (const [where, one] of objectsIn(document.components.schemas)) {
      expect(one, where).not.toHaveProperty("additionalProperties");
      expect(one, where).not.toHaveProperty("enum");
    }
  });
});

// What section 4 of the interface says "not shown" of, row by row.
const OPEN: Readonly<Record<string, string>> = {
  "merchant.get": "response",
  "merchant.paymentAccounts": "response",
  "payments.list": "query response",
  "payments.initiate": "scope request response",
  "mobileMoney.status": "request response",
  "mobileMoney.validatePhone": "response",
  "webhooks.register": "response",
  "webhooks.list": "query response",
  "webhooks.update": "request response",
  "webhooks.delete": "response",
  "invoices.create": "request response",
  "invoices.list": "query response",
  "invoices.get": "response",
  "invoices.update": "request response",
  "invoices.delete": "response",
  "invoices.send": "request response",
};

describe("what the interface leaves open", () => {
  test.each(rows)("is marked so: %s", (name, row) => {
    const operation = operationOf(row);
    const unshown = OPEN[name]?.split(" ");
    expect(operation["x-undocumented"]).toEqual(unshown);
    const request = operation.requestBody?.content["application/json"].schema;
    if (request) expect(request["x-undocumented"] ?? false).toBe(unshown?.includes("request") ?? false);
    const answer = operation.responses["2XX"].content["application/json"].schema;
    expect(answer.properties?.data?.["x-undocumented"] ?? false).toBe(
      unshown?.includes("response") ?? false,
    );
    for (const word of unshown ?? []) expect(operation.description).toContain(word);
  });

  test("is every status code", () => {
    for (const [, row] of rows) {
      expect(Object.keys(operationOf(row).responses)).toEqual(["2XX", "default"]);
    }
  });

  test("is the data of six event kinds", () => {
    const open = EVENT_KINDS.filter((kind) => {
      const { schema } =
        document.webhooks[kind]?.post.requestBody.content["application/json"] ?? {};
      const name = String(schema?.$ref).split("/").at(-1) ?? "";
      return document.components.schemas[name]?.properties?.data?.["x-undocumented"];
    });
    expect(open).toEqual(EVENT_KINDS.slice(2));
  });
});

describe("every example", () => {
  const check = schemaChecks(document);
  test.each(rows)("of %s is what its schema says", (_, row) => {
    const { path, method } = row;
    const { requestBody, responses } = operationOf(row);
    if (requestBody) {
      const { example } = requestBody.content["application/json"];
      expect(check.request(method, path, example)).toEqual([]);
    }
    const { example } = responses["2XX"].content["application/json"];
    expect(check.answer(method, path, 200, example)).toEqual([]);
    expect(check.answer(method, path, 200, [])).not.toEqual([]);
  });

  test.each(EVENT_KINDS)("of %s is what its schema says", (kind) => {
    const { example } = document.webhooks[kind]?.post.requestBody.content["application/json"] ?? {};
    expect(check.event(kind, example)).toEqual([]);
    expect(check.event(kind, { ...(example as object), event: "another" })).not.toEqual([]);
  });
});

describe("a served sandbox", () => {
  let served: ServedSandbox;
  beforeAll(async () => {
    served = await createSandbox().serve({ port: 0 });
  });
  afterAll(() => served.close());

  test("answers /openapi.json with the document, at its own address, to any origin", async () => {
    const response = await fetch(`${served.url}/openapi.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(await response.json()).toEqual(openApiDocument(served.baseUrl));
  });

  test("answers 405 to anything but a read", async () => {
    const response = await fetch(`${served.url}/openapi.json`, { method: "POST", body: "{}" });
    expect(response.status).toBe(405);
    expect((await fetch(`${served.url}/openapi.json`, { method: "HEAD" })).status).toBe(200);
  });
});
