import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { failureOf, gatewayWith, KEYS } from "../support/gateway.ts";
import { connectionRefused, hang, json, reset, type Step, status } from "../support/responses.ts";
import { showingsOf } from "../support/showing.ts";

// What ky does otherwise by itself: docs/decisions/0001-ky-is-the-transport.md.

const ORDER = { amount: 100, phone: "0712345678" };
const started: Step = json({ success: true, data: { reference: "PAY-1" } });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("a custom fetch is called with an address and an init whose body is a string, on every attempt", async () => {
  const { gateway, sent } = gatewayWith([connectionRefused, started]);
  const prompted = gateway.mobileMoney.initiate(ORDER);
  await vi.advanceTimersByTimeAsync(1_000);
  await prompted;
  expect(sent).toHaveLength(2);
  for (const { url, init } of sent) {
    expect(url).toBe("https://gateway.test/api/v1/mobile-money/payment/initiate");
    expect(init.body).toBe('{"amount":100,"phone":"0712345678"}');
    expect(init.redirect).toBe("manual");
    expect(init.signal).toBeInstanceOf(AbortSignal);
  }
});

test("the headers are in every Request that ky makes, and the body is in none", async () => {
  const made: Request[] = [];
  class SeenRequest extends Request {
    constructor(input: RequestInfo | URL, init?: RequestInit) {
      super(input, init);
      made.push(this);
    }
  }
  vi.stubGlobal("Request", SeenRequest);
  const { gateway } = gatewayWith([connectionRefused, started]);
  const prompted = gateway.mobileMoney.initiate(ORDER);
  await vi.advanceTimersByTimeAsync(1_000);
  await prompted;
  expect(made.length).toBeGreaterThan(0);
  for (const { headers, body } of made) {
    expect(headers.get("x-api-key")).toBe(KEYS.secret);
    expect(headers.get("content-type")).toBe("application/json");
    expect(body).toBeNull();
  }
});

test.each([
  ["a refused connection", connectionRefused, "ConnectionError"],
  ["a reset", reset, "ConnectionError"],
  ["no response", hang, "TimeoutError"],
  ["a 503", status(503), "ServerError"],
])(
  "after %s the caller gets an error of this package, and no error of ky's",
  async (_, step, name) => {
    const { gateway } = gatewayWith([step]);
    const error = await failureOf(gateway.payments.get("PAY-1"));
    expect(error.name).toBe(name);
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
      expect(cause).not.toHaveProperty("isKyError");
      expect(cause).not.toHaveProperty("request");
    }
    expect(showingsOf(KEYS.secret, error)).toEqual([]);
  },
);

test("a failure of ky's own says that nothing was sent, when it comes before the first attempt", async () => {
  vi.stubGlobal(
    "Request",
    class {
      constructor() {
        throw new TypeError(`no Request with ${KEYS.secret} here`);
      }
    },
  );
  const { gateway, sent } = gatewayWith([started]);
  const error = await failureOf(gateway.mobileMoney.initiate(ORDER));
  expect(error).toMatchObject({ code: "connection", outcome: "not_sent" });
  expect(showingsOf(KEYS.secret, error)).toEqual([]);
  expect(sent).toEqual([]);
});

test("a failure of ky's own after an attempt says that it may have happened", async () => {
  // ky asks a response what it is, and this one throws.
  const hostile = {
    ok: true,
    status: 200,
    headers: new Headers(),
    text: async () => '{"success":true,"data":{"reference":"PAY-1"}}',
    get [Symbol.toStringTag](): string {
      throw new Error("do not ask");
    },
  };
  const { gateway, sent } = gatewayWith([() => hostile as unknown as Response]);
  const error = await failureOf(gateway.mobileMoney.initiate(ORDER));
  expect(error).toMatchObject({ code: "connection", outcome: "unknown" });
  expect(sent).toHaveLength(1);
});

test("a response that cannot be read is a failed connection after the request was sent, whatever its code", async () => {
  const hostile = {
    get ok(): boolean {
      throw Object.assign(new Error("no"), { code: "ECONNREFUSED" });
    },
    status: 200,
    headers: new Headers(),
    text: async () => "{}",
  };
  const { gateway, sent } = gatewayWith([() => hostile as unknown as Response]);
  const error = await failureOf(gateway.mobileMoney.initiate(ORDER));
  expect(error).toMatchObject({ code: "connection", outcome: "unknown" });
  expect(sent).toHaveLength(1);
});

describe("the caller's signal", () => {
  test("may be of another realm", async () => {
    // A vm context has no own AbortController: a look-alike stands for a polyfill's.
    const target: EventTarget = new EventTarget();
    const foreign = Object.assign(target, {
      aborted: false,
      reason: undefined as unknown,
      throwIfAborted: () => {},
    });
    const { gateway, sent } = gatewayWith([hang]);
    const call = gateway.payments.get("PAY-1", { signal: foreign as unknown as AbortSignal });
    const ended = expect(call).rejects.toBe("the shopper left");
    await vi.advanceTimersByTimeAsync(0);
    foreign.aborted = true;
    foreign.reason = runInNewContext('"the shopper left"');
    target.dispatchEvent(new Event("abort"));
    await ended;
    expect(sent[0]?.init.signal?.aborted).toBe(true);
  });

  test("keeps no listener of a call that has ended", async () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    const { gateway } = gatewayWith([connectionRefused, started]);
    const prompted = gateway.mobileMoney.initiate(ORDER, { signal });
    await vi.advanceTimersByTimeAsync(1_000);
    await prompted;
    await failureOf(gatewayWith([status(404)]).gateway.payments.get("PAY-1", { signal }));
    expect(added.mock.calls.length).toBeGreaterThan(0);
    for (const [type, listener] of added.mock.calls) {
      expect(removed.mock.calls).toContainEqual([type, listener]);
    }
  });
});

describe("a limit on the rate", () => {
  test.each([
    ["ratelimit-reset", "7"],
    ["x-ratelimit-retry-after", "7"],
    ["x-ratelimit-reset", "7"],
    ["x-rate-limit-reset", "7"],
  ])("that says when to come back by %s is waited for", async (name, value) => {
    const { gateway, sent } = gatewayWith([status(429, { [name]: value }), started]);
    const prompted = gateway.mobileMoney.initiate(ORDER);
    await vi.advanceTimersByTimeAsync(6_999);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    await prompted;
    expect(sent).toHaveLength(2);
  });
});

test("without Request signals that follow (React Native), a timeout still ends the attempt", async () => {
  const any = AbortSignal.any;
  try {
    Reflect.deleteProperty(AbortSignal, "any");
    vi.resetModules();
    const { Gateway } = await import("malipo");
    let aborted = 0;
    const gateway = new Gateway({
      apiKey: KEYS.secret as string,
      baseUrl: "https://gateway.test",
      timeoutMs: 1_000,
      maxRetries: 1,
      fetch: (_, { signal }) =>
        new Promise(() => {
          signal?.addEventListener("abort", () => aborted++);
        }),
    });
    const error = await failureOf(gateway.payments.get("PAY-1"));
    expect(error).toMatchObject({ code: "timeout", outcome: "unknown" });
    expect(aborted).toBe(2);
  } finally {
    AbortSignal.any = any;
  }
});
