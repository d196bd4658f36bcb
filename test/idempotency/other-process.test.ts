import {
  AttemptInFlightError,
  IdempotencyConflictError,
  type IdempotencyStore,
  OutcomeUnknownError,
} from "malipo";
import type { BeginResult, NewAttempt } from "malipo/types";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../src/idempotency/memory/store.ts";
import { failureOf, gatewayWith, rejection } from "../client/support/gateway.ts";
import { json, late, neverResponds, type Step, status } from "../client/support/responses.ts";

// A gateway on another object of the same store shares no call with ours, as if it were a
// gateway in another process. test/package has real processes.

// These parts load at their first use, which takes real time: timers that are fake do not wait for it.
beforeAll(() => pay(gatewayWith([json({ success: true, data: { reference: "PAY-0" } })])));
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const order = { amount: 100, phone: "0712345678" };
const idempotencyKey = "ORDER-42/1";
const paid = (reference: string) => json({ success: true, data: { reference } });
const pay = ({ gateway }: ReturnType<typeof gatewayWith>, options = {}) =>
  gateway.mobileMoney.initiate(order, { idempotencyKey, ...options });

/** Another process makes the call now. */
const IN_FLIGHT: BeginResult = {
  state: "in_flight",
  sameParameters: true,
  sameService: true,
  owner: "another",
  ageMs: 1_000,
  leaseLeftMs: 60_000,
};

/** What a call rejects with, and when. */
const failureAt = async (call: Promise<unknown>) => ({
  error: await rejection(call),
  at: Date.now(),
});

/** Two processes on one store, the first of them with a call in flight. */
async function two(steps: Record<"there" | "here", Step>, store = memoryIdempotency()) {
  const there = gatewayWith([steps.there], { idempotency: { ...store } });
  const here = gatewayWith([steps.here], { idempotency: { ...store } });
  const first = pay(there).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1);
  return { there, here, first };
}

test("a call in flight in another process is waited for, and its result is returned", async () => {
  const { here, first } = await two({ there: late(5_000, paid("PAY-1")), here: paid("PAY-2") });
  const second = pay(here);
  await vi.advanceTimersByTimeAsync(7_000);
  expect(await second).toEqual({ reference: "PAY-1" });
  expect(await first).toEqual({ reference: "PAY-1" });
  expect(here.sent).toHaveLength(0);
});

test("a call that waits for another process says after 5 s for whom it waits, once", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  // The process has run for a while: its clock is not at 0.
  await vi.advanceTimersByTimeAsync(60_000);
  const { here, first } = await two({ there: late(14_000, paid("PAY-1")), here: paid("PAY-2") });
  const second = pay(here);
  await vi.advanceTimersByTimeAsync(4_900);
  expect(warn).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await second).toEqual({ reference: "PAY-1" });
  await first;
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/waits for the attempt \S+ of another process .* "ORDER-42\/1"/)],
  ]);
  warn.mockRestore();
});

test("a call that was rejected in another process is made here", async () => {
  const { here } = await two({ there: late(5_000, status(422)), here: paid("PAY-2") });
  const second = pay(here);
  await vi.advanceTimersByTimeAsync(7_000);
  expect(await second).toEqual({ reference: "PAY-2" });
});

test("a call that becomes unknown in another process is unknown here and not made", async () => {
  const { here } = await two({ there: late(5_000, status(500)), here: paid("PAY-2") });
  expect(await failureOf(pay(here))).toBeInstanceOf(OutcomeUnknownError);
  expect(here.sent).toHaveLength(0);
});

test("a call in flight in another process with other parameters is a conflict at once", async () => {
  const { here } = await two({ there: neverResponds, here: paid("PAY-2") });
  const call = here.gateway.mobileMoney.initiate({ ...order, amount: 7 }, { idempotencyKey });
  expect(await rejection(call)).toBeInstanceOf(IdempotencyConflictError);
});

test("the wait for a call in another process ends at totalTimeoutMs, with the outcome unknown", async () => {
  const { here } = await two({ there: late(5_000, paid("PAY-1")), here: paid("PAY-2") });
  const error = await failureOf(pay(here, { totalTimeoutMs: 1_000 }));
  expect(error).toBeInstanceOf(AttemptInFlightError);
  expect(error).toMatchObject({ code: "attempt_in_flight", outcome: "unknown", idempotencyKey });
  expect(await pay(here)).toEqual({ reference: "PAY-1" });
  expect(here.sent).toHaveLength(0);
});

