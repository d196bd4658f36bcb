import { Readable } from "node:stream";
import type { ProcessView, ReceiveView } from "malipo/types";
import { createWebhookReceiver, signWebhook, type WebhookHooks } from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";
import { SECRET } from "../../suites/webhook-sample.ts";

const BODY = JSON.stringify({ event: "payment.completed", data: { reference: "PAY-71" } });
const HEADERS = { "X-Service-Signature": signWebhook(BODY, SECRET), Traceparent: "00-a-b-01" };

/** A receiver with hooks, and a function that delivers to it. */
function hooked(hooks: WebhookHooks, options: object = {}) {
  const receiver = createWebhookReceiver({ secret: SECRET, onError() {}, hooks, ...options });
  const deliver = (more: object = {}) =>
    receiver.handle({ method: "POST", url: "/webhooks", headers: HEADERS, body: BODY, ...more });
  return { receiver, deliver };
}

describe("the receive hook", () => {
  test("sees each request, and how it ended", async () => {
    const seen: unknown[] = [];
    const { receiver, deliver } = hooked({
      receive: ({ header, ...view }) => {
        seen.push({ ...view, traceparent: header("traceparent") });
        return { end: (result) => seen.push(result) };
      },
    });
    await deliver();
    await deliver();
    await deliver({ headers: {}, method: "GET" });
    await deliver({ headers: {} });
    await receiver.stop();
    await deliver();
    const view = { method: "POST", url: "/webhooks", bodyBytes: BODY.length };
    const about = {
      event: "payment.completed",
      idempotencyKey: expect.stringMatching(/^[\da-f]{64}$/),
      durationMs: expect.any(Number),
    };
    expect(seen).toEqual([
      { ...view, traceparent: "00-a-b-01" },
      { status: 200, result: "accepted", ...about },
      { ...view, traceparent: "00-a-b-01" },
      { status: 200, result: "duplicate", ...about },
      { ...view, method: "GET" },
      { status: 405, result: "rejected", durationMs: expect.any(Number) },
      view,
      {
        status: 401,
        result: "rejected",
        error: expect.objectContaining({ code: "signature_missing" }),
        durationMs: expect.any(Number),
      },
      { ...view, traceparent: "00-a-b-01" },
      { status: 503, result: "unavailable", durationMs: expect.any(Number) },
    ]);
  });

  test("sees an inbox that fails", async () => {
    const end = vi.fn();
    const down = new Error("disk I/O error");
    const inbox = { ...memoryInbox(), accept: () => Promise.reject(down) };
    await hooked({ receive: () => ({ end }) }, { inbox }).deliver();
    expect(end).toHaveBeenCalledWith(
      expect.objectContaining({ status: 503, result: "unavailable", error: down }),
    );
  });

  test("sees a request that is rejected before its body is read", async () => {
    const end = vi.fn();
    const views: ReceiveView[] = [];
    const { deliver } = hooked({
      receive: (view) => {
        views.push(view);
        return { end };
      },
    });
    await deliver({ headers: {}, body: new Blob([BODY]).stream() });
    expect(views).toMatchObject([{ method: "POST", url: "/webhooks", bodyBytes: undefined }]);
    expect(end).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ status: 401, result: "rejected" }),
    );
  });

  test.each([
    ["too large", 413, Readable.from([new Uint8Array(1_000)]), undefined],
    ["decoded", 500, Readable.from([new Uint8Array(1), "text"]), { code: "body_not_raw" }],
  ])("sees a request whose body is %s", async (_, status, body, error) => {
    const end = vi.fn();
    const views: ReceiveView[] = [];
    const receive = (view: ReceiveView) => {
      views.push(view);
      return { end };
    };
    const { deliver } = hooked({ receive }, { maxBodyBytes: 100 });
    expect(await deliver({ body })).toMatchObject({ status });
    expect(views).toMatchObject([{ method: "POST", bodyBytes: undefined }]);
    const durationMs = expect.any(Number);
    expect(end).toHaveBeenCalledExactlyOnceWith({
      ...{ status, result: "rejected", durationMs },
      ...(error && { error: expect.objectContaining(error) }),
    });
  });

  test("sees the size of a body that was streamed", async () => {
    const receive = vi.fn();
    await hooked({ receive }).deliver({ body: new Blob([BODY]).stream() });
    expect(receive).toHaveBeenCalledWith(expect.objectContaining({ bodyBytes: BODY.length }));
  });
});

