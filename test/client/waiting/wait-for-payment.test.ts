import { ConfigurationError, PaymentPendingError, type WaitOptions } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { gatewayWith } from "../support/gateway.ts";
import { hang, json, status } from "../support/responses.ts";
import { paid, REFERENCE, waiting } from "../support/waits.ts";

beforeEach(() => {
  vi.useFakeTimers();
  // Without jitter.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

describe("a wait ends", () => {
  test.each(["completed", "failed"])("with the payment, once it is %s", async (end) => {
    const { payment, at } = waiting([
      paid("pending"),
      paid("pending"),
      paid(end, { amount: "7.00" }),
    ]);
    expect(await payment()).toEqual({ status: end, reference: REFERENCE, amount: "7.00" });
    expect(at).toEqual([0, 2_000, 5_000]);
  });

  test("at its first read, if the payment had a final status before", async () => {
    const { payment, at } = waiting([paid("completed")]);
    expect(await payment()).toMatchObject({ status: "completed" });
    expect(at).toEqual([0]);
  });

  test("with a status that the caller listed as final", async () => {
    const finalStatuses = ["reversed", "expired"];
    for (const end of [...finalStatuses, "completed", "failed"]) {
      const { payment } = waiting([paid("pending"), paid(end)], { finalStatuses });
      expect(await payment()).toMatchObject({ status: end });
    }
  });

  test("with no other status, however often it is read", async () => {
    const unknown = ["processing", "reversed", "toString", "COMPLETED", ""].map((one) => paid(one));
    const { payment, at } = waiting([...unknown, paid("pending"), paid("completed")]);
    expect(await payment()).toMatchObject({ status: "completed" });
    expect(at).toHaveLength(7);
  });

  test("with the fields of every read", async () => {
    const { payment } = waiting([paid("pending", { checkout_request_id: "ws_1" }), paid("failed")]);
    expect(await payment()).toMatchObject({ status: "failed", checkout_request_id: "ws_1" });
  });
});

describe("at the time limit", () => {
  test("a wait rejects with the payment as it was last read", async () => {
    const { outcome, at } = waiting([paid("pending"), paid("processing")], { waitMs: 10_000 });
    const { at: endedAt, ...result } = await outcome();
    expect(endedAt).toBe(10_000);
    expect(at).toEqual([0, 2_000, 5_000, 8_000]);
    const reason = (result as PromiseRejectedResult).reason;
    expect(reason).toBeInstanceOf(PaymentPendingError);
    expect(reason).toMatchObject({
      code: "payment_pending",
      outcome: "unknown",
      reference: REFERENCE,
      payment: { status: "processing", reference: REFERENCE },
      message: expect.stringMatching(/PAY-1 is processing after 10000 ms.*may still be paid/),
    });
    expect(reason.cause).toBeUndefined();
  });

  test("a wait rejects two minutes after its start by default", async () => {
    const { outcome } = waiting([paid("pending")]);
    expect(await outcome()).toMatchObject({ status: "rejected", at: 120_000 });
  });

  test("the error holds the payment as it was last read, and why the last read failed", async () => {
    const { error } = waiting([paid("pending"), status(503)], { waitMs: 10_000 });
    expect(await error()).toMatchObject({
      payment: { status: "pending" },
      cause: { code: "server", status: 503 },
    });
  });

  test("the error has no cause if the last read succeeded", async () => {
    const { error } = waiting([status(500), paid("pending")], { waitMs: 10_000 });
    expect((await error()).cause).toBeUndefined();
  });

  test("the error has no payment if no read succeeded", async () => {
    const { error } = waiting([status(500)], { waitMs: 10_000 });
    const { payment, message, cause } = await error();
    expect(payment).toBeUndefined();
    expect(message).toContain("could not be read");
    expect(cause).toMatchObject({ code: "server" });
  });

  test.each([[1], [100], [3_000], [59_999]])(
    "a read that hangs ends with the wait of %d ms",
    async (waitMs) => {
      const { outcome } = waiting([hang], { waitMs });
      expect(await outcome()).toMatchObject({
        reason: { code: "payment_pending", cause: { code: "timeout" } },
        at: waitMs,
      });
    },
  );
});

describe("onUpdate", () => {
  test("is called at the first read and at each change of the status", async () => {
    const statuses: unknown[] = [];
    const onUpdate = vi.fn((payment) => statuses.push(payment.status));
    const reads = ["pending", "pending", "processing", "processing", "pending", "completed"];
    await waiting(
      reads.map((one) => paid(one)),
      { onUpdate },
    ).payment();
    expect(statuses).toEqual(["pending", "processing", "pending", "completed"]);
  });

  test("is not called for a read that failed", async () => {
    const onUpdate = vi.fn();
    await waiting([paid("pending"), status(500), paid("pending"), paid("failed")], {
      onUpdate,
    }).payment();
    expect(onUpdate.mock.calls).toEqual([
      [expect.objectContaining({ status: "pending" })],
      [expect.objectContaining({ status: "failed" })],
    ]);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no"))],
  ])("that %s does not end the wait", async (_, onUpdate) => {
    const { payment } = waiting([paid("pending"), paid("completed")], { onUpdate });
    expect(await payment()).toMatchObject({ status: "completed" });
  });
});

describe("a signal", () => {
  const reason = new Error("the customer left");

  test("that was aborted before prevents every read", async () => {
    const { outcome, sent } = waiting([paid("pending")], { signal: AbortSignal.abort(reason) });
    expect(await outcome()).toEqual({ status: "rejected", reason, at: 0 });
    expect(sent).toEqual([]);
  });

  test("ends a wait between two reads at once, with its own reason", async () => {
    const controller = new AbortController();
    const { outcome, passed, at } = waiting([paid("pending")], { signal: controller.signal });
    await passed(3_000);
    controller.abort(reason);
    expect(await passed(0)).toBe(true);
    expect(await outcome()).toEqual({ status: "rejected", reason, at: 3_000 });
    expect(at).toEqual([0, 2_000]);
  });

  test("ends a wait and its read at once", async () => {
    const controller = new AbortController();
    const { outcome, passed, sent } = waiting([hang], { signal: controller.signal });
    await passed(1_000);
    controller.abort(reason);
    expect(await outcome()).toEqual({ status: "rejected", reason, at: 1_000 });
    expect(sent[0]?.init.signal?.aborted).toBe(true);
  });

  test("keeps no listener after a wait, however it ended", async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, "addEventListener");
    const remove = vi.spyOn(signal, "removeEventListener");
    await waiting([paid("pending"), paid("completed")], { signal }).payment();
    await waiting([paid("pending")], { signal, waitMs: 3_000 }).error();
    await waiting([status(401)], { signal }).error();
    expect(add.mock.calls.length).toBeGreaterThan(5);
    expect(remove.mock.calls.length).toBeGreaterThanOrEqual(add.mock.calls.length);
  });
});

