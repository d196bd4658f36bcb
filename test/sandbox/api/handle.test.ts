import { ConfigurationError } from "malipo";
import { createSandbox } from "malipo/sandbox";
import type { KeyKind, Scope } from "malipo/types";
import { beforeEach, describe, expect, test } from "vitest";
import { ROWS as ENDPOINTS, type Ids } from "../../support/endpoints.ts";

const sandbox = createSandbox();
beforeEach(() => sandbox.reset());

const IDS: Ids = { reference: "PAY-1", webhook: "wh_1", invoice: "inv_1" };

/** The sandbox requires this scope if the service documents none. */
const ASSUMED_SCOPE = "payments.create";

/** Method, path, scope, and whether a public key may call it. */
const ROWS = ENDPOINTS.map(
  ({ method, path, scope = ASSUMED_SCOPE, open }) => [method, path(IDS), scope, open] as const,
);

interface ApiResponse {
  status: number;
  headers: Headers;
  body: { success: boolean; error: string };
}

async function call(method: string, path: string, headers: Record<string, string>, body?: string) {
  const init = { method, headers, ...(body !== undefined && { body }) };
  const response = await sandbox.fetch(sandbox.baseUrl + path, init);
  const head = { status: response.status, headers: response.headers };
  return { ...head, body: await response.json() } as ApiResponse;
}

const withKey = (key: string) => ({ "x-api-key": key });

describe.each(ROWS)("%s %s", (method, path, scope, who) => {
  test.each([
    ["no key", {}],
    ["an unknown key", withKey("sk_unknown")],
    ["a key that only looks like one", withKey("constructor")],
    ["an unknown key as a bearer", { authorization: "Bearer sk_unknown" }],
    ["a key under another scheme", { authorization: `Basic ${sandbox.keys.secret}` }],
  ])("returns 401 for %s", async (_, headers) => {
    const { status, body } = await call(method, path, headers);
    expect(status).toBe(401);
    expect(body).toEqual({ success: false, error: expect.stringMatching(/key/) });
  });

  test.each(["secret", "sandbox"] as const)("accepts a %s key", async (kind) => {
    const { status } = await call(method, path, withKey(sandbox.keys[kind]));
    expect([200, 201, 404, 422]).toContain(status);
  });

  test(`is open ${who}`, async () => {
    const { status, body } = await call(method, path, withKey(sandbox.keys.public));
    if (who === "to public keys") {
      expect([200, 404, 422]).toContain(status);
    } else {
      expect(status).toBe(403);
      expect(body).toEqual({ success: false, error: expect.stringMatching(/secret.*public/) });
    }
  });

  test(`requires only the scope ${scope}, and names it`, async () => {
    const others = [...new Set(ROWS.map(([, , one]) => one))].filter((one) => one !== scope);
    const lacking = sandbox.createKey({ kind: "secret", scopes: others });
    const { status, body } = await call(method, path, withKey(lacking));
    expect(status).toBe(403);
    expect(body).toEqual({ success: false, error: expect.stringContaining(` ${scope},`) });

    const holding = sandbox.createKey({ kind: "secret", scopes: [scope] });
    expect((await call(method, path, withKey(holding))).status).not.toBe(403);
  });
});

