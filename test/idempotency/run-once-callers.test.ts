import { getEventListeners } from "node:events";
import { AttemptInFlightError, type IdempotencyStore, OutcomeUnknownError } from "malipo";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../src/idempotency/memory/store.ts";
import { failureOf, gatewayWith, rejection } from "../client/support/gateway.ts";
import { hang, json, late, status } from "../client/support/responses.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const order = { amount: 100, phone: "0712345678" };
const idempotencyKey = "ORDER-42/1";
const success = json({ success: true, data: { reference: "PAY-1" } });

// The first call loads code, which takes real time.
beforeAll(async () => {
  await gatewayWith([success]).gateway.mobileMoney.initiate(order, { idempotencyKey });
});

describe("callers in one process", () => {
  test("share one call, and all get its result", async () => {
    const { gateway, sent } = gatewayWith([late(1_000, success)]);
    const calls = Array.from({ length: 50 }, () =>
      gateway.mobileMoney.initiate(order, { idempotencyKey }),
    );
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await Promise.all(calls)).toEqual(Array(50).fill({ reference: "PAY-1" }));
    expect(sent).toHaveLength(1);
  });

  test("share one failure", async () => {
    const { gateway, sent } = gatewayWith([late(1_000, status(422))]);
    const calls = [1, 2, 3].map(() =>
      rejection(gateway.mobileMoney.initiate(order, { idempotencyKey })),
    );
    await vi.advanceTimersByTimeAsync(1_000);
    for (const error of await Promise.all(calls)) expect(error.outcome).toBe("rejected");
    expect(sent).toHaveLength(1);
  });

  test("share it across gateways that share a store, and not across stores", async () => {
    const idempotency = memoryIdempotency();
    const { gateway, sent } = gatewayWith([late(1_000, success)], { idempotency });
    const other = gatewayWith([success], { idempotency });
    const stranger = gatewayWith([success]);
    const calls = [gateway, other.gateway, stranger.gateway].map(({ mobileMoney }) =>
      mobileMoney.initiate(order, { idempotencyKey }),
    );
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all(calls);
    expect([sent, other.sent, stranger.sent].map(({ length }) => length)).toEqual([1, 0, 1]);
  });

  test("end only their own wait when they abort, with their own reason", async () => {
    const { gateway, sent } = gatewayWith([late(1_000, success)]);
    const controllers = [new AbortController(), new AbortController()];
    const [first, second, third] = [...controllers, undefined].map((controller) =>
      gateway.mobileMoney.initiate(order, { idempotencyKey, signal: controller?.signal }),
    );
    await vi.advanceTimersByTimeAsync(10);
    for (const [i, controller] of controllers.entries()) controller.abort(`caller ${i} left`);
    await expect(first).rejects.toBe("caller 0 left");
    await expect(second).rejects.toBe("caller 1 left");
    await vi.advanceTimersByTimeAsync(1_000);
    await expect(third).resolves.toEqual({ reference: "PAY-1" });
    expect(sent[0]?.init.signal?.aborted).toBe(false);
  });

  test("leave it only once, although they abort and their time runs out", async () => {
    const { gateway, sent } = gatewayWith([late(10_000, success)]);
    const patient = gateway.mobileMoney.initiate(order, { idempotencyKey });
    const controllers = [new AbortController(), new AbortController()];
    const hasty = controllers.map(({ signal }) =>
      rejection(
        gateway.mobileMoney.initiate(order, { idempotencyKey, signal, totalTimeoutMs: 1_000 }),
      ),
    );
    await vi.advanceTimersByTimeAsync(10);
    controllers[0]?.abort("left");
    await vi.advanceTimersByTimeAsync(1_000);
    controllers[1]?.abort("left too");
    expect(await Promise.all(hasty)).toMatchObject(["left", { code: "attempt_in_flight" }]);
    expect(sent[0]?.init.signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await patient).toEqual({ reference: "PAY-1" });
  });

  test.each([
    ["a result", success],
    ["a failure", status(422)],
  ])("leave no timer behind once they have %s, and no listener", async (_, step) => {
    const { gateway } = gatewayWith([step]);
    const { signal } = new AbortController();
    const calls = ["first", "second"].map(() =>
      gateway.mobileMoney.initiate(order, { idempotencyKey, signal }),
    );
    await Promise.allSettled(calls);
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("share a call that began after all callers of the one before had left", async () => {
    const store = memoryIdempotency();
    let letGo = () => {};
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let begins = 0;
    const begin: IdempotencyStore["begin"] = async (...args) => {
      if (++begins === 1) await gate;
      return store.begin(...args);
    };
    const { gateway, sent } = gatewayWith([late(1_000, success)], {
      idempotency: { ...store, begin },
    });
    const controllers = [new AbortController(), new AbortController()];
    const call = (controller?: AbortController) =>
      gateway.mobileMoney.initiate(order, { idempotencyKey, signal: controller?.signal });
    const first = rejection(call(controllers[0]));
    await vi.advanceTimersByTimeAsync(10);
    controllers[0]?.abort("left");
    expect(await first).toBe("left");
    const second = rejection(call(controllers[1]));
    await vi.advanceTimersByTimeAsync(10);
    letGo();
    await vi.advanceTimersByTimeAsync(10);
    const third = call();
    // Until the third call has joined.
    await vi.advanceTimersByTimeAsync(10);
    controllers[1]?.abort("left too");
    expect(await second).toBe("left too");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await third).toEqual({ reference: "PAY-1" });
    expect(sent).toHaveLength(1);
  });

  test("end the call when the last of them aborts, with the outcome unknown", async () => {
    const { gateway, sent } = gatewayWith([hang, success]);
    const controllers = [new AbortController(), new AbortController()];
    const calls = controllers.map(({ signal }) =>
      gateway.mobileMoney.initiate(order, { idempotencyKey, signal }),
    );
    const ends = Promise.allSettled(calls);
    await vi.advanceTimersByTimeAsync(10);
    controllers[0]?.abort("left");
    await vi.advanceTimersByTimeAsync(0);
    expect(sent[0]?.init.signal?.aborted).toBe(false);
    controllers[1]?.abort("left too");
    expect(await ends).toMatchObject([{ reason: "left" }, { reason: "left too" }]);
    expect(sent[0]?.init.signal?.aborted).toBe(true);
    const again = await failureOf(gateway.mobileMoney.initiate(order, { idempotencyKey }));
    expect(again).toBeInstanceOf(OutcomeUnknownError);
    expect(sent).toHaveLength(1);
  });

  test("that come after an abort get the state of the key, not the abort", async () => {
    const store = memoryIdempotency();
    // It is slow to store how the aborted attempt ended.
    const finish: IdempotencyStore["finish"] = async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return store.finish(...args);
    };
    const { gateway, sent } = gatewayWith([hang, success], {
      idempotency: { ...store, finish },
    });
    const controller = new AbortController();
    const { signal } = controller;
    const first = rejection(gateway.mobileMoney.initiate(order, { idempotencyKey, signal }));
    await vi.advanceTimersByTimeAsync(10);
    controller.abort(new RangeError("the first caller left"));
    const second = await failureOf(gateway.mobileMoney.initiate(order, { idempotencyKey }));
    expect(await first).toBeInstanceOf(RangeError);
    expect(second).toBeInstanceOf(OutcomeUnknownError);
    expect(sent).toHaveLength(1);
  });

  test("send nothing if the only caller aborted before, and leave the key free", async () => {
    const { gateway, sent } = gatewayWith([success]);
    const signal = AbortSignal.abort("gone");
    const call = gateway.mobileMoney.initiate(order, { idempotencyKey, signal });
    await expect(call).rejects.toBe("gone");
    expect(sent).toHaveLength(0);
    await gateway.mobileMoney.initiate({ ...order, amount: 7 }, { idempotencyKey });
    expect(sent).toHaveLength(1);
  });

  test("each wait as long as their own time limit", async () => {
    const { gateway } = gatewayWith([late(10_000, success)]);
    const patient = gateway.mobileMoney.initiate(order, { idempotencyKey });
    const hasty = gateway.mobileMoney.initiate(order, { idempotencyKey, totalTimeoutMs: 1_000 });
    const error = await failureOf(hasty);
    expect(error).toBeInstanceOf(AttemptInFlightError);
    expect(error).toMatchObject({ outcome: "unknown", idempotencyKey });
    await expect(patient).resolves.toEqual({ reference: "PAY-1" });
  });
});
