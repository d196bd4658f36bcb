import { inspect } from "node:util";
import fc from "fast-check";
import * as here from "malipo";
import { beforeAll, describe, expect, test, vi } from "vitest";

type Errors = typeof here;

/** A second copy of the package, as CJS is beside ESM. */
let there: Errors;

beforeAll(async () => {
  vi.resetModules();
  there = await import("malipo");
  expect(there.GatewayError).not.toBe(here.GatewayError);
});

const HEADERS = { "x-customer": "Otieno" };
const answer = (status: number) => ({
  status,
  body: { payer_name: "Wanjiku" },
  headers: new Headers(HEADERS),
});

const MESSAGE = "It failed: mend it.";

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

// biome-ignore format: a table is read across
const ROWS: Row[] = [
  ["ConfigurationError", "configuration", "not_sent", (e) => new e.ConfigurationError(MESSAGE)],
  ["KeyTypeError", "key_type", "not_sent", (e) => new e.KeyTypeError(MESSAGE)],
  ["InvalidParamsError", "invalid_params", "not_sent", (e) => new e.InvalidParamsError(MESSAGE, [{ path: ["events", 0], message: "empty" }]), { issues: [{ path: ["events", 0], message: "empty" }] }],
  ["ApiError", "api", "rejected", (e) => new e.ApiError(MESSAGE, "rejected", answer(418)), { status: 418 }],
  ["AuthenticationError", "authentication", "rejected", (e) => new e.AuthenticationError(MESSAGE, "rejected", answer(401)), { status: 401 }],
  ["PermissionError", "permission", "rejected", (e) => new e.PermissionError(MESSAGE, "rejected", answer(403)), { status: 403 }],
  ["NotFoundError", "not_found", "rejected", (e) => new e.NotFoundError(MESSAGE, "rejected", answer(404)), { status: 404 }],
  ["ConflictError", "conflict", "rejected", (e) => new e.ConflictError(MESSAGE, "rejected", answer(409)), { status: 409 }],
  ["InvalidRequestError", "invalid_request", "rejected", (e) => new e.InvalidRequestError(MESSAGE, "rejected", answer(422)), { status: 422 }],
  ["RateLimitError", "rate_limit", "rejected", (e) => new e.RateLimitError(MESSAGE, "rejected", { ...answer(429), retryAfterMs: 0 }), { status: 429, retryAfterMs: 0 }],
  ["ServerError", "server", "unknown", (e) => new e.ServerError(MESSAGE, "unknown", answer(503)), { status: 503 }],
  ["ConnectionError", "connection", "unknown", (e) => new e.ConnectionError(MESSAGE, "unknown")],
  ["TimeoutError", "timeout", "unknown", (e) => new e.TimeoutError(MESSAGE, "unknown", 15_000), { timeoutMs: 15_000 }],
  ["UnexpectedResponseError", "unexpected_response", "unknown", (e) => new e.UnexpectedResponseError(MESSAGE, "unknown", answer(200)), { status: 200 }],
  ["PaymentPendingError", "payment_pending", "unknown", (e) => new e.PaymentPendingError(MESSAGE, "MP1", undefined), { reference: "MP1" }],
  ["IdempotencyConflictError", "idempotency_conflict", "not_sent", (e) => new e.IdempotencyConflictError(MESSAGE, "order-1"), { idempotencyKey: "order-1" }],
  ["OutcomeUnknownError", "outcome_unknown", "unknown", (e) => new e.OutcomeUnknownError(MESSAGE, "order-1", "a-1"), { idempotencyKey: "order-1", attempt: "a-1" }],
  ["WebhookVerificationError", "signature_missing", "rejected", (e) => new e.WebhookVerificationError("signature_missing", MESSAGE), { status: 401 }],
];

test("every error class that the package exports has its row", () => {
  const exported = Object.entries(here)
    .filter(([, value]) => Object.prototype.isPrototypeOf.call(Error, value))
    .map(([name]) => name);
  const named = ROWS.map(([name]) => name as string);
  expect(exported.sort()).toStrictEqual([...named, "GatewayError"].sort());
});

describe.each(ROWS)("%s", (name, code, outcome, make, fields = {}) => {
  test.each([
    ["one", () => here],
    ["another", () => there],
  ])("has its literal name and code, its outcome and its fields in %s copy", (_, copy) => {
    const error = make(copy());
    expect({ ...error }).toStrictEqual({ code, outcome, ...fields });
    expect(error.name).toBe(name);
    expect(error.message).toBe(MESSAGE);
    expect(`${error}`).toBe(`${name}: ${MESSAGE}`);
    expect(Error.prototype.isPrototypeOf.call(Error.prototype, error)).toBe(true);
  });

  test("opens its stack with its name and message, and then this file", () => {
    const [first, second] = make(here).stack?.split("\n") ?? [];
    expect(first).toBe(`${name}: ${MESSAGE}`);
    expect(second).toContain("errors.test");
  });

  test("is told by instanceof as in one copy, whichever copy made it and whichever asks", () => {
    const classes = [...ROWS.map(([name]) => name), "GatewayError" as const];
    for (const errors of [here, there]) {
      const error = make(errors);
      const isOf = (name: (typeof classes)[number]) =>
        Object.prototype.isPrototypeOf.call(errors[name].prototype, error);
      const found = (asked: Errors) => classes.filter((name) => error instanceof asked[name]);
      expect(found(here)).toStrictEqual(classes.filter(isOf));
      expect(found(there)).toStrictEqual(classes.filter(isOf));
      expect(here.isGatewayError(error)).toBe(true);
      expect(there.isGatewayError(error)).toBe(true);
    }
  });
});