test.each([0, 1_000])(
  "the wait for a call in another process ends at idempotencyWaitMs (%i), and says who holds the key",
  async (idempotencyWaitMs) => {
    const { here, there } = await two({ there: late(5_000, paid("PAY-1")), here: paid("PAY-2") });
    const begun = Date.now();
    const ended = failureAt(pay(here, { idempotencyWaitMs }));
    await vi.advanceTimersByTimeAsync(1_500);
    const { error, at } = await ended;
    expect(error).toBeInstanceOf(AttemptInFlightError);
    const { items } = await there.gateway.idempotency.list({ state: "in_flight" });
    expect(error).toMatchObject({ outcome: "unknown", attempt: items[0]?.attempt });
    expect(at - begun).toBe(idempotencyWaitMs);
    const { since, until } = error as AttemptInFlightError;
    expect(since.getTime()).toBe(begun - 1);
    expect(until.getTime() - since.getTime()).toBe(70_000);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await pay(here)).toEqual({ reference: "PAY-1" });
  },
);

test("idempotencyWaitMs does not limit the caller's own attempt", async () => {
  const here = gatewayWith([late(5_000, paid("PAY-1"))]);
  const call = pay(here, { idempotencyWaitMs: 0 });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await call).toEqual({ reference: "PAY-1" });
});

test("a second click in this process does not wait either with idempotencyWaitMs: 0", async () => {
  const here = gatewayWith([late(5_000, paid("PAY-1"))]);
  const first = pay(here);
  await vi.advanceTimersByTimeAsync(10);
  expect(await rejection(pay(here, { idempotencyWaitMs: 0 }))).toMatchObject({
    code: "attempt_in_flight",
  });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await first).toEqual({ reference: "PAY-1" });
});

test("an abort ends the wait for a call in another process, and not that call", async () => {
  const { here, first } = await two({ there: late(5_000, paid("PAY-1")), here: paid("PAY-2") });
  const controller = new AbortController();
  const second = rejection(pay(here, { signal: controller.signal }));
  await vi.advanceTimersByTimeAsync(100);
  controller.abort("gone");
  expect(await second).toBe("gone");
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await first).toEqual({ reference: "PAY-1" });
});

test("a call in flight in another process is polled less and less often, at last about once a second", async () => {
  const asked: number[] = [];
  const { gateway } = gatewayWith([paid("PAY-2")], {
    idempotency: {
      ...memoryIdempotency(),
      begin: async () => {
        asked.push(Date.now());
        return IN_FLIGHT;
      },
    },
  });
  const call = gateway.mobileMoney.initiate(order, { idempotencyKey, totalTimeoutMs: 20_000 });
  await failureOf(call);
  const waits = asked.slice(1).map((at, i) => at - (asked[i] ?? 0));
  expect(waits.length).toBeGreaterThan(15);
  for (const [i, wait] of waits.entries()) {
    // Up to a quarter longer, so that many callers do not poll at the same time.
    const least = Math.min(1_000, 50 * 1.5 ** i);
    expect(wait).toBeGreaterThanOrEqual(Math.floor(least));
    expect(wait).toBeLessThanOrEqual(Math.ceil(least * 1.25));
  }
});

test("a key that begins here after its caller left is free again", async () => {
  const ends: string[] = [];
  let begins = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const here = gatewayWith([paid("PAY-2")], {
    idempotency: {
      ...memoryIdempotency(),
      begin: async () => {
        if (++begins === 1) return IN_FLIGHT;
        await released;
        return { state: "begun" };
      },
      finish: async (_, __, { state }) => void ends.push(state),
      forget: async () => void ends.push("free"),
    },
  });
  const controller = new AbortController();
  const call = rejection(pay(here, { signal: controller.signal }));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begins).toBe(2);
  controller.abort("gone");
  expect(await call).toBe("gone");
  release();
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toEqual(["free"]);
  expect(here.sent).toHaveLength(0);
});

const KEY = `POST /mobile-money/payment/initiate ${idempotencyKey}`;
const ABSENT: NewAttempt = {
  parameters: "",
  owner: "absent",
  leaseMs: 60_000,
  endpoint: "POST /mobile-money/payment/initiate",
  idempotencyKey,
  baseUrl: "",
};

test("an attempt that is never finished is unknown 10 s after its totalTimeoutMs", async () => {
  const store = memoryIdempotency();
  const dead: IdempotencyStore = { ...store, finish: async () => {}, forget: async () => {} };
  const there = gatewayWith([neverResponds], { idempotency: dead });
  const here = gatewayWith([paid("PAY-2")], { idempotency: store });
  const first = rejection(pay(there, { totalTimeoutMs: 20_000 }));
  await vi.advanceTimersByTimeAsync(29_990);
  expect(await first).toMatchObject({ outcome: "unknown" });
  const early = await store.begin(KEY, ABSENT);
  expect(early.state).toBe("in_flight");
  await vi.advanceTimersByTimeAsync(10);
  expect(await rejection(pay(here))).toBeInstanceOf(OutcomeUnknownError);
  expect(here.sent).toHaveLength(0);
});
