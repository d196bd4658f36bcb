import {
  ConfigurationError,
  type HandlerContext,
  type Job,
  memoryInbox,
  signWebhook,
  type Transaction,
  type WebhookEvent,
  type WebhookHandler,
  type WebhookReceiver,
  type Work,
} from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import { BODY, EVENT, SECRET } from "../../suites/webhook-sample.ts";
import { deliver, gate } from "../support/deliver.ts";
import { receiving } from "../support/receiving.ts";

const { receive, onError } = receiving();

describe("on and onOther", () => {
  const nothing = () => {};

  test.each<[why: string, add: (receiver: WebhookReceiver) => void, message: RegExp]>([
    [
      "a second handler for a kind",
      (receiver) => {
        receiver.on("invoice.paid", nothing);
        receiver.on("invoice.paid", nothing);
      },
      /on\("invoice\.paid"\).*already/,
    ],
    [
      "a second one for the others",
      (receiver) => {
        receiver.onOther(nothing);
        receiver.onOther(nothing);
      },
      /onOther\(\).*already/,
    ],
    ["no function", (receiver) => receiver.on("invoice.paid", {} as never), /not a function/],
    [
      "no function for the others",
      (receiver) => receiver.onOther(undefined as never),
      /not a function/,
    ],
    [
      "a kind that nobody documented",
      (receiver) => receiver.on("payment.complete" as never, nothing),
      /^on\("payment\.complete"\): no documented kind\. They are .*payment\.completed, .*; onOther\(\) takes the rest\.$/,
    ],
    [
      "a kind that objects have",
      (receiver) => receiver.on("toString" as never, nothing),
      /toString/,
    ],
  ])("refuse %s", (_, add, message) => {
    expect(() => add(receive())).toThrow(ConfigurationError);
    expect(() => add(receive())).toThrow(message);
  });

  test("refuse what comes after start()", async () => {
    const receiver = receive();
    await receiver.start();
    expect(() => receiver.on("invoice.paid", nothing)).toThrow(/before start/);
    expect(() => receiver.onOther(nothing)).toThrow(/before start/);
  });

  test("give each event to one handler: its kind's, or the one for all others", async () => {
    const got: string[] = [];
    const receiver = receive();
    receiver.on("payment.completed", ({ event }) => got.push(`own ${event}`));
    receiver.onOther(({ event }) => got.push(`other ${event}`));
    await receiver.start();
    for (const kind of ["payment.completed", "payment.failed", "refund.created", "constructor"]) {
      await deliver(receiver, kind);
    }
    await expect
      .poll(() => got)
      .toEqual([
        "own payment.completed",
        "other payment.failed",
        "other refund.created",
        "other constructor",
      ]);
  });

  test("tell once of a kind that nobody handles, and are done with it", async () => {
    const receiver = receive();
    await receiver.start();
    for (const reference of ["1", "2"]) await deliver(receiver, "payment.failed", reference);
    await deliver(receiver, "refund.created");
    await expect.poll(() => onError.mock.calls.length).toBe(2);
    expect(onError.mock.calls.map(([{ message }]) => message)).toEqual([
      expect.stringContaining("No handler for payment.failed"),
      expect.stringContaining("No handler for refund.created"),
    ]);
    expect(await receiver.deadLetters.list()).toEqual([]);
  });
});

