import { inspect } from "node:util";
import * as here from "malipo";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { fc } from "../support/properties.ts";

type Errors = typeof here;

/** A second copy of the package, as when both ESM and CJS are loaded. */
let there: Errors;

beforeAll(async () => {
  vi.resetModules();
  there = await import("malipo");
  expect(there.GatewayError).not.toBe(here.GatewayError);
});

const HEADERS = { "x-customer": "Otieno" };
const response = (status: number) => ({
  status,
  body: { payer_name: "Wanjiku" },
  headers: new Headers(HEADERS),
});

const MESSAGE = "It failed. Fix it.";

type ClassName = {
  [Name in keyof Errors]: Errors[Name] extends new (...args: never[]) => Error ? Name : never;
}[keyof Errors];

type Row = [
  name: ClassName,
  code: here.GatewayErrorCode,
  outcome: here.Outcome,
  make: (errors: Errors) => here.GatewayError,
  fields?: object,
];

const NOW = new Date();
const IN_FLIGHT = { idempotencyKey: "order-1", attempt: "a-1", since: NOW, until: NOW };

// biome-ignore format: one line for each class
const ROWS: Row[] = [
  ["ConfigurationError", "configuration", "not_sent", (e) => new e.ConfigurationError(MESSAGE)],
  ["KeyTypeError", "key_type", "not_sent", (e) => new e.KeyTypeError(MESSAGE)],
  ["InvalidParamsError", "invalid_params", "not_sent", (e) => new e.InvalidParamsError(MESSAGE, [{ path: ["events", 0], message: "empty" }]), { issues: [{ path: ["events", 0], message: "empty" }] }],
  ["ApiError", "api", "rejected", (e) => new e.ApiError(MESSAGE, "rejected", response(418)), { status: 418 }],
  ["AuthenticationError", "authentication", "rejected", (e) => new e.AuthenticationError(MESSAGE, "rejected", response(401)), { status: 401 }],
  ["PermissionError", "permission", "rejected", (e) => new e.PermissionError(MESSAGE, "rejected", response(403)), { status: 403 }],
  ["NotFoundError", "not_found", "rejected", (e) => new e.NotFoundError(MESSAGE, "rejected", response(404)), { status: 404 }],
  ["ConflictError", "conflict", "rejected", (e) => new e.ConflictError(MESSAGE, "rejected", response(409)), { status: 409 }],
  ["InvalidRequestError", "invalid_request", "rejected", (e) => new e.InvalidRequestError(MESSAGE, "rejected", response(422)), { status: 422 }],
  ["RateLimitError", "rate_limit", "rejected", (e) => new e.RateLimitError(MESSAGE, "rejected", { ...response(429), retryAfterMs: 0 }), { status: 429, retryAfterMs: 0 }],
  ["ServerError", "server", "unknown", (e) => new e.ServerError(MESSAGE, "unknown", response(503)), { status: 503 }],
  ["ConnectionError", "connection", "unknown", (e) => new e.ConnectionError(MESSAGE, "unknown")],
  ["TimeoutError", "timeout", "unknown", (e) => new e.TimeoutError(MESSAGE, "unknown", 15_000), { timeoutMs: 15_000 }],
  ["UnexpectedResponseError", "unexpected_response", "unknown", (e) => new e.UnexpectedResponseError(MESSAGE, "unknown", response(200)), { status: 200 }],
  ["PaymentPendingError", "payment_pending", "unknown", (e) => new e.PaymentPendingError(MESSAGE, "MP1", undefined), { reference: "MP1" }],
  ["IdempotencyConflictError", "idempotency_conflict", "not_sent", (e) => new e.IdempotencyConflictError(MESSAGE, "order-1"), { idempotencyKey: "order-1", key: "taken" }],
  ["OutcomeUnknownError", "outcome_unknown", "unknown", (e) => new e.OutcomeUnknownError(MESSAGE, "order-1", "a-1", NOW), { idempotencyKey: "order-1", attempt: "a-1", notSentFrom: NOW, key: "taken" }],
  ["AttemptInFlightError", "attempt_in_flight", "unknown", (e) => new e.AttemptInFlightError(MESSAGE, IN_FLIGHT), { ...IN_FLIGHT, key: "taken" }],
  ["WebhookVerificationError", "signature_missing", "rejected", (e) => new e.WebhookVerificationError("signature_missing", MESSAGE), { status: 401 }],
];

