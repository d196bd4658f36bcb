import { ConfigurationError, PaymentPendingError, type WaitOptions } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { hang, json, status } from "../support/answers.ts";
import { gatewayMeeting } from "../support/gateway.ts";
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

  test("at its first read, where the payment was settled before", async () => {
    const { payment, at } = waiting([paid("completed")]);
    expect(await payment()).toMatchObject({ status: "completed" });
    expect(at).toEqual([0]);
  });

  test("with a status that the caller calls settled", async () => {
    const finalStatuses = ["reversed", "expired"];
    for (const end of [...finalStatuses, "completed", "failed"]) {
      const { payment } = waiting([paid("pending"), paid(end)], { finalStatuses });
      expect(await payment()).toMatchObject({ status: end });
    }
  });

  test("with no status that nobody called settled, however often it is read", async () => {
    const unknown = ["processing", "reversed", "toString", "COMPLETED", ""].map((one) => paid(one));
    const { payment, at } = waiting([...unknown, paid("pending"), paid("completed")]);
    expect(await payment()).toMatchObject({ status: "completed" });
    expect(at).toHaveLength(7);
  });

  test("with all that any read told of the payment", async () => {
    const { payment } = waiting([paid("pending", { checkout_request_id: "ws_1" }), paid("failed")]);
    expect(await payment()).toMatchObject({ status: "failed", checkout_request_id: "ws_1" });
  });
});

describe("at the deadline", () => {
  test("a wait rejects with the payment as it was last read, which is no failure", async () => {
    const { outcome, at } = waiting([paid("pending"), paid("processing")], { timeoutMs: 10_000 });
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

  test("is two minutes after the start, unless set", async () => {
    const { outcome } = waiting([paid("pending")]);
    expect(await outcome()).toMatchObject({ status: "rejected", at: 120_000 });
  });

  test("a payment that could not be read lately is given as it was last read, with the reason", async () => {
    const { error } = waiting([paid("pending"), status(503)], { timeoutMs: 10_000 });
    expect(await error()).toMatchObject({
      payment: { status: "pending" },
      cause: { code: "server", status: 503 },
    });
  });

  test("a failure that has passed is no reason", async () => {
    const { error } = waiting([status(500), paid("pending")], { timeoutMs: 10_000 });
    expect((await error()).cause).toBeUndefined();
  });

  test("a payment that never could be read is not made up", async () => {
    const { error } = waiting([status(500)], { timeoutMs: 10_000 });
    const { payment, message, cause } = await error();
    expect(payment).toBeUndefined();
    expect(message).toContain("could not be read");
    expect(cause).toMatchObject({ code: "server" });
  });

  test.each([[1], [100], [3_000], [59_999]])(
    "a read that hangs ends with the wait of %d ms",
    async (timeoutMs) => {
      const { outcome } = waiting([hang], { timeoutMs });
      expect(await outcome()).toMatchObject({
        reason: { code: "payment_pending", cause: { code: "timeout" } },
        at: timeoutMs,
      });
    },
  );
});

describe("onUpdate", () => {
  test("is told the first read, and then each change of the status", async () => {
    const told: unknown[] = [];
    const onUpdate = vi.fn((payment) => told.push(payment.status));
    const reads = ["pending", "pending", "processing", "processing", "pending", "completed"];
    await waiting(
      reads.map((one) => paid(one)),
      { onUpdate },
    ).payment();
    expect(told).toEqual(["pending", "processing", "pending", "completed"]);
  });

  test("is told nothing of a read that failed", async () => {
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
  ])("that %s changes nothing", async (_, onUpdate) => {
    const { payment } = waiting([paid("pending"), paid("completed")], { onUpdate });
    expect(await payment()).toMatchObject({ status: "completed" });
  });
});

describe("a signal", () => {
  const reason = new Error("the customer left");

  test("that was aborted before lets nothing be sent", async () => {
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

  test("ends a wait in a read at once, and the read with it", async () => {
    const controller = new AbortController();
    const { outcome, passed, sent } = waiting([hang], { signal: controller.signal });
    await passed(1_000);
    controller.abort(reason);
    expect(await outcome()).toEqual({ status: "rejected", reason, at: 1_000 });
    expect(sent[0]?.init.signal?.aborted).toBe(true);
  });

  test("keeps no listener of a wait that is over, however it ended", async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, "addEventListener");
    const remove = vi.spyOn(signal, "removeEventListener");
    await waiting([paid("pending"), paid("completed")], { signal }).payment();
    await waiting([paid("pending")], { signal, timeoutMs: 3_000 }).error();
    await waiting([status(401)], { signal }).error();
    expect(add.mock.calls.length).toBeGreaterThan(5);
    expect(remove.mock.calls.length).toBeGreaterThanOrEqual(add.mock.calls.length);
  });
});

describe("options", () => {
  // biome-ignore format: a table is read across
  const WRONG: [string, unknown, RegExp][] = [
    ["timeoutMs", -1, /`timeoutMs` is -1\. It takes milliseconds above 0/],
    ["timeoutMs", Number.NaN, /`timeoutMs` is NaN/],
    ["timeoutMs", 0, /`timeoutMs` is 0/],
    ["timeoutMs", Number.POSITIVE_INFINITY, /`timeoutMs` is Infinity/],
    ["timeoutMs", 2 ** 31, /`timeoutMs` is 2147483648/],
    ["timeoutMs", "90s", /`timeoutMs` is 90s/],
    ["timeout", 5_000, /waitFor has no option "timeout"\. It has timeoutMs, signal,/],
    ["maxRetries", 5, /waitFor has no option "maxRetries"/],
    ["intervalMs", 500, /waitFor has no option "intervalMs"/],
    ["onUpdate", "log", /`onUpdate` is log\. It takes a function/],
    ["wake", {}, /`wake` is .*It takes a function/],
    ["finalStatuses", "reversed", /`finalStatuses` takes a list/],
  ];

  test.each(WRONG)("are checked before anything is sent: %s: %j", async (name, value, message) => {
    const { error, sent } = waiting([paid("completed")], { [name]: value } as WaitOptions);
    const thrown = await error();
    expect(thrown).toBeInstanceOf(ConfigurationError);
    expect(thrown.message).toMatch(message);
    expect(sent).toEqual([]);
  });

  test("that are undefined are as if they were not there", async () => {
    const { payment } = waiting([paid("completed")], {
      timeoutMs: undefined,
      signal: undefined,
      onUpdate: undefined,
      wake: undefined,
      finalStatuses: undefined,
      headers: undefined,
    });
    expect(await payment()).toMatchObject({ status: "completed" });
  });

  test("put headers on every read", async () => {
    const headers = { "x-trace": "7" };
    const { payment, sent } = waiting([paid("pending"), paid("completed")], { headers });
    await payment();
    expect(sent.map((attempt) => attempt.headers.get("x-trace"))).toEqual(["7", "7"]);
  });
});

test.each(["", "..", undefined])(
  "a reference that cannot be sent (%j) is refused",
  async (given) => {
    const { gateway, sent } = gatewayMeeting([json({})]);
    const wait = gateway.payments.waitFor(given as string);
    await expect(wait).rejects.toMatchObject({ code: "invalid_params", outcome: "not_sent" });
    expect(sent).toEqual([]);
  },
);
