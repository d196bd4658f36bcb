import { ConfigurationError } from "malipo/webhooks";
import { describe, expect, test } from "vitest";
import { deliver, gate } from "../support/deliver.ts";
import { receiving } from "../support/receiving.ts";

const { receive, onError } = receiving();

describe("a handler", () => {
  test.each<[how: string, fail: () => unknown, text: string]>([
    [
      "throws",
      () => {
        throw new TypeError("boom");
      },
      "TypeError: boom",
    ],
    ["rejects", async () => Promise.reject(new Error("boom")), "Error: boom"],
    [
      "throws a string",
      () => {
        throw "boom";
      },
      "boom",
    ],
    [
      "throws undefined",
      () => {
        throw undefined;
      },
      "undefined",
    ],
    [
      "throws null",
      () => {
        throw null;
      },
      "null",
    ],
    [
      "throws a symbol",
      () => {
        throw Symbol("boom");
      },
      "Symbol(boom)",
    ],
    [
      "throws an object that has no text",
      () => {
        throw Object.create(null);
      },
      "",
    ],
    [
      "rejects with a frozen object",
      () => Promise.reject(Object.freeze({ a: 1 })),
      "[object Object]",
    ],
  ])("that %s is called 12 times, then its event is a dead letter", async (_, fail, text) => {
    const attempts: number[] = [];
    const receiver = receive();
    receiver.on("payment.completed", (_, { attempt }) => {
      attempts.push(attempt);
      return fail();
    });
    await receiver.start();
    await deliver(receiver);
    await expect.poll(() => receiver.deadLetters.list()).toHaveLength(1);
    expect(attempts).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
    const [letter] = await receiver.deadLetters.list();
    expect(letter).toMatchObject({
      event: "payment.completed",
      attempts: 12,
      error: expect.stringContaining(text),
    });
    const { body } = await receiver.deadLetters.read(letter?.id ?? "");
    expect(body).toContain("PAY-71");
    const reported = onError.mock.calls.map(([, about]) => about);
    expect(reported).toEqual(
      attempts.map((attempt) => ({
        event: "payment.completed",
        idempotencyKey: expect.stringMatching(/^[\da-f]{64}$/),
        attempt,
        willRetry: attempt < 12,
      })),
    );
  });

  test("processes a requeued dead letter as a new event", async () => {
    const attempts: number[] = [];
    let isFixed = false;
    const receiver = receive();
    receiver.onOther((_, { attempt }) => {
      attempts.push(attempt);
      if (!isFixed) throw new Error("broken");
    });
    await receiver.start();
    await deliver(receiver);
    await expect.poll(() => receiver.deadLetters.list()).toHaveLength(1);
    const [{ id } = { id: "" }] = await receiver.deadLetters.list();
    isFixed = true;
    await receiver.deadLetters.requeue(id);
    await expect.poll(() => attempts.slice(12)).toEqual([1]);
    expect(await receiver.deadLetters.list()).toEqual([]);
    for (const none of [id, "", "constructor"]) {
      await expect(receiver.deadLetters.requeue(none)).rejects.toThrow(ConfigurationError);
    }
    // So is a duplicate of it.
    await deliver(receiver);
    expect(attempts).toHaveLength(13);
  });

  test("is aborted after handlerTimeoutMs, and the attempt has failed, whatever it does later", async () => {
    const signals: AbortSignal[] = [];
    const late = gate();
    const receiver = receive({ handlerTimeoutMs: 20 });
    receiver.onOther(async (_, { attempt, signal }) => {
      signals.push(signal);
      if (attempt === 1) await late.opened;
    });
    await receiver.start();
    await deliver(receiver);
    await expect.poll(() => signals.length).toBe(2);
    late.open();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(signals[0]?.reason.message).toBe(
      "The handler took longer than handlerTimeoutMs (20 ms).",
    );
    expect(onError.mock.calls).toEqual([
      [signals[0]?.reason, expect.objectContaining({ attempt: 1 })],
    ]);
    await receiver.stop();
    expect(signals).toHaveLength(2);
  });

  test("that rejects after its time causes no error", async () => {
    const late = gate();
    const attempts: number[] = [];
    const receiver = receive({ handlerTimeoutMs: 10 });
    receiver.onOther(async (_, { attempt, signal }) => {
      attempts.push(attempt);
      if (attempt > 1) return;
      await late.opened;
      signal.throwIfAborted();
    });
    await receiver.start();
    await deliver(receiver);
    await expect.poll(() => attempts).toEqual([1, 2]);
    // An unhandled rejection would fail the run.
    late.open();
    await new Promise(setImmediate);
    expect(onError).toHaveBeenCalledTimes(1);
  });
});