test("timeoutMs ends one attempt, and waitMs the whole wait", async () => {
  const { outcome, at } = waiting([hang], { timeoutMs: 1_000, waitMs: 10_000 });
  expect(await outcome()).toMatchObject({
    reason: { code: "payment_pending", cause: { code: "timeout", timeoutMs: 1_000 } },
    at: 10_000,
  });
  expect(at.length).toBeGreaterThan(3);
});

describe("options", () => {
  // biome-ignore format: a table is read across
  const WRONG: [string, unknown, RegExp][] = [
    ["waitMs", -1, /`waitMs` must be a number of milliseconds above 0 .*; got -1\./],
    ["waitMs", Number.NaN, /`waitMs` .*; got NaN\./],
    ["waitMs", 0, /`waitMs` .*; got 0\./],
    ["waitMs", Number.POSITIVE_INFINITY, /`waitMs` .*; got Infinity\./],
    ["waitMs", 2 ** 31, /`waitMs` .* at most 2147483647; got 2147483648\./],
    ["waitMs", "90s", /`waitMs` .*; got a string\./],
    ["timeoutMs", -1, /`timeoutMs` must be a number of milliseconds above 0 .*; got -1\./],
    ["timeout", 5_000, /waitFor has no option "timeout"\. Its options are: waitMs, timeoutMs, signal,/],
    ["maxRetries", 5, /waitFor has no option "maxRetries"/],
    ["intervalMs", 500, /waitFor has no option "intervalMs"/],
    ["onUpdate", "log", /`onUpdate` must be a function; got a string\./],
    ["wake", {}, /`wake` must be a function; got an object\./],
    ["finalStatuses", "reversed", /`finalStatuses` must be a list of statuses; got a string\./],
  ];

  test.each(WRONG)("are checked before anything is sent: %s: %j", async (name, value, message) => {
    const { error, sent } = waiting([paid("completed")], { [name]: value } as WaitOptions);
    const thrown = await error();
    expect(thrown).toBeInstanceOf(ConfigurationError);
    expect(thrown.message).toMatch(message);
    expect(sent).toEqual([]);
  });

  test("that are undefined have their defaults", async () => {
    const { payment } = waiting([paid("completed")], {
      waitMs: undefined,
      timeoutMs: undefined,
      signal: undefined,
      onUpdate: undefined,
      wake: undefined,
      finalStatuses: undefined,
      headers: undefined,
    });
    expect(await payment()).toMatchObject({ status: "completed" });
  });

  test("headers are sent with every read", async () => {
    const headers = { "x-trace": "7" };
    const { payment, sent } = waiting([paid("pending"), paid("completed")], { headers });
    await payment();
    expect(sent.map((attempt) => attempt.headers.get("x-trace"))).toEqual(["7", "7"]);
  });
});

test.each(["", "..", undefined])(
  "a reference that cannot be sent (%j) is rejected",
  async (given) => {
    const { gateway, sent } = gatewayWith([json({})]);
    const wait = gateway.payments.waitFor(given as string);
    await expect(wait).rejects.toMatchObject({ code: "invalid_params", outcome: "not_sent" });
    expect(sent).toEqual([]);
  },
);