test("no class has a name that another begins with, since instanceof goes by that", () => {
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

test("ApiError catches its subclasses of either copy, and nothing else", () => {
  const answers = ROWS.filter(([, , , make]) => make(there) instanceof here.ApiError);
  expect(answers.map(([name]) => name)).toStrictEqual([
    "ApiError",
    "AuthenticationError",
    "PermissionError",
    "NotFoundError",
    "ConflictError",
    "InvalidRequestError",
    "RateLimitError",
    "ServerError",
  ]);
  const alike = { code: "not_found", name: "NotFoundError", status: 404 };
  expect(alike instanceof here.ApiError).toBe(false);
});

describe("a cause", () => {
  const cause = new Error("ECONNRESET");
  test.each<[string, (options?: ErrorOptions) => Error]>([
    ["ConfigurationError", (options) => new here.ConfigurationError(MESSAGE, options)],
    ["InvalidParamsError", (options) => new here.InvalidParamsError(MESSAGE, [], options)],
    ["ConnectionError", (options) => new here.ConnectionError(MESSAGE, "unknown", options)],
    [
      "UnexpectedResponseError",
      (options) => new here.UnexpectedResponseError(MESSAGE, "unknown", answer(200), options),
    ],
  ])("is kept as it was by %s, and absent where there is none", (_, make) => {
    expect(make({ cause }).cause).toBe(cause);
    expect(inspect(make({ cause }))).toContain("ECONNRESET");
    expect(Object.hasOwn(make(), "cause")).toBe(false);
  });
});

describe("a user's own subclass", () => {
  class Declined extends here.ApiError {}
  class DeclinedForGood extends Declined {}
  class Elsewhere extends here.ApiError {}
  const make = (Type: typeof here.ApiError) => new Type(MESSAGE, "rejected", answer(402));

  test("is told apart from its base, from its siblings, and from what is below it", () => {
    expect(make(Declined) instanceof Declined).toBe(true);
    expect(make(DeclinedForGood) instanceof Declined).toBe(true);
    expect(make(here.ApiError) instanceof Declined).toBe(false);
    expect(make(Elsewhere) instanceof Declined).toBe(false);
    expect(make(Declined) instanceof DeclinedForGood).toBe(false);
    expect(ROWS.some(([, , , row]) => row(here) instanceof Declined)).toBe(false);
  });

  test("is its base, in either copy, and no other class", () => {
    const declined = make(DeclinedForGood);
    const is = (errors: Errors) =>
      ROWS.map(([name]) => name).filter((name) => declined instanceof errors[name]);
    expect(is(here)).toStrictEqual(["ApiError"]);
    expect(is(there)).toStrictEqual(["ApiError"]);
    expect(here.isGatewayError(declined) && there.isGatewayError(declined)).toBe(true);
  });

  test("of the base of all is one of ours, in either copy", () => {
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
  ])("says no to %o", (value) => {
    expect(here.isGatewayError(value)).toBe(false);
  });

  test("never throws, whatever it is asked about", () => {
    const anything = fc.anything({ withNullPrototype: true, withBoxedValues: true, withMap: true });
    const alike = fc.record({ constructor: fc.oneof(anything, fc.record({ malipo: anything })) });
    const misleading = [5, {}, Symbol("x"), Object.create(null)];
    fc.assert(
      fc.property(fc.oneof(anything, alike), (value: unknown) => {
        expect(here.isGatewayError(value)).toBeTypeOf("boolean");
        expect(value instanceof here.ApiError).toBeTypeOf("boolean");
      }),
      { examples: misleading.map((malipo): [unknown] => [{ constructor: { malipo } }]) },
    );
  });
});

describe("what the service answered", () => {
  const errors = ROWS.filter(([, , , make]) => "headers" in make(here));

  test.each(errors)("stays out of what %s prints", (_, __, ___, make) => {
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

  test.each(errors)("is there for whoever asks %s", (_, __, ___, make) => {
    const error = make(here) as here.ApiError;
    expect(error.body).toStrictEqual({ payer_name: "Wanjiku" });
    expect(error.headers).toBeInstanceOf(Headers);
    expect(Object.fromEntries(error.headers)).toStrictEqual(HEADERS);
  });

  test("has retryAfterMs where the answer said so, and only there", () => {
    const after = { ...answer(429), retryAfterMs: 61_000 };
    expect(new here.RateLimitError(MESSAGE, "rejected", after).retryAfterMs).toBe(61_000);
    expect("retryAfterMs" in new here.RateLimitError(MESSAGE, "rejected", answer(429))).toBe(false);
    const undefinedOne = { ...answer(429), retryAfterMs: undefined };
    expect("retryAfterMs" in new here.RateLimitError(MESSAGE, "rejected", undefinedOne)).toBe(
      false,
    );
  });
});
