import type { WorkerOptions } from "malipo/types";
import type { Inbox } from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";
import { deliver, gate } from "../support/deliver.ts";
import { receiving } from "../support/receiving.ts";

const { receive } = receiving();

const DONE = { processed: 1, left: 0 };

describe("drain", () => {
  test("has the inbox process what is due, with the limits of the call", async () => {
    const drain = vi.fn<NonNullable<Inbox["drain"]>>(async () => DONE);
    const receiver = receive({ inbox: { ...memoryInbox(), drain }, concurrency: 3 });
    receiver.on("payment.completed", () => {});
    expect(await receiver.drain({ timeoutMs: 2_000, limit: 5 })).toEqual(DONE);
    expect(await receiver.drain()).toEqual(DONE);
    const [[options, limits], [, defaults]] = drain.mock.calls as [
      [WorkerOptions, { timeoutMs: number; limit: number }],
      [WorkerOptions, { timeoutMs: number; limit: number }],
    ];
    expect(options).toMatchObject({ concurrency: 3, kinds: ["payment.completed"] });
    expect(limits.limit).toBe(5);
    expect(limits.timeoutMs).toBeLessThanOrEqual(2_000);
    expect(defaults.limit).toBe(1_000);
    expect(() => receiver.onOther(() => {})).toThrow(/must be registered before/);
  });

  test("processes the events since the drain before, in a function that is called again", async () => {
    const receiver = receive();
    const got: unknown[] = [];
    receiver.onOther(({ data }) => got.push(data.reference));
    for (const reference of ["1", "2", "3"]) {
      await deliver(receiver, undefined, reference);
      expect(await receiver.drain({ timeoutMs: 5_000 })).toEqual(DONE);
    }
    expect(await receiver.drain()).toEqual({ processed: 0, left: 0 });
    expect(got).toEqual(["1", "2", "3"]);
  });

  test("runs one after another in a process, and deliveries are stored meanwhile", async () => {
    const { opened, open } = gate<typeof DONE>();
    const drain = vi.fn<NonNullable<Inbox["drain"]>>(() => opened);
    const receiver = receive({ inbox: { ...memoryInbox(), drain } });
    receiver.onOther(() => {});
    const drains = [receiver.drain(), receiver.drain()];
    expect(await deliver(receiver)).toBe(200);
    expect(drain).toHaveBeenCalledTimes(1);
    open(DONE);
    expect(await Promise.all(drains)).toEqual([DONE, DONE]);
    expect(drain).toHaveBeenCalledTimes(2);
  });

  test("goes on after a drain that failed", async () => {
    const drain = vi.fn<NonNullable<Inbox["drain"]>>(async () => DONE);
    drain.mockRejectedValueOnce(new Error("The engine is away."));
    const receiver = receive({ inbox: { ...memoryInbox(), drain } });
    await expect(receiver.drain()).rejects.toThrow("The engine is away.");
    expect(await receiver.drain()).toEqual(DONE);
  });

  test("is rejected if it cannot work", async () => {
    const none = receive({ inbox: { ...memoryInbox(), drain: undefined } as never });
    await expect(none.drain()).rejects.toThrow(/^This inbox cannot process what is due and return/);
    const started = receive({ inbox: { ...memoryInbox(), drain: async () => DONE } });
    await started.start();
    await expect(started.drain()).rejects.toThrow(/was started already/);
    await started.stop();
    await expect(started.drain()).rejects.toThrow(/was stopped already/);
    for (const options of [{ timeoutMs: 0 }, { limit: 0 }, { limits: 1 }]) {
      await expect(none.drain(options as never)).rejects.toThrow(/timeoutMs|limit/);
    }
  });
});
