import { InvalidParamsError, NotFoundError } from "malipo";
import { createSandbox } from "malipo/sandbox";
import type { RequestParams } from "malipo/types";
import { describe, expect, test } from "vitest";
import { fc } from "../support/properties.ts";
import { BASE_URL, gatewayOn, gatewayWith, KEYS, rejection } from "./support/gateway.ts";
import { json, status, text } from "./support/responses.ts";

const ANSWER = json({ success: true, data: { total: "7.00" }, v: 2 });

describe("gateway.request", () => {
  test.each(["GET", "HEAD", "PUT", "DELETE", "POST", "PATCH"] as const)(
    "sends %s with the key, and unwraps data",
    async (method) => {
      const { gateway, sent } = gatewayWith([ANSWER]);
      const query = { day: "2026-01-01", tags: ["a", "b"] };
      await expect(gateway.request({ method, path: "/reports/today", query })).resolves.toEqual({
        total: "7.00",
      });
      expect(sent).toMatchObject([
        { method, url: `${BASE_URL}/reports/today?day=2026-01-01&tags=a&tags=b`, body: undefined },
      ]);
      expect(sent[0]?.headers.get("x-api-key")).toBe(KEYS.secret);
    },
  );

  test.each([[{ a: [1, null] }], [["list"]], ["text"], [0], [false], [null]])(
    "sends %j as JSON",
    async (body) => {
      const { gateway, sent } = gatewayWith([ANSWER]);
      await gateway.request({ method: "POST", path: "/reports", body });
      expect(JSON.parse(sent[0]?.body ?? "")).toEqual(body);
      expect(sent[0]?.headers.get("content-type")).toBe("application/json");
    },
  );

  test("sends no body and no content type if there is no body", async () => {
    const { gateway, sent } = gatewayWith([ANSWER]);
    await gateway.request({ method: "POST", path: "/reports", body: undefined });
    expect(sent[0]?.body).toBeUndefined();
    expect(sent[0]?.headers.has("content-type")).toBe(false);
  });

  test.each([
    ["its data", ANSWER, { total: "7.00" }],
    ["the body if there is no envelope", json([1, 2]), [1, 2]],
    ["{} for nothing", text(null, { status: 204 }), {}],
  ])("resolves with %s", async (_, step, data) => {
    const { gateway } = gatewayWith([step]);
    await expect(gateway.request({ method: "GET", path: "/reports" })).resolves.toEqual(data);
  });

  test("resolves with the response and the whole body by withResponse()", async () => {
    const { gateway } = gatewayWith([ANSWER]);
    const { data, response, body } = await gateway
      .request({ method: "GET", path: "/reports" })
      .withResponse();
    expect(data).toEqual({ total: "7.00" });
    expect(response.status).toBe(200);
    expect(body).toEqual({ success: true, data: { total: "7.00" }, v: 2 });
  });

  test("has the errors of every other call", async () => {
    const { baseUrl, fetch, keys } = createSandbox();
    const gateway = gatewayOn(fetch, { baseUrl, apiKey: keys.secret });
    const error = await rejection(gateway.request({ method: "GET", path: "/reports/today" }));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.message).toContain("GET /reports/today");
  });
});

test("an error of a documented path names its endpoint", async () => {
  const { gateway } = gatewayWith([status(404)]);
  const error = await rejection(gateway.request({ method: "GET", path: "/payments/PAY-1" }));
  expect(error.message).toContain("GET /payments/{");
});