test("the table below has every error class that the package exports", () => {
  const exported = Object.entries(here)
    .filter(([, value]) => Object.prototype.isPrototypeOf.call(Error, value))
    .map(([name]) => name);
  const named = ROWS.map(([name]) => name as string);
  expect(exported.sort()).toStrictEqual([...named, "GatewayError"].sort());
});

describe.each(ROWS)("%s", (name, code, outcome, make, fields = {}) => {
  test.each([
    ["this", () => here],
    ["another", () => there],
  ])("has its name, code, outcome and fields in %s copy of the package", (_, copy) => {
    const error = make(copy());
    expect({ ...error }).toStrictEqual({ code, outcome, ...fields });
    expect(error.name).toBe(name);
    expect(error.message).toBe(MESSAGE);
    expect(`${error}`).toBe(`${name}: ${MESSAGE}`);
    expect(Error.prototype.isPrototypeOf.call(Error.prototype, error)).toBe(true);
  });

  test("has a stack that starts with its name and message, then this file", () => {
    const [first, second] = make(here).stack?.split("\n") ?? [];
    expect(first).toBe(`${name}: ${MESSAGE}`);
    expect(second).toContain("errors.test");
  });

  test("is recognised by instanceof in both copies, whichever copy made it", () => {
    const classes = [...ROWS.map(([name]) => name), "GatewayError" as const];
    for (const errors of [here, there]) {
      const error = make(errors);
      const isOf = (name: (typeof classes)[number]) =>
        Object.prototype.isPrototypeOf.call(errors[name].prototype, error);
      const matching = (copy: Errors) => classes.filter((name) => error instanceof copy[name]);
      expect(matching(here)).toStrictEqual(classes.filter(isOf));
      expect(matching(there)).toStrictEqual(classes.filter(isOf));
      expect(here.isGatewayError(error)).toBe(true);
      expect(there.isGatewayError(error)).toBe(true);
    }
  });
});

test("no class name is the start of another class name, because instanceof compares the start", () => {
  const names: string[] = ROWS.map(([name]) => name);
  const clashes = names.flatMap((one) =>
    names.filter((other) => other !== one && other.startsWith(one)).map((other) => [one, other]),
  );
  expect(clashes).toStrictEqual([]);
});

test("no two classes share a code", () => {
  const codes = ROWS.map(([, code]) => code);
  expect(new Set(codes).size).toBe(codes.length);
});

test("ApiError matches its subclasses from both copies, and nothing else", () => {
  const apiErrors = ROWS.filter(([, , , make]) => make(there) instanceof here.ApiError);
  expect(apiErrors.map(([name]) => name)).toStrictEqual([
    "ApiError",
    "AuthenticationError",
    "PermissionError",
    "NotFoundError",
    "ConflictError",
    "InvalidRequestError",
    "RateLimitError",
    "ServerError",
  ]);
  const lookalike = { code: "not_found", name: "NotFoundError", status: 404 };
  expect(lookalike instanceof here.ApiError).toBe(false);
});

describe("a cause", () => {
  const cause = new Error("ECONNRESET");
  test.each<[string, (options?: ErrorOptions) => Error]>([
    ["ConfigurationError", (options) => new here.ConfigurationError(MESSAGE, options)],
    ["InvalidParamsError", (options) => new here.InvalidParamsError(MESSAGE, [], options)],
    ["ConnectionError", (options) => new here.ConnectionError(MESSAGE, "unknown", options)],
    [
      "UnexpectedResponseError",
      (options) => new here.UnexpectedResponseError(MESSAGE, "unknown", response(200), options),
    ],
  ])("stays unchanged by %s, and is absent if there is none", (_, make) => {
    expect(make({ cause }).cause).toBe(cause);
    expect(inspect(make({ cause }))).toContain("ECONNRESET");
    expect(Object.hasOwn(make(), "cause")).toBe(false);
  });
});

