import { type Gateway, RateLimitError, TimeoutError } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../../src/idempotency/memory/store.ts";
import { IDS, ROWS } from "../../support/endpoints.ts";
import { failureOf, gatewayOn, gatewayWith, rejection } from "../support/gateway.ts";
import { connectionRefused, json, neverResponds, type Step, status } from "../support/responses.ts";
import { ORDER } from "../support/shop.ts";

const idempotencyKey = "ORDER-42/1";
const success = { success: true, data: { reference: "PAY-1", status: "completed" } };
const paid = json(success);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const soon = (ms: number) => Date.now() + ms;
const initiate = (gateway: Gateway, options: object) =>
  gateway.mobileMoney.initiate(ORDER, options);
const keyState = async (gateway: Gateway) => (await gateway.idempotency.get(idempotencyKey)).state;

describe.each(
  ROWS.filter(({ effect }) => effect === "create").map((row) => [row.name, row] as const),
)("%s with sendBefore", (_, row) => {
  test.each([{}, { idempotencyKey }])("is sent while there is time, with %j", async (options) => {
    const { gateway, sent } = gatewayWith([paid]);
    await row.call(gateway, IDS, { ...options, sendBefore: new Date(soon(60_000)) });
    expect(sent).toHaveLength(1);
  });

  test.each([{}, { idempotencyKey }])("is never sent from then on, with %j", async (options) => {
    const { gateway, sent } = gatewayWith([paid]);
    const error = await failureOf(row.call(gateway, IDS, { ...options, sendBefore: soon(0) }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ code: "timeout", outcome: "not_sent", timeoutMs: 0 });
    expect(sent).toHaveLength(0);
  });
});

test("the error names the time, and the key is free again", async () => {
  const { gateway, sent } = gatewayWith([paid]);
  const sendBefore = new Date(Date.UTC(2026, 0, 2, 3, 4, 5));
  const error = await failureOf(initiate(gateway, { idempotencyKey, sendBefore }));
  expect(error.message).toBe(
    "POST /mobile-money/payment/initiate: it could not be sent before 2026-01-02T03:04:05.000Z (`sendBefore`). Nothing was sent. You can send it again.",
  );
  expect(await keyState(gateway)).toBe("free");
  await initiate(gateway, { idempotencyKey, sendBefore: soon(60_000) });
  expect(sent).toHaveLength(1);
});

describe("a call that is delayed until its time is over sends nothing", () => {
  /** A gateway whose clocks move after the call was made, right before its attempt. */
  async function payWith(clocks: { wallMs: number; monotonicMs: number }) {
    vi.useRealTimers();
    let [wall, monotonic] = [0, 0];
    // Whole numbers, so that no sum of them is rounded.
    const [realNow, realPerformance] = [Date.now(), Math.floor(performance.now())];
    vi.spyOn(Date, "now").mockImplementation(() => realNow + wall);
    vi.spyOn(performance, "now").mockImplementation(() => realPerformance + monotonic);
    let sent = 0;
    const gateway = gatewayOn(
      async () => {
        sent++;
        return Response.json(success);
      },
      {
        hooks: {
          request: () => {
            [wall, monotonic] = [clocks.wallMs, clocks.monotonicMs];
          },
        },
      },
    );
    const options = { idempotencyKey, sendBefore: realNow + 10_000 };
    const result = await initiate(gateway, options).catch((error: unknown) => error);
    return { result, sent, state: await keyState(gateway) };
  }

  test.each([
    ["by the wall clock", { wallMs: 10_000, monotonicMs: 0 }],
    ["by the monotonic clock", { wallMs: 0, monotonicMs: 10_000 }],
    ["by the monotonic clock, the wall clock set back", { wallMs: -900, monotonicMs: 10_000 }],
  ])("%s", async (_, clocks) => {
    const { result, sent, state } = await payWith(clocks);
    expect(result).toMatchObject({ code: "timeout", outcome: "not_sent" });
    expect([sent, state]).toEqual([0, "free"]);
  });

  test("and one that is a moment earlier is sent", async () => {
    const { result, sent, state } = await payWith({ wallMs: 9_999, monotonicMs: 9_999 });
    expect(result).toMatchObject({ reference: "PAY-1" });
    expect([sent, state]).toEqual([1, "succeeded"]);
  });

  test("also if the store took the time", async () => {
    const store = memoryIdempotency();
    const idempotency = {
      ...store,
      begin: async (...args: Parameters<typeof store.begin>) => {
        vi.advanceTimersByTime(10_000);
        return store.begin(...args);
      },
    };
    const { gateway, sent } = gatewayWith([paid], { idempotency });
    const call = initiate(gateway, { idempotencyKey, sendBefore: soon(10_000) });
    expect(await rejection(call)).toMatchObject({ code: "timeout", outcome: "not_sent" });
    expect(sent).toHaveLength(0);
    expect(await keyState(gateway)).toBe("free");
  });
});

