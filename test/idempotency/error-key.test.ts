import type { Gateway } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../src/idempotency/memory/store.ts";
import { failureOf, gatewayWith, rejection } from "../client/support/gateway.ts";
import {
  connectionRefused,
  html,
  json,
  neverResponds,
  reset,
  type Step,
  status,
} from "../client/support/responses.ts";
import { ORDER } from "../client/support/shop.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const idempotencyKey = "ORDER-42/1";
const paid = json({ success: true, data: { reference: "PAY-1", status: "pending" } });
const pay = (gateway: Gateway, options: object = {}) =>
  failureOf(gateway.mobileMoney.initiate(ORDER, { idempotencyKey, ...options }));
const down = () => Promise.reject(new Error("down"));

// biome-ignore format: a table is read across
const ENDED: readonly [name: string, step: Step, outcome: string, key: string][] = [
  ["was rejected with 422", status(422), "rejected", "free"],
  ["was rejected with 429", status(429), "rejected", "free"],
  ["could not connect", connectionRefused, "not_sent", "free"],
  ["was reset", reset, "unknown", "taken"],
  ["got a 500", status(500), "unknown", "taken"],
  ["got no response in time", neverResponds, "unknown", "taken"],
  ["got a response that cannot be read", html(), "unknown", "taken"],
];

describe("an error says what is known of its key", () => {
  test.each(ENDED)("after a call that %s", async (_, step, outcome, key) => {
    const { gateway } = gatewayWith([step]);
    expect(await pay(gateway)).toMatchObject({ outcome, key });
    const { state } = await gateway.idempotency.get(idempotencyKey);
    expect(state).toBe(key === "free" ? "free" : "unknown");
  });

  test.each(ENDED)("and nothing without a key, after a call that %s", async (_, step, outcome) => {
    const { gateway } = gatewayWith([step]);
    const error = await pay(gateway, { idempotencyKey: undefined });
    expect([error.outcome, error.key]).toEqual([outcome, undefined]);
  });

  test("if the store fails: unlike after a refused connection, it is not known", async () => {
    const idempotency = { ...memoryIdempotency(), begin: down };
    const { gateway } = gatewayWith([paid], { idempotency });
    const error = await pay(gateway);
    expect(error).toMatchObject({ code: "connection", outcome: "not_sent", key: "unknown" });
  });

  test("if the store never answers", async () => {
    const idempotency = { ...memoryIdempotency(), begin: () => new Promise<never>(() => {}) };
    const { gateway } = gatewayWith([paid], { idempotency });
    const error = await pay(gateway);
    expect(error).toMatchObject({ code: "timeout", outcome: "not_sent", key: "unknown" });
  });

  test("if nothing was sent and the store could not free the key", async () => {
    const idempotency = { ...memoryIdempotency(), forget: down };
    const { gateway } = gatewayWith([connectionRefused], { idempotency });
    expect(await pay(gateway)).toMatchObject({ outcome: "not_sent", key: "unknown" });
  });

  test("if the key belongs to other parameters: an earlier call may have been paid", async () => {
    const { gateway } = gatewayWith([paid]);
    await gateway.mobileMoney.initiate({ ...ORDER, amount: 7 }, { idempotencyKey });
    const error = await pay(gateway);
    expect(error).toMatchObject({
      code: "idempotency_conflict",
      outcome: "not_sent",
      key: "taken",
    });
  });

  test("if an earlier attempt may have happened", async () => {
    const { gateway } = gatewayWith([reset]);
    await pay(gateway);
    expect(await pay(gateway)).toMatchObject({ code: "outcome_unknown", key: "taken" });
  });

  test("if another call makes an attempt", async () => {
    const idempotency = memoryIdempotency();
    const { gateway } = gatewayWith([neverResponds], { idempotency });
    const first = gateway.mobileMoney.initiate(ORDER, { idempotencyKey }).catch(() => {});
    await vi.advanceTimersByTimeAsync(10);
    const other = gatewayWith([paid], { idempotency }).gateway;
    const error = other.mobileMoney
      .initiate(ORDER, { idempotencyKey, idempotencyWaitMs: 0 })
      .catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(10);
    expect(await error).toMatchObject({ code: "attempt_in_flight", key: "taken" });
    await vi.advanceTimersByTimeAsync(60_000);
    await first;
  });

  test("if the machine slept past the lease: another attempt may have begun since", async () => {
    const store = memoryIdempotency();
    const idempotency = {
      ...store,
      begin: async (...args: Parameters<typeof store.begin>) => {
        const found = await store.begin(...args);
        vi.setSystemTime(Date.now() + 600_000);
        return found;
      },
    };
    const { gateway } = gatewayWith([paid], { idempotency });
    expect(await pay(gateway)).toMatchObject({
      code: "timeout",
      outcome: "not_sent",
      key: "unknown",
    });
  });

  test("if sendBefore is over: it is free", async () => {
    const { gateway } = gatewayWith([paid]);
    expect(await pay(gateway, { sendBefore: 0 })).toMatchObject({ code: "timeout", key: "free" });
  });

  test("if the call is wrong: the store was not asked", async () => {
    const { gateway } = gatewayWith([paid]);
    for (const options of [{ maxRetries: -1 }, { idempotencyWaitMs: -1 }]) {
      expect(await pay(gateway, options)).toMatchObject({ code: "configuration", key: "unknown" });
    }
    const wrong = gateway.mobileMoney.initiate({ ...ORDER, amount: -1 }, { idempotencyKey });
    expect(await failureOf(wrong)).toMatchObject({ code: "invalid_params", key: "unknown" });
  });

  test("if collect has started the payment, and its wait ends", async () => {
    vi.useRealTimers();
    const pending = json({ data: { reference: "PAY-1", status: "pending" } });
    const { gateway } = gatewayWith([pending, pending, pending, pending, pending, pending]);
    const call = (options: object) =>
      rejection(gateway.mobileMoney.collect(ORDER, { waitMs: 100, ...options }));
    expect(await call({ idempotencyKey })).toMatchObject({ code: "payment_pending", key: "taken" });
    expect((await call({})).key).toBeUndefined();
  });

  test("if nothing can be resolved", async () => {
    const { gateway } = gatewayWith([reset]);
    const resolve = () => rejection(gateway.idempotency.resolve(idempotencyKey, "PAY-1"));
    expect(await resolve()).toMatchObject({ code: "idempotency_conflict", key: "free" });
    await pay(gateway);
    await gateway.idempotency.resolve(idempotencyKey, "PAY-7");
    expect(await resolve()).toMatchObject({ code: "idempotency_conflict", key: "taken" });
  });
});
