import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Receipt, WebhookRequest } from "malipo/types";
import {
  ConfigurationError,
  createWebhookReceiver,
  type Inbox,
  receiptFor,
  type WebhookReceiver,
} from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";
import { hmac, SECRET, utf8 } from "../../suites/webhook-sample.ts";
import { deliver, gate } from "../support/deliver.ts";

/** A signed event of that reference. */
function signedAs(reference: string): WebhookRequest {
  const body = utf8(JSON.stringify({ event: "payment.completed", data: { reference } }));
  return { method: "POST", headers: { "x-service-signature": hmac(body) }, body };
}

const make = (inbox: Inbox = memoryInbox()): WebhookReceiver =>
  createWebhookReceiver({ secret: SECRET, inbox, onError() {} });

describe("start", () => {
  test("processes what was stored before it", async () => {
    const receiver = make();
    const handler = vi.fn();
    receiver.onOther(handler);
    expect(await deliver(receiver)).toBe(200);
    await new Promise(setImmediate);
    expect(handler).not.toHaveBeenCalled();
    await receiver.start();
    await expect.poll(() => handler.mock.calls.length).toBe(1);
    await receiver.stop();
  });

  test("works once: not twice, and not after stop()", async () => {
    const receiver = make();
    await receiver.start();
    await expect(receiver.start()).rejects.toThrow(/was started already/);
    await receiver.stop();
    await expect(receiver.start()).rejects.toThrow(/was stopped already/);
    await expect(receiver.start()).rejects.toThrow(ConfigurationError);
  });

  test("may be called again after the inbox failed to start", async () => {
    const inbox = memoryInbox();
    const start = vi.fn(inbox.start).mockImplementationOnce(() => {
      throw new Error("no engine");
    });
    const receiver = make({ ...inbox, start });
    await expect(receiver.start()).rejects.toThrow("no engine");
    const handler = vi.fn();
    receiver.onOther(handler);
    await receiver.start();
    await deliver(receiver);
    await expect.poll(() => handler.mock.calls.length).toBe(1);
    await receiver.stop();
  });
});

describe("handle", () => {
  test("keeps no response in memory", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage: () => void = runInNewContext("gc");
    const receiver = make({ ...memoryInbox(), accept: async () => receiptFor("accepted") });
    const responses: WeakRef<object>[] = [];
    for (let at = 0; at < 10; at++) {
      responses.push(new WeakRef(await receiver.handle(signedAs(`PAY-${at}`))));
    }
    await expect
      .poll(() => {
        collectGarbage();
        // The test itself may still hold the last one.
        return responses.filter((one) => one.deref() !== undefined).length;
      })
      .toBeLessThan(2);
    // The receiver is still in use, with everything that it holds.
    expect((await receiver.handle(signedAs("PAY-71"))).status).toBe(200);
  });
});

describe("stop", () => {
  test("leaves no timer, which would keep the process alive for half a minute", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const receiver = make();
      await receiver.start();
      await receiver.stop();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test("is final, even if start() fails only after it", async () => {
    const starting = gate();
    const inbox = memoryInbox();
    const start = async () => {
      await starting.opened;
      throw new Error("no engine");
    };
    const receiver = make({ ...inbox, start });
    const started = receiver.start();
    const stopped = receiver.stop();
    starting.open();
    await expect(started).rejects.toThrow("no engine");
    await stopped;
    expect(await deliver(receiver)).toBe(503);
    await expect(receiver.start()).rejects.toThrow(/was stopped already/);
  });

  test("waits for running handlers, and accepts nothing new meanwhile", async () => {
    const receiver = make();
    const door = gate();
    const steps: string[] = [];
    receiver.onOther(async (_, { signal }) => {
      steps.push("handler begins");
      await door.opened;
      steps.push(`handler ends, aborted: ${signal.aborted}`);
    });
    await receiver.start();
    await deliver(receiver);
    await expect.poll(() => steps).toEqual(["handler begins"]);
    const stopped = receiver.stop().then(() => steps.push("stopped"));
    expect(await deliver(receiver, undefined, "PAY-72")).toBe(503);
    door.open();
    await stopped;
    expect(steps).toEqual(["handler begins", "handler ends, aborted: false", "stopped"]);
  });

  test("aborts handlers that run longer than timeoutMs, and hands their events back", async () => {
    const inbox = memoryInbox();
    const signals: AbortSignal[] = [];
    const attempts: number[] = [];
    const receiver = make(inbox);
    receiver.onOther(async (_, { signal, attempt }) => {
      signals.push(signal);
      attempts.push(attempt);
      await new Promise((_, reject) => signal.addEventListener("abort", reject));
    });
    await receiver.start();
    await deliver(receiver);
    await expect.poll(() => attempts).toEqual([1]);
    await receiver.stop({ timeoutMs: 20 });
    expect(signals[0]?.aborted).toBe(true);

    // The next receiver on the same store processes it, and the aborted attempt does not count.
    const next = make(inbox);
    next.onOther((_, { attempt }) => attempts.push(attempt));
    await next.start();
    await expect.poll(() => attempts).toEqual([1, 1]);
    await next.stop();
  });

  test("waits for deliveries that are being stored, so that the store may be closed after it", async () => {
    const steps: string[] = [];
    const stored = gate<Receipt>();
    const inbox: Inbox = {
      ...memoryInbox(),
      accept: () => stored.opened,
      stop: async () => void steps.push("inbox stops"),
    };
    const receiver = make(inbox);
    const reply = deliver(receiver).then((status) => steps.push(`returned ${status}`));
    const stopped = receiver.stop();
    await new Promise(setImmediate);
    expect(steps).toEqual([]);
    stored.open(receiptFor("accepted"));
    await Promise.all([reply, stopped]);
    expect(steps).toEqual(["returned 200", "inbox stops"]);
  });

  test("does not wait for a store that hangs longer than timeoutMs", async () => {
    const stop = vi.fn();
    const hangs = () => new Promise<never>(() => {});
    const receiver = make({ ...memoryInbox(), accept: hangs, start: hangs, stop });
    void deliver(receiver);
    void receiver.start();
    await receiver.stop({ timeoutMs: 10 });
    expect(stop).toHaveBeenCalledTimes(1);
  });

  test("stops the inbox once, started or not, however often it is called", async () => {
    for (const isStarted of [false, true]) {
      const inbox = memoryInbox();
      const stop = vi.fn(inbox.stop);
      const receiver = make({ ...inbox, stop });
      if (isStarted) await receiver.start();
      await Promise.all([receiver.stop(), receiver.stop({ timeoutMs: 0 })]);
      await receiver.stop();
      expect(stop).toHaveBeenCalledTimes(1);
    }
  });

  test.each([
    [{ timeoutMs: -1 }, /`timeoutMs` must be .*; got -1/],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, /`timeoutMs` must be .*; got Infinity/],
    [{ timeoutMs: "30s" }, /`timeoutMs` must be .*; got a string/],
    [{ timeout: 5 }, /no option "timeout"/],
  ])("rejects %j, and does not stop", async (options, message) => {
    const receiver = make();
    await expect(receiver.stop(options as never)).rejects.toThrow(ConfigurationError);
    await expect(receiver.stop(options as never)).rejects.toThrow(message);
    expect(await deliver(receiver)).toBe(200);
    await receiver.stop();
  });
});