describe("a handler", () => {
  test("gets the event as it was signed, anew for every attempt", async () => {
    const got: WebhookEvent[] = [];
    const receiver = receive();
    receiver.onOther((event) => {
      got.push(structuredClone(event));
      event.data.reference = "changed";
      if (got.length === 1) throw new Error("again");
    });
    await receiver.start();
    const headers = { "x-service-signature": signWebhook(BODY, SECRET) };
    await receiver.handle({ method: "POST", headers, body: BODY });
    await expect.poll(() => got).toEqual([EVENT, EVENT]);
  });

  test("gets attempts from 1 and one idempotency key for an event, another for every other", async () => {
    const got: [reference: unknown, attempt: number, key: string][] = [];
    const receiver = receive();
    receiver.onOther(({ data }, { attempt, idempotencyKey }) => {
      got.push([data.reference, attempt, idempotencyKey]);
      if (attempt < 3) throw new Error("again");
    });
    await receiver.start();
    await deliver(receiver, undefined, "A");
    await deliver(receiver, undefined, "B");
    await expect.poll(() => got).toHaveLength(6);
    const of = (one: string) => got.filter(([reference]) => reference === one);
    for (const one of ["A", "B"]) expect(of(one).map(([, attempt]) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(got.map(([, , key]) => key)).size).toBe(2);
  });

  test("gets the same key in every process, today and tomorrow", async () => {
    const got = new Set<string>();
    for (const secret of [[SECRET], ["before", SECRET]]) {
      const receiver = receive({ secret });
      receiver.onOther((_, { idempotencyKey }) => got.add(idempotencyKey));
      await receiver.start();
      await deliver(receiver);
      await receiver.stop();
    }
    // printf '["payment.completed","reference","PAY-71"]' | openssl dgst -sha256 -hmac malipo
    expect([...got]).toEqual(["70c15db8783eb0209ef24a5c4e1d5bc17676adbbdac5a9e08e5577ec4bc1d101"]);
  });

  test("has no transaction where the inbox has none", async () => {
    const contexts: HandlerContext[] = [];
    const receiver = receive();
    receiver.onOther((_, context) => contexts.push(context));
    await receiver.start();
    await deliver(receiver);
    await expect.poll(() => contexts).toHaveLength(1);
    expect(Object.keys(contexts[0] ?? {}).sort()).toEqual(["attempt", "idempotencyKey", "signal"]);
  });
});

describe("work that an inbox hands out", () => {
  /** Has a handler work one job, as an inbox would. */
  async function run(handler: WebhookHandler, job: Partial<Job>): Promise<void> {
    const works: Work[] = [];
    const start = async (work: Work) => void works.push(work);
    const receiver = receive({ inbox: { ...memoryInbox(), start } });
    receiver.onOther(handler);
    await receiver.start();
    const { signal } = new AbortController();
    await works[0]?.run({ key: "k", raw: BODY, attempt: 1, signal, ...job });
  }

  test("is not begun where it is no longer this process's", async () => {
    const handler = vi.fn();
    const signal = AbortSignal.abort(new Error("The lease was lost."));
    await expect(run(handler, { signal })).rejects.toThrow("The lease was lost.");
    expect(handler).not.toHaveBeenCalled();
  });

  test("aborts where it is lost meanwhile, with what it was lost by", async () => {
    const lease = new AbortController();
    const lost = new Error("The lease was lost.");
    const signals: AbortSignal[] = [];
    const running = run(
      (_, { signal }) => {
        signals.push(signal);
        lease.abort(lost);
        return new Promise(() => {});
      },
      { signal: lease.signal },
    );
    await expect(running).rejects.toBe(lost);
    expect(signals.map(({ reason }) => reason)).toEqual([lost]);
  });

  test("is nobody's to abort once it is done", async () => {
    const lease = new AbortController();
    const signals: AbortSignal[] = [];
    await run((_, { signal }) => signals.push(signal), { signal: lease.signal });
    lease.abort(new Error("The lease was lost."));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  test("brings the inbox's transaction, where there is one, to the handler", async () => {
    const transaction: Transaction = async (write) => write({} as never);
    const contexts: HandlerContext[] = [];
    await run((_, context) => contexts.push(context), { transaction });
    expect(contexts.map((one) => one.transaction)).toEqual([transaction]);
  });
});

describe("concurrency", () => {
  test.each([
    [undefined, 8],
    [1, 1],
    [3, 3],
  ])("%s works %i at once, and not more", async (concurrency, most) => {
    const door = gate();
    let running = 0;
    const seen: number[] = [];
    const receiver = receive({ concurrency });
    receiver.onOther(async () => {
      seen.push(++running);
      await door.opened;
      running--;
    });
    for (let at = 0; at < 12; at++) await deliver(receiver, undefined, `PAY-${at}`);
    await receiver.start();
    await expect.poll(() => running).toBe(most);
    await new Promise(setImmediate);
    expect(running).toBe(most);
    door.open();
    await expect.poll(() => seen.length).toBe(12);
    expect(Math.max(...seen)).toBe(most);
  });
});