describe("the process hook", () => {
  test("sees each attempt, with what the receive hook stored", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const views: ProcessView[] = [];
    const end = vi.fn();
    const { receiver, deliver } = hooked({
      receive: () => ({ traceContext: { traceparent: "00-c-d-01" } }),
      process: (view) => {
        views.push(view);
        return { end };
      },
    });
    const failed = new Error("the shop is closed");
    receiver.on("payment.completed", (_, { attempt }) => {
      if (attempt === 1) throw failed;
    });
    await receiver.start();
    await deliver();
    await expect.poll(() => end.mock.calls.length).toBe(2);
    await receiver.stop();
    vi.restoreAllMocks();
    const view = {
      event: "payment.completed",
      idempotencyKey: expect.stringMatching(/^[\da-f]{64}$/),
      receivedAt: expect.any(Number),
      bodyBytes: BODY.length,
      traceContext: { traceparent: "00-c-d-01" },
    };
    expect(views).toEqual([
      { ...view, attempt: 1 },
      { ...view, attempt: 2 },
    ]);
    const durationMs = expect.any(Number);
    expect(end.mock.calls).toEqual([
      [{ error: failed, willRetry: true, durationMs }],
      [{ willRetry: false, durationMs }],
    ]);
  });

  test("does not see the merchant as a part of the trace", async () => {
    const views: ProcessView[] = [];
    const { receiver, deliver } = hooked(
      { process: (view) => void views.push(view) },
      { merchant: () => "shop-1", secret: () => SECRET },
    );
    const merchants: unknown[] = [];
    receiver.onOther((_, { merchant }) => merchants.push(merchant));
    await receiver.start();
    await deliver();
    await expect.poll(() => merchants).toEqual(["shop-1"]);
    expect(views[0]?.traceContext).toBeUndefined();
    await receiver.stop();
  });
});

describe("a hook", () => {
  const broken: [string, () => unknown][] = [
    [
      "throws",
      () => {
        throw new Error("the log is full");
      },
    ],
    ["rejects", () => Promise.reject(new Error("the log is full"))],
    ["returns nothing", () => undefined],
    [
      "throws at the end",
      () => ({
        end: () => {
          throw new Error("the log is full");
        },
      }),
    ],
    ["does not run the work", () => ({ run: () => undefined })],
    [
      "throws before the work",
      () => ({
        run: () => {
          throw new Error("no context");
        },
      }),
    ],
    [
      "throws after the work",
      () => ({
        run: (work: () => unknown) => {
          work();
          throw new Error("no context");
        },
      }),
    ],
    ["runs the work twice", () => ({ run: (work: () => unknown) => [work(), work()] })],
  ];

  test.each(broken)("that %s changes no response and no attempt", async (_, hook) => {
    const { receiver, deliver } = hooked({ receive: hook, process: hook } as never);
    const handler = vi.fn();
    receiver.on("payment.completed", handler);
    await receiver.start();
    expect((await deliver()).status).toBe(200);
    await expect.poll(() => handler.mock.calls.length).toBe(1);
    await receiver.stop();
    expect(handler).toHaveBeenCalledTimes(1);
  });

  test.each([
    [{ hooks: 1 }, /`hooks` must be an object; got 1/],
    [{ hooks: { received() {} } }, /`hooks` has no option "received"/],
    [{ hooks: { receive: 1 } }, /`hooks.receive` must be a function; got 1/],
  ])("of a wrong kind is rejected: %j", (options, message) => {
    expect(() => createWebhookReceiver({ secret: SECRET, ...options } as never)).toThrow(message);
  });
});
