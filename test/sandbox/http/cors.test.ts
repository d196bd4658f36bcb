import { createSandbox } from "malipo/sandbox";
import { describe, expect, test } from "vitest";

const sandbox = createSandbox();
const ask = (path: string, init: RequestInit = {}) => sandbox.fetch(sandbox.baseUrl + path, init);

describe("a response", () => {
  const key = { "x-api-key": sandbox.keys.secret };
  test.each<[string, number, string, RequestInit]>([
    ["of a read", 200, "/merchant", { headers: key }],
    ["to a creation", 201, "/invoices", { method: "POST", headers: key, body: "{}" }],
    ["400", 400, "/invoices", { method: "POST", headers: key, body: "{" }],
    ["401", 401, "/merchant", {}],
    ["403", 403, "/invoices", { method: "POST", headers: { "x-api-key": sandbox.keys.public } }],
    ["404", 404, "/nothing", { headers: key }],
    ["405", 405, "/merchant", { method: "DELETE", headers: key }],
    ["422", 422, "/payments/initiate", { method: "POST", headers: key }],
  ])("%s may be read from any origin, headers included", async (_, status, path, init) => {
    const response = await ask(path, init);
    expect(response.status).toBe(status);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-expose-headers")).toBe("*");
  });

  test("with a fault may be read too", async () => {
    sandbox.faults.add({ effect: { kind: "status", status: 500 } });
    const response = await ask("/merchant");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
  });
});

describe("a preflight", () => {
  test.each([
    ["PUT", "/invoices/inv_1"],
    ["DELETE", "/webhooks/wh_1"],
    ["POST", "/mobile-money/payment/initiate"],
    ["GET", "/payments/PAY-1"],
  ])(
    "lets a browser %s %s with a key and JSON, and requires no key itself",
    async (method, path) => {
      const response = await ask(path, {
        method: "OPTIONS",
        headers: {
          origin: "https://shop.example.test",
          "access-control-request-method": method,
          "access-control-request-headers": "content-type,x-api-key,x-trace",
        },
      });
      expect(response.status).toBe(204);
      expect(await response.text()).toBe("");
      const allowed = (name: string) => response.headers.get(`access-control-allow-${name}`) ?? "";
      expect(allowed("origin")).toBe("*");
      expect(allowed("methods").split(", ")).toContain(method);
      // `*` would not cover `authorization`.
      expect(allowed("headers")).toBe("content-type,x-api-key,x-trace");
    },
  );

  test("without headers allows those that a client sends", async () => {
    const { headers } = await ask("/merchant", { method: "OPTIONS" });
    const allowed = headers.get("access-control-allow-headers")?.split(", ");
    expect(allowed).toEqual(expect.arrayContaining(["authorization", "content-type", "x-api-key"]));
  });

  test("changes nothing", async () => {
    const before = sandbox.snapshot();
    await ask("/invoices", { method: "OPTIONS" });
    expect(sandbox.snapshot()).toEqual(before);
  });
});