describe("a key", () => {
  test.each([
    ["X-API-Key", (key: string) => ({ "X-API-Key": key })],
    ["Authorization: Bearer", (key: string) => ({ Authorization: `Bearer ${key}` })],
    ["authorization: bearer", (key: string) => ({ authorization: `bearer ${key}` })],
  ])("is taken from %s", async (_, headers) => {
    expect((await call("GET", "/merchant", headers(sandbox.keys.public))).status).toBe(200);
  });

  test.each<[KeyKind, string]>([
    ["public", "pk_"],
    ["secret", "sk_"],
    ["sandbox", "sb_"],
  ])("that is %s begins with %s, the built-in one and the created one", (kind, prefix) => {
    expect(sandbox.keys[kind].startsWith(prefix)).toBe(true);
    const created = sandbox.createKey({ kind });
    expect(created.startsWith(prefix)).toBe(true);
    expect(created).not.toBe(sandbox.keys[kind]);
    expect(sandbox.createKey({ kind })).not.toBe(created);
  });

  test.each<KeyKind>(["public", "secret", "sandbox"])(
    "that is %s may by default do everything that its kind may do",
    async (kind) => {
      const created = sandbox.createKey({ kind });
      for (const [method, path] of ROWS) {
        const { status } = await call(method, path, withKey(created));
        const { status: expected } = await call(method, path, withKey(sandbox.keys[kind]));
        expect([method, path, status]).toEqual([method, path, expected]);
      }
    },
  );

  test("with an empty list of scopes may do nothing", async () => {
    const key = sandbox.createKey({ kind: "sandbox", scopes: [] });
    for (const [method, path] of ROWS) {
      expect((await call(method, path, withKey(key))).status).toBe(403);
    }
  });

  test.each<[KeyKind, Scope]>([
    ["public", "payments.create"],
    ["public", "webhooks.manage"],
    ["public", "invoices.send"],
    ["secret", "everything" as Scope],
    ["sandbox", "constructor" as Scope],
  ])("that is %s cannot be made with the scope %s", (kind, scope) => {
    const before = sandbox.snapshot();
    const make = () => sandbox.createKey({ kind, scopes: ["merchant.read", scope] });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(scope);
    expect(sandbox.snapshot()).toEqual(before);
  });

  test("keeps its scopes when the list that it was made with is changed", async () => {
    const scopes: Scope[] = ["merchant.read"];
    const key = sandbox.createKey({ kind: "secret", scopes });
    scopes.push("payments.read");
    expect((await call("GET", "/payments", withKey(key))).status).toBe(403);
  });
});

describe("a request that matches no endpoint", () => {
  test.each([
    "/",
    "",
    "/merchants",
    "/merchant/",
    "/payments/PAY-1/refund",
    "/webhooks/wh_1/register",
    "//merchant",
    "/constructor",
  ])("returns 404 for the path %j", async (path) => {
    const { status, body } = await call("GET", path, withKey(sandbox.keys.secret));
    expect(status).toBe(404);
    expect(body).toEqual({ success: false, error: expect.any(String) });
  });

  test.each([
    ["POST", "/merchant", "GET"],
    ["DELETE", "/payments/PAY-1", "GET"],
    ["PATCH", "/invoices", "GET, POST"],
    ["POST", "/invoices/inv_1", "GET, PUT, DELETE"],
    ["GET", "/webhooks/wh_1", "PUT, DELETE"],
    ["GET", "/mobile-money/validate-phone", "POST"],
  ])("returns 405 for %s %s, and allows %s", async (method, path, allowed) => {
    const { status, headers, body } = await call(method, path, withKey(sandbox.keys.secret));
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe(allowed);
    expect(body).toEqual({ success: false, error: expect.stringContaining(allowed) });
  });
});

describe("a rejected call", () => {
  const initiate = "/mobile-money/payment/initiate";
  const secret = withKey(sandbox.keys.secret);
  test.each<[number, string, string, Record<string, string>, string?]>([
    [401, "POST", initiate, {}, '{"amount":1,"phone":"0712345678"}'],
    [403, "POST", initiate, withKey(sandbox.keys.public), '{"amount":1,"phone":"0712345678"}'],
    [404, "PUT", "/webhooks/wh_1", secret, '{"name":"new"}'],
    [404, "PUT", "/invoices/inv_1", secret, '{"amount":1}'],
    [404, "DELETE", "/invoices/inv_1", secret],
    [404, "POST", "/invoices/inv_1/send", secret],
    [405, "POST", "/payments", secret, "{}"],
    [400, "GET", "/payments/%E0%A4%A", secret],
    [400, "POST", initiate, secret, '{"amount":1,'],
    [400, "POST", initiate, secret, "[]"],
    [400, "POST", "/invoices", secret, "null"],
    [400, "POST", "/invoices", secret, '"text"'],
    [400, "POST", "/invoices", secret, `{"deep":${"[".repeat(90_000)}${"]".repeat(90_000)}}`],
    [422, "POST", initiate, secret],
    [422, "POST", initiate, secret, '{"amount":1}'],
    [422, "POST", "/invoices", secret, '{"amount":"a lot"}'],
    [422, "POST", "/webhooks/register", secret, '{"name":"shop"}'],
  ])("%i for %s %s changes nothing", async (expected, method, path, headers, body?) => {
    await call("POST", "/payments/initiate", secret, '{"amount":1,"phone":"0712345678"}');
    const before = sandbox.snapshot();
    const { status, body: said } = await call(method, path, headers, body);
    expect(status).toBe(expected);
    expect(said).toEqual({ success: false, error: expect.stringMatching(/.{10}/) });
    expect(sandbox.snapshot()).toEqual(before);
  });
});
