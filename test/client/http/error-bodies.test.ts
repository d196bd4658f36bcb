import {
  ApiError,
  AuthenticationError,
  ConflictError,
  GatewayError,
  InvalidRequestError,
  isGatewayError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
} from "malipo";
import { describe, expect, test } from "vitest";
import { IDS, ROWS } from "../../support/endpoints.ts";
import { gatewayWith, rejection } from "../support/gateway.ts";
import { json, type Step, text } from "../support/responses.ts";

const rejectedWith = (...steps: Step[]) =>
  rejection(gatewayWith(steps, { maxRetries: 0 }).gateway.invoices.get("inv_9"));

const CLASSES = [
  [400, InvalidRequestError, "invalid_request", "rejected"],
  [401, AuthenticationError, "authentication", "rejected"],
  [402, ApiError, "api", "rejected"],
  [403, PermissionError, "permission", "rejected"],
  [404, NotFoundError, "not_found", "rejected"],
  [405, ApiError, "api", "rejected"],
  [408, ApiError, "api", "unknown"],
  [409, ConflictError, "conflict", "rejected"],
  [410, ApiError, "api", "rejected"],
  [418, ApiError, "api", "rejected"],
  [422, InvalidRequestError, "invalid_request", "rejected"],
  [429, RateLimitError, "rate_limit", "rejected"],
  [460, ApiError, "api", "unknown"],
  [499, ApiError, "api", "unknown"],
  [500, ServerError, "server", "unknown"],
  [501, ServerError, "server", "unknown"],
  [502, ServerError, "server", "unknown"],
  [503, ServerError, "server", "unknown"],
  [504, ServerError, "server", "unknown"],
  [599, ServerError, "server", "unknown"],
  [300, ApiError, "api", "unknown"],
  [301, ApiError, "api", "unknown"],
  [302, ApiError, "api", "unknown"],
  [304, ApiError, "api", "unknown"],
  [307, ApiError, "api", "unknown"],
  [308, ApiError, "api", "unknown"],
] as const;

/** What a rejection may look like, and what a message then quotes of it. */
const BODIES: [string, string | null, unknown, string][] = [
  [
    "the envelope",
    '{"success":false,"error":"Card lost"}',
    { success: false, error: "Card lost" },
    "Card lost",
  ],
  ["only an error", '{"error":"Card lost"}', { error: "Card lost" }, "Card lost"],
  ["a message", '{"message":"Card lost"}', { message: "Card lost" }, "Card lost"],
  [
    "a message and the errors of fields, as of Laravel",
    '{"message":"The given data was invalid.","errors":{"amount":["must be at least 1"]}}',
    { message: "The given data was invalid.", errors: { amount: ["must be at least 1"] } },
    'The given data was invalid. {"amount":["must be at least 1"]}',
  ],
  [
    "an empty error and a message",
    '{"error":"","message":"Card lost"}',
    { error: "", message: "Card lost" },
    "Card lost",
  ],
  [
    "a nested error",
    '{"error":{"code":"E7"}}',
    { error: { code: "E7" } },
    '{"error":{"code":"E7"}}',
  ],
  ["a list of errors", '["Card lost"]', ["Card lost"], '["Card lost"]'],
  ["a JSON text", '"Card lost"', "Card lost", "Card lost"],
  ["a plain text", "Card lost", "Card lost", "Card lost"],
  ["HTML", "<h1>502 Bad Gateway</h1>", "<h1>502 Bad Gateway</h1>", "502 Bad Gateway"],
  ["JSON that breaks off", '{"error":"Car', '{"error":"Car', '{"error":"Car'],
  ["nothing", "", "", "no body"],
  ["no body at all", null, "", "no body"],
  ["null", "null", null, "null"],
  ["success: true", '{"success":true,"data":{}}', { success: true, data: {} }, "success"],
];

describe.each(CLASSES)("a %i", (status, ErrorClass, code, outcome) => {
  const nullBody = status === 304;

  test.each(BODIES)(
    `is a ${ErrorClass.name}, ${outcome}, whatever its body: %s`,
    async (_, raw, body) => {
      const error = await rejectedWith(text(nullBody ? null : raw, { status }));
      expect(error.constructor).toBe(ErrorClass);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ code, outcome, status, name: ErrorClass.name });
      expect(error).toHaveProperty("body", nullBody ? "" : body);
    },
  );
});

