import { PaymentPendingError } from "malipo";
import type { Sandbox } from "malipo/sandbox";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../../src/idempotency/memory/store.ts";
import { rejection } from "../support/gateway.ts";
import { createShop, lookSoon, ORDER, once, PHONE } from "../support/shop.ts";

const KEY = { idempotencyKey: "ORDER-42/1" };

let sandbox: Sandbox;
let { shop, ledger, approving } = createShop();
// These parts load at their first use, which takes real time: timers that are fake do not wait for it.
beforeAll(async () => {
  const { mobileMoney } = shop().gateway;
  await mobileMoney.initiate(ORDER);
  await rejection(mobileMoney.collect(ORDER, { signal: AbortSignal.abort() }));
});
beforeEach(() => {
  ({ sandbox, shop, ledger, approving } = createShop());
});
afterEach(() => {
  vi.useRealTimers();
});

describe("collect", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  test("prompts once, waits, and resolves with the payment", async () => {
    const { gateway, prompts, reads } = shop();
    const collecting = gateway.mobileMoney.collect(ORDER, approving());
    await vi.advanceTimersByTimeAsync(3_000);
    await expect(collecting).resolves.toMatchObject({
      status: "completed",
      amount: "100.00",
      account_reference: "ORDER-42",
      transaction_id: expect.any(String),
    });
    expect([prompts(), reads()]).toEqual([1, 2]);
  });

  test("resolves with a payment that failed and its message for the customer", async () => {
    const { gateway } = shop();
    const onUpdate = once(() => sandbox.phone(PHONE).cancel());
    const collecting = gateway.mobileMoney.collect(ORDER, { onUpdate });
    await vi.advanceTimersByTimeAsync(3_000);
    await expect(collecting).resolves.toMatchObject({
      status: "failed",
      user_message: expect.any(String),
      retry_possible: true,
    });
  });

  test("rejects at the time limit with the reference of the payment", async () => {
    const { gateway, prompts } = shop();
    const failed = rejection(gateway.mobileMoney.collect(ORDER, { waitMs: 20_000 }));
    await vi.advanceTimersByTimeAsync(20_000);
    const error = (await failed) as PaymentPendingError;
    expect(error).toBeInstanceOf(PaymentPendingError);
    expect(error).toMatchObject({
      outcome: "unknown",
      reference: expect.stringMatching(/./),
      payment: { status: "pending", amount: "100.00" },
      message: expect.stringContaining("is pending after 20000 ms"),
    });
    expect(error.cause).toBeUndefined();
    sandbox.phone(PHONE).approve();
    await expect(gateway.payments.waitFor(error.reference)).resolves.toMatchObject({
      status: "completed",
    });
    expect(prompts()).toBe(1);
  });

  test("counts the start towards its time limit", async () => {
    sandbox.faults.add({ match: { method: "POST" }, effect: { kind: "hang" } });
    const { gateway, prompts } = shop();
    const failed = rejection(gateway.mobileMoney.collect(ORDER, { waitMs: 4_000 }));
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await failed).toMatchObject({ code: "timeout", outcome: "unknown", timeoutMs: 4_000 });
    expect(prompts()).toBe(1);

    const slow = shop({
      fetch: async (url, init) => {
        if (init.method === "POST") await new Promise((resolve) => setTimeout(resolve, 3_000));
        return sandbox.fetch(url, init);
      },
    });
    const late = rejection(slow.gateway.mobileMoney.collect(ORDER, { waitMs: 4_000 }));
    await vi.advanceTimersByTimeAsync(4_000);
    expect(vi.getTimerCount()).toBe(0);
    expect(await late).toMatchObject({ code: "payment_pending" });
  });

  test("goes on after failed reads and prompts only once", async () => {
    const match = { method: "GET" };
    sandbox.faults.add({ match, effect: { kind: "status", status: 404 } });
    sandbox.faults.add({ match, effect: { kind: "status", status: 500 } });
    sandbox.faults.add({ match, effect: { kind: "reset" } });
    const { gateway, prompts } = shop();
    const collecting = gateway.mobileMoney.collect(ORDER, approving());
    await vi.advanceTimersByTimeAsync(20_000);
    await expect(collecting).resolves.toMatchObject({ status: "completed" });
    expect(prompts()).toBe(1);
  });
});