describe("a user's own subclass", () => {
  class Declined extends here.ApiError {}
  class HardDeclined extends Declined {}
  class Unrelated extends here.ApiError {}
  const make = (Type: typeof here.ApiError) => new Type(MESSAGE, "rejected", response(402));

  test("does not match its base class, its siblings or its own subclasses", () => {
    expect(make(Declined) instanceof Declined).toBe(true);
    expect(make(HardDeclined) instanceof Declined).toBe(true);
    expect(make(here.ApiError) instanceof Declined).toBe(false);
    expect(make(Unrelated) instanceof Declined).toBe(false);
    expect(make(Declined) instanceof HardDeclined).toBe(false);
    expect(ROWS.some(([, , , row]) => row(here) instanceof Declined)).toBe(false);
  });

  test("matches its base class in both copies, and no other class", () => {
    const declined = make(HardDeclined);
    const matching = (errors: Errors) =>
      ROWS.map(([name]) => name).filter((name) => declined instanceof errors[name]);
    expect(matching(here)).toStrictEqual(["ApiError"]);
    expect(matching(there)).toStrictEqual(["ApiError"]);
    expect(here.isGatewayError(declined) && there.isGatewayError(declined)).toBe(true);
  });

  test("of GatewayError is a gateway error in both copies", () => {
    class Refund extends here.GatewayError {
      override readonly code = "refund";
    }
    class Other extends here.GatewayError {
      override readonly code = "other";
    }
    const refund = new Refund(MESSAGE, "rejected");
    expect(refund instanceof Refund).toBe(true);
    expect(refund instanceof Other).toBe(false);
    expect(refund instanceof here.ApiError).toBe(false);
    expect(here.isGatewayError(refund)).toBe(true);
    expect(there.isGatewayError(refund)).toBe(true);
  });
});

describe("isGatewayError", () => {
  test.each([
    [undefined],
    [null],
    ["GatewayError"],
    [new Error("x")],
    [new TypeError("x")],
    [new DOMException("x", "AbortError")],
    [{}],
    [Object.create(null)],
    [{ name: "ApiError", code: "api", outcome: "rejected" }],
  ])("is false for %o", (value) => {
    expect(here.isGatewayError(value)).toBe(false);
  });

  test("never throws, whatever value it gets", () => {
    const anything = fc.anything({ withNullPrototype: true, withBoxedValues: true, withMap: true });
    const lookalike = fc.record({
      constructor: fc.oneof(anything, fc.record({ malipo: anything })),
    });
    const misleading = [5, {}, Symbol("x"), Object.create(null)];
    fc.assert(
      fc.property(fc.oneof(anything, lookalike), (value: unknown) => {
        expect(here.isGatewayError(value)).toBeTypeOf("boolean");
        expect(value instanceof here.ApiError).toBeTypeOf("boolean");
      }),
      { examples: misleading.map((malipo): [unknown] => [{ constructor: { malipo } }]) },
    );
  });
});

describe("the response", () => {
  const errors = ROWS.filter(([, , , make]) => "headers" in make(here));

  test.each(errors)("does not appear when %s is printed", (_, __, ___, make) => {
    const error = make(here);
    const prints = [
      inspect(error, { depth: null }),
      JSON.stringify(error),
      JSON.stringify({ ...error }),
      `${error} ${error.stack}`,
    ];
    for (const print of prints) {
      for (const word of ["Wanjiku", "payer_name", "Otieno", "x-customer", "body", "headers"]) {
        expect(print).not.toContain(word);
      }
    }
  });

  test.each(errors)("can be read from the fields of %s", (_, __, ___, make) => {
    const error = make(here) as here.ApiError;
    expect(error.body).toStrictEqual({ payer_name: "Wanjiku" });
    expect(error.headers).toBeInstanceOf(Headers);
    expect(Object.fromEntries(error.headers)).toStrictEqual(HEADERS);
  });

  test("sets retryAfterMs only if the service sent it", () => {
    const withWait = { ...response(429), retryAfterMs: 61_000 };
    expect(new here.RateLimitError(MESSAGE, "rejected", withWait).retryAfterMs).toBe(61_000);
    expect("retryAfterMs" in new here.RateLimitError(MESSAGE, "rejected", response(429))).toBe(
      false,
    );
    const withUndefined = { ...response(429), retryAfterMs: undefined };
    expect("retryAfterMs" in new here.RateLimitError(MESSAGE, "rejected", withUndefined)).toBe(
      false,
    );
  });
});