test.each(BODIES)(
  "the message of a rejection says what was asked, the status and the body: %s",
  async (_, raw, __, quoted) => {
    const { message } = await rejectedWith(text(raw, { status: 409 }));
    expect(message).toContain("GET /invoices/{invoice}");
    expect(message).toContain("409");
    expect(message).toContain(quoted);
  },
);

test("the message of a rejection says whether to send again, by its outcome and what sending twice does", async () => {
  const { gateway } = gatewayWith([json({}, { status: 500 })], { maxRetries: 0 });
  const said = async (name: string) => {
    const row = ROWS.find((one) => one.name === name) ?? expect.unreachable();
    return (await rejection(row.call(gateway, IDS))).message;
  };
  expect(await said("mobileMoney.initiate")).toContain("Look before you send it again");
  expect(await said("invoices.update")).toContain("You can send it again: the result is the same");
  expect(await said("payments.get")).toContain("You can send it again");
  // `rejectedWith` reads.
  expect((await rejectedWith(json({}, { status: 400 }))).message).toMatch(/rejected it\.$/);
  const { gateway: rejecting } = gatewayWith([json({}, { status: 400 })]);
  const create = ROWS.find(({ name }) => name === "invoices.create") ?? expect.unreachable();
  const { message } = await rejection(create.call(rejecting, IDS));
  expect(message).toContain("Fix the cause before you send it again");
});

test("a redirect's message asks after the base URL", async () => {
  const error = await rejectedWith(
    text("", { status: 301, headers: { location: "https://b.example" } }),
  );
  expect(error.message).toContain("base URL");
});

test("an endless body is cut in the message, and whole in `body`", async () => {
  const body = "x".repeat(100_000);
  const error = await rejectedWith(text(body, { status: 500 }));
  expect(error.message.length).toBeLessThan(3_000);
  expect(error).toHaveProperty("body", body);
});

test.each([100, 1_000, 4_000, 20_000, 100_000])(
  "a body nested %i deep does not hide that a write may have happened",
  async (depth) => {
    for (const status of [200, 500]) {
      const body = text("[".repeat(depth) + "]".repeat(depth), { status });
      const { gateway } = gatewayWith([body]);
      const row = ROWS.find(({ name }) => name === "mobileMoney.initiate") ?? expect.unreachable();
      expect(await rejection(row.call(gateway, IDS))).toMatchObject({ status, outcome: "unknown" });
    }
  },
);

describe("the fields of a rejection", () => {
  const headers = { "x-request-id": "r_1", "retry-after": "7", "set-cookie": "a=1" };
  const rejectOnce = () =>
    rejectedWith(
      json({ error: "later", phone: "0712345678" }, { status: 429, headers }),
    ) as Promise<RateLimitError>;

  test("hold the headers as Headers", async () => {
    const error = await rejectOnce();
    expect(error.headers).toBeInstanceOf(Headers);
    expect(error.headers.get("X-Request-Id")).toBe("r_1");
  });

  test("hold retryAfterMs if the response had one, and only then", async () => {
    expect((await rejectOnce()).retryAfterMs).toBe(7_000);
    expect(await rejectedWith(json({}, { status: 503, headers }))).toMatchObject({
      retryAfterMs: 7_000,
    });
    expect(await rejectedWith(json({}, { status: 429 }))).not.toHaveProperty("retryAfterMs");
  });

  test("keep body and headers out of JSON and of what a log lists", async () => {
    const error = await rejectOnce();
    expect(Object.keys(error)).not.toContain("body");
    expect(Object.keys(error)).not.toContain("headers");
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: "rate_limit",
      outcome: "rejected",
      status: 429,
      retryAfterMs: 7_000,
      requestId: "r_1",
    });
  });
});

test("every error of a call is a GatewayError, by instanceof and by isGatewayError", async () => {
  for (const [status] of CLASSES) {
    const error = await rejectedWith(json({}, { status }));
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toBeInstanceOf(Error);
    expect(isGatewayError(error)).toBe(true);
  }
  for (const other of [
    new Error("x"),
    new TypeError("x"),
    { code: "api" },
    null,
    undefined,
    "api",
  ]) {
    expect(isGatewayError(other)).toBe(false);
  }
});

test("instanceof tells the kinds of rejection apart", async () => {
  const kinds = new Set(CLASSES.map(([, ErrorClass]) => ErrorClass));
  for (const [status, ErrorClass] of CLASSES) {
    const error = await rejectedWith(text(null, { status }));
    const fits = [...kinds].filter((kind) => error instanceof kind);
    expect(new Set(fits)).toEqual(new Set([ApiError, ErrorClass]));
  }
});
