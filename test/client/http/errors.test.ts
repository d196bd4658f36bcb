import type { GatewayError, GatewayOptions, Outcome } from "malipo";
import * as malipo from "malipo";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { BASE_URL, failureOf, gatewayWith, KEYS } from "../support/gateway.ts";
import { fail, hang, html, json, type Step, script, status } from "../support/responses.ts";

type Package = typeof malipo;

let copy: Package;

beforeAll(async () => {
  vi.resetModules();
  copy = await import("malipo");
  expect(copy.GatewayError).not.toBe(malipo.GatewayError);
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const FETCH_FAILED = new TypeError("fetch failed", { cause: new Error("why") });

/** A gateway of one copy of the package. */
function gatewayOf(copy: Package, step: Step = json({}), apiKey: string = KEYS.secret) {
  const options: GatewayOptions = { apiKey, baseUrl: BASE_URL, fetch: script(step).fetch };
  return new copy.Gateway(options);
}

/** One way to each error of the client. */
// biome-ignore format: a table is read across
const WAYS: [keyof Package, string, Outcome, (copy: Package) => Promise<unknown>][] = [
  ["ConfigurationError", "configuration", "not_sent", (copy) => gatewayOf(copy).merchant.get({ timeoutMs: -1 })],
  ["KeyTypeError", "key_type", "not_sent", (copy) => gatewayOf(copy, json({}), KEYS.public).invoices.create({})],
  ["InvalidParamsError", "invalid_params", "not_sent", (copy) => gatewayOf(copy).mobileMoney.validatePhone("")],
  ["InvalidRequestError", "invalid_request", "rejected", (copy) => gatewayOf(copy, status(422)).merchant.get()],
  ["AuthenticationError", "authentication", "rejected", (copy) => gatewayOf(copy, status(401)).merchant.get()],
  ["PermissionError", "permission", "rejected", (copy) => gatewayOf(copy, status(403)).merchant.get()],
  ["NotFoundError", "not_found", "rejected", (copy) => gatewayOf(copy, status(404)).merchant.get()],
  ["ConflictError", "conflict", "rejected", (copy) => gatewayOf(copy, status(409)).merchant.get()],
  ["RateLimitError", "rate_limit", "rejected", (copy) => gatewayOf(copy, status(429)).merchant.get()],
  ["ServerError", "server", "unknown", (copy) => gatewayOf(copy, status(500)).merchant.get()],
  ["ApiError", "api", "rejected", (copy) => gatewayOf(copy, status(418)).merchant.get()],
  ["ConnectionError", "connection", "unknown", (copy) => gatewayOf(copy, fail(FETCH_FAILED)).merchant.get()],
  ["TimeoutError", "timeout", "unknown", (copy) => gatewayOf(copy, hang).merchant.get()],
  ["UnexpectedResponseError", "unexpected_response", "unknown", (copy) => gatewayOf(copy, html()).merchant.get()],
];

/** The names of the classes that an error is an instance of, in one copy of the package. */
const kindsOf = (error: unknown, copy: Package): string[] =>
  [...WAYS.map(([name]) => name), "GatewayError" as const].filter(
    (name) => error instanceof (copy[name] as unknown as typeof GatewayError),
  );

const REJECTIONS = WAYS.slice(3, 11).map(([name]) => name);

const familyOf = (name: keyof Package): string[] => [
  ...new Set([name, ...(REJECTIONS.includes(name) ? ["ApiError"] : []), "GatewayError"]),
];

describe.each(WAYS)("%s", (name, code, outcome, way) => {
  test(`has the code ${code}, the outcome ${outcome} and its own name`, async () => {
    const error = await failureOf(way(malipo));
    expect(error).toMatchObject({ code, outcome, name });
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toMatch(new RegExp(`^${name}: `));
    expect(error.stack).toMatch(new RegExp(`^${name}: `));
    expect(kindsOf(error, malipo).sort()).toEqual(familyOf(name).sort());
  });

  test("is known by instanceof and isGatewayError of another copy of the package", async () => {
    const error = await failureOf(way(copy));
    expect(kindsOf(error, malipo).sort()).toEqual(familyOf(name).sort());
    expect(malipo.isGatewayError(error)).toBe(true);
  });
});

test("a class of the user's own is told apart as any class is", async () => {
  class ShopError extends malipo.ConflictError {}
  const conflict = await failureOf(gatewayOf(malipo, status(409)).merchant.get());
  const own = new ShopError("sold", "rejected", { status: 409, body: {}, headers: new Headers() });
  expect(conflict).not.toBeInstanceOf(ShopError);
  expect(own).toBeInstanceOf(ShopError);
  expect(own).toBeInstanceOf(malipo.ConflictError);
  expect(own).toBeInstanceOf(malipo.ApiError);
});

test.each([
  undefined,
  null,
  "GatewayError",
  0,
  {},
  { code: "api" },
  new Error("x"),
  Object.create(null),
])("%s is none of the package's errors", (value) => {
  expect(kindsOf(value, malipo)).toEqual([]);
  expect(malipo.isGatewayError(value)).toBe(false);
});

describe("an error has its cause", () => {
  test("as a copy, if the connection failed", async () => {
    const error = await failureOf(gatewayOf(malipo, fail(FETCH_FAILED)).merchant.get());
    expect(error.cause).toStrictEqual(FETCH_FAILED);
    expect((error.cause as Error).stack).toBe(FETCH_FAILED.stack);
  });

  test.each([
    ["a text", "odd"],
    ["null", null],
    ["undefined", undefined],
    ["a number", 7],
    ["an object, by its kind", { odd: true }, "[object Object]"],
  ])("whatever a fetch may throw: %s", async (_, thrown, cause: unknown = thrown) => {
    const error = await failureOf(gatewayOf(malipo, fail(thrown)).merchant.get());
    expect(error).toMatchObject({ code: "connection", outcome: "unknown" });
    expect(error.cause).toBe(cause);
  });

  test("if a fetch throws before it returns a promise", async () => {
    const thrown = new RangeError("odd");
    const fetch = () => {
      throw thrown;
    };
    const gateway = new malipo.Gateway({ apiKey: KEYS.secret as string, baseUrl: BASE_URL, fetch });
    expect((await failureOf(gateway.merchant.get())).cause).toStrictEqual(thrown);
  });

  test("if a response is not JSON, and if a body cannot be written as JSON", async () => {
    const unread = await failureOf(gatewayOf(malipo, html()).merchant.get());
    expect(unread.cause).toBeInstanceOf(SyntaxError);
    const unwritten = await failureOf(gatewayOf(malipo).invoices.create({ total: 1n }));
    expect(unwritten.cause).toBeInstanceOf(TypeError);
  });
});

test("the code tells failures apart, and narrows to their fields", async () => {
  const { gateway } = gatewayWith([status(429, { "retry-after": "90" })]);
  const error: unknown = await failureOf(gateway.merchant.get());
  if (!malipo.isGatewayError(error) || error.code !== "rate_limit") return expect.unreachable();
  expect(error.retryAfterMs).toBe(90_000);
});
