import { Validator } from "@seriousme/openapi-schema-validator";
import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS, type Endpoint, SCOPES } from "../../src/contract/endpoints.ts";
import { EVENT_KINDS } from "../../src/contract/events.ts";
import { openApiDocument } from "../../src/openapi/openapi-document.ts";
import { type OpenApi, type Operation, schemaChecks } from "../suites/openapi.ts";
import { ROWS } from "../support/endpoints.ts";

const document = openApiDocument("http://127.0.0.1:4010/api/v1") as unknown as OpenApi;
const endpoints = Object.entries<Endpoint>(ENDPOINTS);
const findOperation = ({ method, path }: Endpoint) =>
  document.paths[path]?.[method.toLowerCase()] as Operation;

/** Every object in the document, with its path. */
function* allObjects(value: unknown, at = "#"): Generator<[at: string, object: object]> {
  if (typeof value !== "object" || value === null) return;
  yield [at, value];
  for (const [name, one] of Object.entries(value)) yield* allObjects(one, `${at}/${name}`);
}

describe("the OpenAPI document", () => {
  test("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe("3.1");
  });

  test("is rejected by the validator when it is broken", async () => {
    const broken = { ...structuredClone(document), webhooks: { none: { post: { responses: 1 } } } };
    expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
  });

  test("has only references that resolve", () => {
    for (const [at, one] of allObjects(document)) {
      const { $ref } = one as { $ref?: string };
      if ($ref === undefined) continue;
      const target = $ref
        .slice(2)
        .split("/")
        .reduce<unknown>(
          (at, name) => (at as Record<string, unknown> | undefined)?.[name],
          document,
        );
      expect(target, `${at} -> ${$ref}`).toBeDefined();
    }
  });

  test("has every endpoint of the contract, and no other", () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(operations.toSorted()).toEqual(
      endpoints.map(([, { method, path }]) => `${method} ${path}`).toSorted(),
    );
    const ids = endpoints.map(([, row]) => findOperation(row).operationId);
    expect(new Set(ids).size).toBe(ROWS.length);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z]+$/);
  });

  test.each(endpoints)("has the keys, the scope and the effect of %s", (name, row) => {
    const operation = findOperation(row);
    expect(operation["x-call"]).toBe(`gateway.${name}`);
    expect(operation["x-keys"]).toEqual(row.keys);
    expect(operation["x-scope"]).toBe(row.scope ?? null);
    expect(operation["x-effect"]).toBe(row.effect);
    const scopes = row.scope === undefined ? [] : [row.scope];
    expect(operation.security).toEqual([{ apiKey: scopes }, { bearer: scopes }]);
  });

  test.each(endpoints)("has the request body and the path parameters of %s", (_, row) => {
    const { requestBody, parameters = [] } = findOperation(row);
    expect(requestBody !== undefined).toBe(row.request !== undefined);
    const names = parameters.filter((one) => one.in === "path").map((one) => one.name);
    expect(names).toEqual([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
  });

  test("has every kind of event as a signed webhook", () => {
    expect(Object.keys(document.webhooks)).toEqual([...EVENT_KINDS]);
    const { Signature } = document.components.parameters;
    expect(Signature).toMatchObject({ name: "X-Service-Signature", in: "header", required: true });
    for (const { post } of Object.values(document.webhooks)) {
      expect(post.parameters).toEqual([{ $ref: "#/components/parameters/Signature" }]);
      expect(Object.keys(post.responses)).toEqual(["200", "401"]);
    }
  });

  test("has both ways to authenticate, the key prefixes and the scopes", () => {
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

  test("has the documented limits, and no others", () => {
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
    for (const [at, one] of allObjects(document.components.schemas)) {
      expect(one, at).not.toHaveProperty("additionalProperties");
      expect(one, at).not.toHaveProperty("enum");
    }
  });
});

describe("what the service does not document", () => {
  test.each(ROWS)("is marked in $name", ({ name, undocumented }) => {
    const operation = findOperation(ENDPOINTS[name]);
    const parts = undocumented?.split(" ");
    expect(operation["x-undocumented"]).toEqual(parts);
    const request = operation.requestBody?.content["application/json"].schema;
    if (request)
      expect(request["x-undocumented"] ?? false).toBe(parts?.includes("request") ?? false);
    const response = operation.responses["2XX"].content["application/json"].schema;
    expect(response.properties?.data?.["x-undocumented"] ?? false).toBe(
      parts?.includes("response") ?? false,
    );
    for (const word of parts ?? []) expect(operation.description).toContain(word);
  });

  test("includes every status code", () => {
    for (const [, row] of endpoints) {
      expect(Object.keys(findOperation(row).responses)).toEqual(["2XX", "default"]);
    }
  });

  test("includes the data of six kinds of event", () => {
    const undocumented = EVENT_KINDS.filter((kind) => {
      const { schema } =
        document.webhooks[kind]?.post.requestBody.content["application/json"] ?? {};
      const name = String(schema?.$ref).split("/").at(-1) ?? "";
      return document.components.schemas[name]?.properties?.data?.["x-undocumented"];
    });
    expect(undocumented).toEqual(EVENT_KINDS.slice(2));
  });
});

describe("the example", () => {
  const check = schemaChecks(document);
  test.each(endpoints)("of %s matches its schema", (_, row) => {
    const { path, method } = row;
    const { requestBody, responses } = findOperation(row);
    if (requestBody) {
      const { example } = requestBody.content["application/json"];
      expect(check.request(method, path, example)).toEqual([]);
    }
    const { example } = responses["2XX"].content["application/json"];
    expect(check.response(method, path, 200, example)).toEqual([]);
    expect(check.response(method, path, 200, [])).not.toEqual([]);
  });

  test.each(EVENT_KINDS)("of %s matches its schema", (kind) => {
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

  test("serves the document with its own base URL at /openapi.json, and to no other site", async () => {
    const response = await fetch(`${served.url}/openapi.json`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(await response.json()).toEqual(openApiDocument(served.baseUrl));
    const headers = { origin: "https://evil.test" };
    expect((await fetch(`${served.url}/openapi.json`, { headers })).status).toBe(403);
  });

  test("returns 405 for a write", async () => {
    const response = await fetch(`${served.url}/openapi.json`, { method: "POST", body: "{}" });
    expect(response.status).toBe(405);
    expect((await fetch(`${served.url}/openapi.json`, { method: "HEAD" })).status).toBe(200);
  });
});