describe("a retry that would come too late is not waited for", () => {
  const limited: Step = status(429, { "retry-after": "20" });

  test.each([{}, { idempotencyKey }])("after a 429, with %j", async (options) => {
    const { gateway, sent } = gatewayWith([limited, paid]);
    const error = await rejection(initiate(gateway, { ...options, sendBefore: soon(20_000) }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ outcome: "rejected", retryAfterMs: 20_000 });
    expect(sent).toHaveLength(1);
    expect(await keyState(gateway)).toBe("free");
  });

  test("and one that comes in time is sent", async () => {
    const { gateway, sent } = gatewayWith([limited, paid]);
    const call = initiate(gateway, { idempotencyKey, sendBefore: soon(20_500) });
    await vi.advanceTimersByTimeAsync(20_200);
    await call;
    expect(sent).toHaveLength(2);
  });

  test("and one that came late nevertheless is not sent: the machine slept", async () => {
    const { gateway, sent } = gatewayWith([limited, paid]);
    const call = rejection(initiate(gateway, { idempotencyKey, sendBefore: soon(21_000) }));
    await vi.advanceTimersByTimeAsync(10_000);
    vi.setSystemTime(Date.now() + 15_000);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await call).toMatchObject({ code: "timeout", outcome: "rejected" });
    expect(sent).toHaveLength(1);
    expect(await keyState(gateway)).toBe("free");
  });

  test("after a refused connection, with the outcome not_sent", async () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    const { gateway, sent } = gatewayWith([connectionRefused, paid]);
    const error = await rejection(initiate(gateway, { idempotencyKey, sendBefore: soon(250) }));
    expect(error).toMatchObject({ code: "connection", outcome: "not_sent" });
    expect(sent).toHaveLength(1);
  });
});

test("an attempt that was sent in time is not ended by sendBefore", async () => {
  const { gateway } = gatewayWith([neverResponds]);
  const options = { idempotencyKey, sendBefore: soon(100), timeoutMs: 5_000 };
  const error = await failureOf(initiate(gateway, options));
  expect(error).toMatchObject({ code: "timeout", outcome: "unknown", timeoutMs: 5_000 });
});

test("a call with a used key returns its first result, however late it is", async () => {
  const { gateway, sent } = gatewayWith([paid]);
  await initiate(gateway, { idempotencyKey });
  const again = await initiate(gateway, { idempotencyKey, sendBefore: 0 });
  expect(again.reference).toBe("PAY-1");
  expect(sent).toHaveLength(1);
});

test("collect sends no prompt after sendBefore", async () => {
  const { gateway, sent } = gatewayWith([paid]);
  for (const options of [{}, { idempotencyKey }]) {
    const call = gateway.mobileMoney.collect(ORDER, { ...options, sendBefore: soon(-1) });
    expect(await failureOf(call)).toMatchObject({ code: "timeout", outcome: "not_sent" });
  }
  expect(sent).toHaveLength(0);
});

test.each([new Date("x"), Number.NaN, Number.POSITIVE_INFINITY, 9e15, "2026-01-01", null, {}])(
  "sendBefore %j is rejected, and nothing is sent",
  async (sendBefore) => {
    const { gateway, sent } = gatewayWith([paid]);
    const error = await rejection(initiate(gateway, { sendBefore }));
    expect(error).toMatchObject({
      code: "configuration",
      message: expect.stringContaining("`sendBefore` must be a valid Date or a number of"),
    });
    expect(sent).toHaveLength(0);
  },
);

test("a read has no sendBefore", async () => {
  const { gateway } = gatewayWith([paid]);
  const options = { sendBefore: soon(60_000) } as object;
  const error = await rejection(gateway.payments.get("PAY-1", options));
  expect(error).toMatchObject({ code: "configuration" });
});
