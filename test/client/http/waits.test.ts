import { RateLimitError, ServerError, TimeoutError } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { failureOf, gatewayWith } from "../support/gateway.ts";
import {
  connectionRefused,
  endless,
  hang,
  json,
  neverResponds,
  type Step,
  status,
} from "../support/responses.ts";

const START = Date.parse("2026-01-01T09:00:00Z");
const inSeconds = (seconds: number) => new Date(START + seconds * 1_000).toUTCString();
const answer = json({ success: true, data: { id: 1 } });

beforeEach(() => {
  vi.useFakeTimers({ now: START });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The moments of a call's attempts, in milliseconds from its start. */
function timed(steps: readonly Step[]) {
  const at: number[] = [];
  const met = gatewayWith(
    steps.map((step) => (attempt) => {
      at.push(Date.now() - START);
      return step(attempt);
    }),
  );
  return { ...met, at };
}

describe("Retry-After", () => {
  test.each([
    ["seconds", "7", 7_000],
    ["a date", inSeconds(7), 7_000],
    ["0", "0", 0],
    ["a date gone by", inSeconds(-60), 0],
  ])("given as %s is waited for, to the millisecond", async (_, value, ms) => {
    for (const code of [429, 503, 408, 500]) {
      vi.setSystemTime(START);
      const { gateway, at } = timed([status(code, { "retry-after": value }), answer]);
      const answered = gateway.invoices.get(1);
      await vi.advanceTimersByTimeAsync(ms === 0 ? 1 : ms - 1);
      expect(at).toHaveLength(ms === 0 ? 2 : 1);
      await vi.advanceTimersByTimeAsync(1);
      await expect(answered).resolves.toEqual({ id: 1 });
      expect(at).toEqual([0, ms]);
    }
  });

  test.each(["soon", "-5", "1e9", ""])(
    "that says nothing (%j) leaves it to the backoff",
    async (value) => {
      const { gateway, sent } = gatewayWith([status(429, { "retry-after": value }), answer]);
      const answered = gateway.invoices.get(1);
      await vi.advanceTimersByTimeAsync(250);
      await expect(answered).resolves.toEqual({ id: 1 });
      expect(sent).toHaveLength(2);
    },
  );

  test.each([
    ["seconds", "61", 61_000],
    ["a date", inSeconds(3_600), 3_600_000],
    ["more seconds than there are", "9".repeat(400), 8.64e15],
  ])("past totalTimeoutMs, given as %s, fails the call at once", async (_, value, retryAfterMs) => {
    const { gateway, sent } = gatewayWith([status(429, { "retry-after": value })]);
    const error = await gateway.invoices.get(1).catch((error: unknown) => error);
    expect(Date.now()).toBe(START);
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs, outcome: "rejected" });
    expect(sent).toHaveLength(1);
  });

  test("past what is left of totalTimeoutMs fails the call at once, for a create and a 503 too", async () => {
    const late = { "retry-after": "6" };
    const create = timed([status(429, late), status(429, late)]);
    const order = { amount: 100, phone: "0712345678" };
    const prompted = create.gateway.mobileMoney.initiate(order, { totalTimeoutMs: 10_000 });
    const failed = expect(prompted).rejects.toMatchObject({ retryAfterMs: 6_000 });
    await vi.advanceTimersByTimeAsync(6_000);
    await failed;
    expect(create.at).toEqual([0, 6_000]);

    const read = gatewayWith([status(503, late)]);
    const error = await read.gateway.merchant
      .get({ totalTimeoutMs: 6_000 })
      .catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ retryAfterMs: 6_000 });
  });

  test("is reported if no attempt is left", async () => {
    const { gateway } = gatewayWith([status(429, { "retry-after": "2" })], { maxRetries: 0 });
    await expect(gateway.invoices.get(1)).rejects.toMatchObject({ retryAfterMs: 2_000 });
  });
});

describe("a time limit", () => {
  const SLOW: [string, Step][] = [
    ["the answer does not come", hang],
    ["the body does not end", endless],
    ["fetch ignores its signal", neverResponds],
  ];

  test.each(SLOW)("timeoutMs ends an attempt if %s", async (_, step) => {
    const { gateway, sent } = gatewayWith([step]);
    const call = gateway.invoices.create({}, { timeoutMs: 5_000 });
    const failed = expect(call).rejects.toMatchObject({
      code: "timeout",
      outcome: "unknown",
      timeoutMs: 5_000,
      message: expect.stringContaining("timeoutMs (5000 ms)"),
    });
    await vi.advanceTimersByTimeAsync(4_999);
    expect(sent[0]?.init.signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await failed;
    expect(sent[0]?.init.signal?.aborted).toBe(true);
    expect(sent).toHaveLength(1);
  });

  test.each(SLOW)("totalTimeoutMs ends a whole call if %s", async (_, step) => {
    const { gateway, at } = timed([step]);
    const limits = { timeoutMs: 4_000, totalTimeoutMs: 10_000, maxRetries: 9 };
    let ended: unknown;
    gateway.invoices.get(1, limits).catch((error: unknown) => {
      ended = error;
    });
    await vi.advanceTimersByTimeAsync(9_999);
    expect(ended).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toBeInstanceOf(TimeoutError);
    expect(ended).toMatchObject({
      timeoutMs: 10_000,
      outcome: "unknown",
      message: expect.stringContaining("totalTimeoutMs (10000 ms)"),
    });
    expect(at).toHaveLength(3);
  });

  test("is 15 s for an attempt and 60 s for a call, unless set", async () => {
    const attempt = gatewayWith([hang]);
    expect(await failureOf(attempt.gateway.invoices.create({}))).toMatchObject({
      timeoutMs: 15_000,
    });
    const call = gatewayWith([hang], { maxRetries: 99 });
    expect(await failureOf(call.gateway.invoices.get(1))).toMatchObject({ timeoutMs: 60_000 });
  });

  test("of the gateway holds for each call, and a call's own comes before it", async () => {
    const options = { timeoutMs: 3_000, totalTimeoutMs: 9_000, maxRetries: 0 };
    const { gateway } = gatewayWith([hang], options);
    expect(await failureOf(gateway.merchant.get())).toMatchObject({ timeoutMs: 3_000 });
    const own = gateway.merchant.get({ timeoutMs: 20, totalTimeoutMs: 9_000 });
    expect(await failureOf(own)).toMatchObject({ timeoutMs: 20 });
    expect(await failureOf(gateway.merchant.get({ totalTimeoutMs: 10 }))).toMatchObject({
      timeoutMs: 10,
    });
  });

  test("lets no wait begin that the call would not outlive", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.99);
    const { gateway, at } = timed([connectionRefused]);
    const error = await failureOf(gateway.merchant.get({ totalTimeoutMs: 200 }));
    expect(error).toMatchObject({ code: "connection", outcome: "not_sent" });
    expect(at).toEqual([0]);
  });

  test("leaves no timer behind", async () => {
    const { gateway } = gatewayWith([status(500), answer]);
    const answered = gateway.merchant.get();
    await vi.advanceTimersByTimeAsync(1_000);
    await answered;
    expect(vi.getTimerCount()).toBe(0);
  });
});
