import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { IDS, ROWS } from "../../support/endpoints.ts";
import { gatewayWith, rejection } from "../support/gateway.ts";
import { endless, hang, json, neverResponds, type Step, status } from "../support/responses.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Why a caller aborts is the caller's own affair: any value at all. */
const REASONS: [string, unknown][] = [
  ["an error", new RangeError("the shopper left")],
  ["a text", "the shopper left"],
  ["an object", { left: true }],
  ["null", null],
  ["false", false],
];

/** What a promise has come to so far, with no time passing. */
async function soFar(promise: Promise<unknown>): Promise<unknown> {
  let result: unknown = "pending";
  promise.then(
    (value) => {
      result = { value };
    },
    (reason: unknown) => {
      result = { reason };
    },
  );
  await vi.advanceTimersByTimeAsync(0);
  return result;
}

test.each(REASONS)(
  "an abort before the call rejects with the caller's own reason, and sends nothing: %s",
  async (_, reason) => {
    for (const row of ROWS) {
      const { gateway, sent } = gatewayWith([hang]);
      const result = await soFar(row.call(gateway, IDS, { signal: AbortSignal.abort(reason) }));
      expect(result).toEqual({ reason });
      expect(sent).toHaveLength(0);
    }
  },
);

describe.each([
  ["before an answer", hang],
  ["in the body", endless],
  ["under a fetch that ignores its signal", neverResponds],
] as [string, Step][])("an abort in flight, %s,", (_, step) => {
  test.each(REASONS)("rejects at once with the caller's own reason: %s", async (_, reason) => {
    for (const row of ROWS) {
      // Files share a process: what another one left behind may have set a timer.
      vi.clearAllTimers();
      const { gateway, sent } = gatewayWith([step]);
      const controller = new AbortController();
      const call = row.call(gateway, IDS, { signal: controller.signal });
      expect(await soFar(call)).toBe("pending");
      controller.abort(reason);
      expect(await soFar(call)).toEqual({ reason });
      expect(sent).toHaveLength(1);
      expect(sent[0]?.init.signal?.aborted).toBe(true);
      expect(vi.getTimerCount()).toBe(0);
    }
  });
});

test.each(REASONS)(
  "an abort in a wait rejects at once with the caller's own reason: %s",
  async (_, reason) => {
    const { gateway, sent } = gatewayWith([status(429, { "retry-after": "30" })]);
    const controller = new AbortController();
    const call = gateway.invoices.create({}, { signal: controller.signal });
    expect(await soFar(call)).toBe("pending");
    await vi.advanceTimersByTimeAsync(10_000);
    controller.abort(reason);
    expect(await soFar(call)).toEqual({ reason });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(sent).toHaveLength(1);
  },
);

describe("an abort from within a hook", () => {
  test.each(["request", "response", "retry"] as const)("%s ends the call at once", async (name) => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const { gateway, sent } = gatewayWith([status(503, { "retry-after": "30" })], {
      hooks: { [name]: () => controller.abort(reason) },
    });
    const call = gateway.invoices.get(1, { signal: controller.signal });
    expect(await soFar(call)).toEqual({ reason });
    expect(sent).toHaveLength(name === "request" ? 0 : 1);
  });
});

test("an abort from within the response hook does not hide a definite failure", async () => {
  const controller = new AbortController();
  const { gateway } = gatewayWith([status(404)], {
    hooks: { response: () => controller.abort(new Error("enough")) },
  });
  const call = gateway.invoices.get(1, { signal: controller.signal });
  expect(await soFar(call)).toMatchObject({ reason: { code: "not_found", outcome: "rejected" } });
});

test("an abort without a reason rejects with the platform's AbortError", async () => {
  const { gateway } = gatewayWith([hang]);
  const controller = new AbortController();
  const call = gateway.merchant.get({ signal: controller.signal });
  const failed = expect(call).rejects.toMatchObject({ name: "AbortError" });
  await vi.advanceTimersByTimeAsync(0);
  controller.abort();
  await failed;
});

test("AbortSignal.timeout() rejects with its own TimeoutError, and not with one of ours", async () => {
  vi.useRealTimers();
  const { gateway } = gatewayWith([hang]);
  const signal = AbortSignal.timeout(5);
  const reason = await rejection(gateway.merchant.get({ signal }));
  expect(reason).toBe(signal.reason);
  expect(reason).toBeInstanceOf(DOMException);
});

test("an abort after the answer changes nothing", async () => {
  const { gateway } = gatewayWith([json({ success: true, data: { id: 1 } })]);
  const controller = new AbortController();
  const answered = gateway.invoices.get(1, { signal: controller.signal });
  await expect(answered).resolves.toEqual({ id: 1 });
  controller.abort();
  await expect(answered).resolves.toEqual({ id: 1 });
});