describe("with an idempotency key", () => {
  test("simultaneous and later clicks make one prompt and one payment", async () => {
    const { gateway, prompts } = shop();
    const options = { ...KEY, ...approving(), wake: lookSoon };
    const clicks = [0, 1, 2].map(() => gateway.mobileMoney.collect(ORDER, options));
    const payments = await Promise.all(clicks);
    payments.push(await gateway.mobileMoney.collect(ORDER, KEY));
    expect(new Set(payments.map(({ reference }) => reference)).size).toBe(1);
    expect(new Set(payments.map(({ status }) => status))).toEqual(new Set(["completed"]));
    expect(prompts()).toBe(1);
  });

  test("a collect after a time limit waits for the payment of the first one", async () => {
    const { gateway, prompts } = shop();
    const failed = rejection(gateway.mobileMoney.collect(ORDER, { ...KEY, waitMs: 50 }));
    const { reference } = (await failed) as PaymentPendingError;
    const again = gateway.mobileMoney.collect(ORDER, { ...KEY, ...approving(), wake: lookSoon });
    await expect(again).resolves.toMatchObject({ reference, status: "completed" });
    expect(prompts()).toBe(1);
  });

  test("other parameters are a conflict, and nothing is sent", async () => {
    const { gateway, prompts } = shop();
    await rejection(gateway.mobileMoney.collect(ORDER, { ...KEY, waitMs: 50 }));
    const other = gateway.mobileMoney.collect({ ...ORDER, amount: 101 }, KEY);
    await expect(other).rejects.toMatchObject({
      code: "idempotency_conflict",
      outcome: "not_sent",
    });
    expect(prompts()).toBe(1);
  });

  test("a start whose response was lost is never repeated, and its payment is found in the list", async () => {
    sandbox.faults.add({ match: { method: "POST" }, effect: { kind: "lostResponse" } });
    const { gateway, prompts } = shop();
    const onStarted = vi.fn();
    const options = { ...KEY, ...approving(), wake: lookSoon, onStarted };
    const payment = await gateway.mobileMoney.collect(ORDER, options);
    expect(payment).toMatchObject({ status: "completed", account_reference: "ORDER-42" });
    expect(onStarted.mock.calls).toEqual([[payment.reference]]);
    expect(prompts()).toBe(1);
    expect(await ledger()).toHaveLength(1);
  });

  test("a start that was lost is looked for only among the attempts of its account reference", async () => {
    sandbox.faults.add({ match: { method: "POST" }, effect: { kind: "lostResponse" } });
    const idempotency = memoryIdempotency();
    const list = vi.spyOn(idempotency, "list");
    const { gateway } = shop({ idempotency });
    await gateway.mobileMoney.collect(ORDER, { ...KEY, ...approving(), wake: lookSoon });
    const accountReference = idempotency.digest(ORDER.account_reference);
    expect(list).toHaveBeenCalled();
    for (const [query] of list.mock.calls) {
      expect(query).toMatchObject({ digests: { accountReference } });
    }
  });

  test("a start that was lost is looked for until its request cannot be on its way, then it is unknown", async () => {
    vi.useFakeTimers();
    sandbox.faults.add({ match: { method: "POST" }, effect: { kind: "reset" } });
    const { gateway, prompts } = shop();
    let ended = 0;
    const started = Date.now();
    const options = { ...KEY, waitMs: 300_000 };
    const failed = rejection(gateway.mobileMoney.collect(ORDER, options)).finally(() => {
      ended = Date.now() - started;
    });
    await vi.advanceTimersByTimeAsync(300_000);
    expect(await failed).toMatchObject({ code: "connection", outcome: "unknown" });
    expect(ended).toBeGreaterThanOrEqual(75_000);
    expect(ended).toBeLessThan(120_000);
    expect(prompts()).toBe(1);
  });

  test("a start that was lost ends with its error at the time limit, and is never repeated", async () => {
    vi.useFakeTimers();
    sandbox.faults.add({ match: { method: "POST" }, effect: { kind: "reset" } });
    const { gateway, prompts } = shop();
    const failed = rejection(gateway.mobileMoney.collect(ORDER, { ...KEY, waitMs: 10_000 }));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await failed).toMatchObject({ code: "connection", outcome: "unknown" });
    expect(prompts()).toBe(1);
  });

  test("a start that was lost and freed meanwhile is not made again", async () => {
    vi.useFakeTimers();
    sandbox.faults.add({ match: { method: "POST" }, effect: { kind: "reset" } });
    const { gateway, prompts } = shop();
    const options = { ...KEY, waitMs: 300_000 };
    const failed = rejection(gateway.mobileMoney.collect(ORDER, options));
    await vi.advanceTimersByTimeAsync(75_000);
    await gateway.idempotency.resolve(KEY.idempotencyKey, "not_sent").catch(() => {});
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await failed).toMatchObject({ outcome: "unknown" });
    expect(prompts()).toBe(1);
  });

  test("a start that was lost goes on with the payment that a webhook resolved it by", async () => {
    vi.useFakeTimers();
    sandbox.faults.add({ match: { method: "POST" }, effect: { kind: "lostResponse" } });
    const { gateway, prompts } = shop({
      // The list says nothing.
      fetch: async (url, init) =>
        url.endsWith("/payments") ? Response.json({ data: [] }) : sandbox.fetch(url, init),
    });
    const collecting = gateway.mobileMoney.collect(ORDER, { ...KEY, ...approving() });
    await vi.advanceTimersByTimeAsync(1_000);
    const [payment = {}] = await ledger();
    expect(await gateway.idempotency.resolveByPayment({ ...payment })).toBe(true);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await collecting).toMatchObject({ status: "completed" });
    expect(prompts()).toBe(1);
  });

  test("an abort ends the look for a start that was lost", async () => {
    vi.useFakeTimers();
    sandbox.faults.add({ match: { method: "POST" }, effect: { kind: "reset" } });
    const { gateway } = shop();
    const controller = new AbortController();
    const { signal } = controller;
    const failed = rejection(gateway.mobileMoney.collect(ORDER, { ...KEY, signal }));
    await vi.advanceTimersByTimeAsync(3_000);
    controller.abort("left");
    await vi.advanceTimersByTimeAsync(0);
    expect(await failed).toBe("left");
  });

  test("onStarted is called with the reference before the payment ends, and its error is ignored", async () => {
    const { gateway } = shop();
    const seen: string[] = [];
    const onStarted = (reference: string) => {
      seen.push(reference);
      sandbox.phone(PHONE).approve();
      throw new Error("the order could not be stored");
    };
    const payment = await gateway.mobileMoney.collect(ORDER, { ...KEY, onStarted });
    expect(payment.status).toBe("completed");
    expect(seen).toEqual([payment.reference]);
  });

  test("the abort of one caller does not end the wait of another", async () => {
    const { gateway, prompts } = shop();
    const controller = new AbortController();
    const reason = new Error("the tab was closed");
    const mine = gateway.mobileMoney.collect(ORDER, { ...KEY, signal: controller.signal });
    const theirs = gateway.mobileMoney.collect(ORDER, { ...KEY, ...approving(), wake: lookSoon });
    controller.abort(reason);
    await expect(mine).rejects.toBe(reason);
    await expect(theirs).resolves.toMatchObject({ status: "completed" });
    expect(prompts()).toBe(1);
  });
});