describe("the path of a request", () => {
  const piece = fc.constantFrom(
    ..."/.\\?#%@:;{} \t\n\0",
    "..",
    "%2e",
    "%2E",
    "%2f",
    "//",
    "https:",
    "evil.test",
    "payments",
    "é",
  );
  const path = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: piece }).map((rest) => `/${rest}`),
    fc.array(piece).map((parts) => `/${parts.join("/")}`),
  );
  const BASES = [BASE_URL, "https://gateway.test", "https://gateway.test/a/b/c"];

  test("stays below the base URL, or is rejected and nothing is sent", async () => {
    await fc.assert(
      fc.asyncProperty(path, fc.constantFrom(...BASES), async (given, baseUrl) => {
        const { gateway, sent } = gatewayWith([ANSWER], { baseUrl });
        const result = await gateway
          .request({ method: "GET", path: given })
          .catch((e: unknown) => e);
        if (sent.length === 0) {
          expect(result).toBeInstanceOf(InvalidParamsError);
          return;
        }
        const base = new URL(baseUrl);
        const url = new URL(sent[0]?.url ?? "");
        expect(url.origin).toBe(base.origin);
        expect(`${url.pathname}`.startsWith(`${base.pathname.replace(/\/$/, "")}/`)).toBe(true);
        expect([url.search, url.hash, url.username]).toEqual(["", "", ""]);
        // As many segments as were written: none was resolved away.
        const written = base.pathname.replace(/\/$/, "") + given;
        expect(url.pathname.split("/")).toHaveLength(written.split("/").length);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["/reports", "/reports"],
    ["/", "/"],
    ["//evil.test/x", "//evil.test/x"],
    ["/@evil.test", "/@evil.test"],
    ["/a%2Fb", "/a%2Fb"],
    ["/a/...", "/a/..."],
    ["/a/%2e%2e%2fb", "/a/%2e%2e%2fb"],
    ["/{id}", "/%7Bid%7D"],
  ])("%j goes out as %s", async (given, sends) => {
    const { gateway, sent } = gatewayWith([ANSWER]);
    await gateway.request({ method: "GET", path: given });
    expect(sent[0]?.url).toBe(BASE_URL + sends);
  });

  test.each([
    "",
    "reports",
    "https://evil.test/",
    "\\\\evil.test",
    "/..",
    "/a/../../b",
    "/a/./b",
    "/%2e%2e/b",
    "/.%2E/b",
    "/a\\..\\b",
    "/a?b=1",
    "/a#b",
    "/a b",
    "/a\tb",
    "/.\n./b",
    "/a\u0000",
    undefined,
    null,
    7,
    ["/reports"],
  ])("%j is rejected, and nothing is sent", async (given) => {
    const { gateway, sent } = gatewayWith([ANSWER]);
    const error = await rejection(gateway.request({ method: "GET", path: given as string }));
    expect(error).toBeInstanceOf(InvalidParamsError);
    expect(error).toMatchObject({ issues: [{ path: ["path"] }], outcome: "not_sent" });
    expect(sent).toHaveLength(0);
  });
});

describe("a request that cannot be sent is rejected", () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;

  test.each<[string, Record<string, unknown>, string]>([
    ["a misspelt name", { method: "GET", querry: {} }, "expected only method, path, body, query"],
    ["another method", { method: "TRACE" }, "expected one of GET, HEAD, "],
    ["a GET with a body", { method: "GET", body: {} }, "expected no body with GET"],
    ["no path", { method: "GET", path: "" }, "that begins with"],
  ])("%s, with what is expected", async (_, params, message) => {
    const { gateway } = gatewayWith([ANSWER]);
    const request = { path: "/reports", ...params } as unknown as RequestParams;
    const error = await rejection(gateway.request(request));
    expect(error.message).toMatch(/^request\b/);
    expect(error.message).toContain(message);
  });

  test.each<[string, Record<string, unknown>, (string | number)[]]>([
    ["another method", { method: "TRACE" }, ["method"]],
    ["a method that does not exist", { method: "GET /x HTTP/1.1\r\n" }, ["method"]],
    ["no method", { method: undefined }, ["method"]],
    ["a GET with a body", { method: "GET", body: {} }, ["body"]],
    ["a HEAD with a body", { method: "HEAD", body: null }, ["body"]],
    ["a body with a cycle", { method: "POST", body: cycle }, []],
    ["a body with a bigint", { method: "POST", body: { amount: 1n } }, []],
    ["a body that is a function", { method: "POST", body: () => 1 }, []],
    ["a body that is a symbol", { method: "POST", body: Symbol("s") }, []],
  ])("%s", async (_, params, path) => {
    const { gateway, sent } = gatewayWith([ANSWER]);
    const request = { path: "/reports", ...params } as unknown as RequestParams;
    const error = await rejection(gateway.request(request));
    expect(error).toBeInstanceOf(InvalidParamsError);
    expect(error).toMatchObject({ issues: [{ path }], outcome: "not_sent" });
    expect(sent).toHaveLength(0);
  });
});
