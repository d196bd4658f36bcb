import type { DriftView } from "malipo";
import { ConnectionError, ServerError } from "malipo";
import type { RequestView, ResponseView, RetryView } from "malipo/types";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { IDS, minimalBody, ROWS } from "../support/endpoints.ts";
import { BASE_URL, failureOf, gatewayWith, KEYS } from "./support/gateway.ts";
import {
  connectionRefused,
  json,
  late,
  type Step,
  status,
  truncated,
} from "./support/responses.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type HookCall =
  | ["request", RequestView]
  | ["response", ResponseView]
  | ["retry", RetryView]
  | ["drift", DriftView];

/** A gateway whose hooks record their calls. */
function listening(steps: readonly Step[]) {
  const hookCalls: HookCall[] = [];
  const met = gatewayWith(steps, {
    hooks: {
      request: (view) => hookCalls.push(["request", view]),
      response: (view) => hookCalls.push(["response", view]),
      retry: (view) => hookCalls.push(["retry", view]),
      drift: (view) => hookCalls.push(["drift", view]),
    },
  });
  return { ...met, hookCalls };
}

const payment = (data: object) =>
  json({ success: true, data }, { headers: { "x-request-id": "r_1" } });

test("hooks are called for each attempt, its response, the wait after it, and the drift, in order", async () => {
  const { gateway, hookCalls } = listening([
    connectionRefused,
    late(120, status(503, { "retry-after": "3" })),
    late(80, payment({ status: "pending", amount: 5 })),
  ]);
  vi.spyOn(Math, "random").mockReturnValue(0.5);
  const pending = gateway.payments.get("PAY-1", { maxRetries: 2 });
  await vi.advanceTimersByTimeAsync(60_000);
  await pending;

  const view = {
    endpoint: "GET /payments/{reference}",
    method: "GET",
    url: `${BASE_URL}/payments/PAY-1`,
  };
  expect(hookCalls).toEqual([
    ["request", { ...view, attempt: 1 }],
    ["retry", { ...view, attempt: 1, delayMs: 125, error: expect.any(ConnectionError) }],
    ["request", { ...view, attempt: 2 }],
    [
      "response",
      { ...view, attempt: 2, status: 503, headers: expect.any(Headers), durationMs: 120 },
    ],
    ["retry", { ...view, attempt: 2, delayMs: 3_000, error: expect.any(ServerError) }],
    ["request", { ...view, attempt: 3 }],
    [
      "response",
      { ...view, attempt: 3, status: 200, headers: expect.any(Headers), durationMs: 80 },
    ],
    [
      "drift",
      { endpoint: view.endpoint, path: "data.amount", expected: "a string", received: "number" },
    ],
  ]);
});

test("the view of a response holds a copy of its headers", async () => {
  const { gateway, hookCalls } = listening([payment({ status: "pending" })]);
  const { response } = await gateway.payments.get("PAY-1").withResponse();
  const [, view] = hookCalls.find(([name]) => name === "response") ?? expect.unreachable();
  const { headers } = view as ResponseView;
  expect(headers.get("X-Request-Id")).toBe("r_1");
  headers.set("x-request-id", "changed");
  expect(response.headers.get("x-request-id")).toBe("r_1");
});

test("the error of a retry is the one that the caller would have got, with the worst outcome so far", async () => {
  const { gateway, hookCalls } = listening([truncated, connectionRefused]);
  const error = await failureOf(gateway.invoices.update(1, {}));
  const retries = hookCalls.flatMap(([name, view]) => (name === "retry" ? [view] : []));
  expect(retries).toMatchObject([
    { attempt: 1, error: { code: "connection", outcome: "unknown" } },
    { attempt: 2, error: { code: "connection", outcome: "unknown" } },
  ]);
  expect(error).toMatchObject({ outcome: "unknown" });
});

test("the response hook is not called without a response, and the retry hook not after the last attempt", async () => {
  const { gateway, hookCalls } = listening([connectionRefused]);
  await failureOf(gateway.merchant.get({ maxRetries: 1 }));
  expect(hookCalls.map(([name]) => name)).toEqual(["request", "retry", "request"]);
});

test.each(ROWS)("every view of $name names its endpoint without its parameters", async (row) => {
  const { gateway, hookCalls } = listening([json(minimalBody(row))]);
  await row.call(gateway, IDS);
  const endpoint = `${row.method} ${row.path({ reference: "{reference}", webhook: "{id}", invoice: "{invoice}" })}`;
  expect(hookCalls.map(([name, view]) => [name, view.endpoint])).toEqual([
    ["request", endpoint],
    ["response", endpoint],
  ]);
});

test("an undocumented path is named without the key that it holds", async () => {
  const { gateway, hookCalls } = listening([json({})]);
  await gateway.request({ method: "GET", path: `/echo/${KEYS.secret}/x` });
  expect(hookCalls.map(([, view]) => view.endpoint)).toEqual([
    "GET /echo/[redacted]/x",
    "GET /echo/[redacted]/x",
  ]);
});

test("no hook is called for a call that is rejected before it is sent", async () => {
  const { gateway, hookCalls } = listening([json({})]);
  await failureOf(gateway.payments.get(".."));
  await failureOf(gateway.mobileMoney.validatePhone("x"));
  expect(hookCalls).toEqual([]);
});

describe("a hook that fails", () => {
  const FAILURES: [string, () => unknown][] = [
    [
      "throws",
      () => {
        throw new Error("the log is full");
      },
    ],
    [
      "throws null",
      () => {
        throw null;
      },
    ],
    ["rejects", () => Promise.reject(new Error("the log is full"))],
    ["never ends", () => new Promise(() => {})],
  ];

  test.each(FAILURES)("never fails a call: it %s", async (_, hook) => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    try {
      const hooks = { request: hook, response: hook, retry: hook, drift: hook };
      const steps = [status(503), payment({ status: 1, amount: 5 })];
      const { gateway } = gatewayWith(steps, { hooks });
      const pending = gateway.payments.get("PAY-1");
      await vi.advanceTimersByTimeAsync(60_000);
      await expect(pending).resolves.toEqual({ status: "1", amount: 5 });

      const failing = gatewayWith([status(503)], { hooks });
      const error = await failureOf(failing.gateway.payments.get("PAY-1"));
      expect(error).toBeInstanceOf(ServerError);
      expect(failing.sent).toHaveLength(3);

      vi.useRealTimers();
      await new Promise((resolve) => setTimeout(resolve, 0));
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off("unhandledRejection", unhandled);
    }
  });

  test("is not waited for", async () => {
    const { gateway } = gatewayWith([json({ data: { id: 1 } })], {
      hooks: { request: () => new Promise(() => {}) },
    });
    await expect(gateway.invoices.get(1)).resolves.toEqual({ id: 1 });
  });
});

test("a function that the request hook returns is called when that attempt has ended", async () => {
  const ends: unknown[] = [];
  const steps = [
    connectionRefused,
    late(120, status(503)),
    late(80, json({ success: true, data: {} })),
  ];
  const { gateway } = gatewayWith(steps, {
    hooks: {
      request:
        ({ attempt }) =>
        (result) =>
          ends.push({ attempt, ...result }),
    },
  });
  const pending = gateway.merchant.get();
  await vi.advanceTimersByTimeAsync(60_000);
  await pending;
  const end = { aborted: false };
  expect(ends).toEqual([
    { attempt: 1, ...end, status: undefined, error: expect.any(ConnectionError), durationMs: 0 },
    { attempt: 2, ...end, status: 503, error: expect.any(ServerError), durationMs: 120 },
    { attempt: 3, ...end, status: 200, durationMs: 80 },
  ]);
});

test("a function that the request hook returns is called after the caller's own abort", async () => {
  const ends: unknown[] = [];
  const { gateway } = gatewayWith([late(500, json({}))], {
    hooks: { request: () => (result) => ends.push(result) },
  });
  const controller = new AbortController();
  const call = gateway.merchant.get({ signal: controller.signal }).catch((reason) => reason);
  await vi.advanceTimersByTimeAsync(200);
  controller.abort("enough");
  expect(await call).toBe("enough");
  expect(ends).toEqual([{ aborted: true, durationMs: 200 }]);
});

test("a function that the request hook returns never fails a call", async () => {
  const { gateway } = gatewayWith([json({ success: true, data: { name: "Duka" } })], {
    hooks: {
      request: () => () => {
        throw new Error("The tracer is gone.");
      },
    },
  });
  expect(await gateway.merchant.get()).toEqual({ name: "Duka" });
});

test("an observer sees whether a request had a body", async () => {
  const observeExchange = vi.fn();
  const { gateway } = gatewayWith([json({}), json({})], { observer: { observeExchange } });
  await gateway.merchant.get();
  await gateway.request({ method: "POST", path: "/reports", body: 1 });
  expect(observeExchange.mock.calls.map(([{ hasBody }]) => hasBody)).toEqual([false, true]);
});
