import type { Job, WorkerOptions } from "malipo/types";
import {
  ConfigurationError,
  type HandlerContext,
  signWebhook,
  type Transaction,
  type WebhookEvent,
  type WebhookHandler,
  type WebhookReceiver,
} from "malipo/webhooks";
import { describe, expect, test, vi } from "vitest";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";
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
      /^A handler for invoice\.paid is already registered\.$/,
    ],
    [
      "a second one for the others",
      (receiver) => {
        receiver.onOther(nothing);
        receiver.onOther(nothing);
      },
      /^A handler for other events is already registered\.$/,
    ],
    [
      "an object as a handler",
      (receiver) => receiver.on("invoice.paid", {} as never),
      /must be a function/,
    ],
    [
      "undefined as a handler for the others",
      (receiver) => receiver.onOther(undefined as never),
      /must be a function/,
    ],
    [
      "a kind that is not documented",
      (receiver) => receiver.on("payment.complete" as never, nothing),
      /^"payment\.complete" is not a documented kind of event\. The kinds are: .*payment\.completed, .* Use onOther\(\) for any other\.$/,
    ],
    [
      "a kind that is a method of every object",
      (receiver) => receiver.on("toString" as never, nothing),
      /toString/,
    ],
  ])("reject %s", (_, add, message) => {
    expect(() => add(receive())).toThrow(ConfigurationError);
    expect(() => add(receive())).toThrow(message);
  });

  test("reject a handler after start()", async () => {
    const receiver = receive();
    await receiver.start();
    expect(() => receiver.on("invoice.paid", nothing)).toThrow(/before start/);
    expect(() => receiver.onOther(nothing)).toThrow(/before start/);
  });

  test("pass each event to one handler: the one for its kind, or the one for all others", async () => {
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

  test("notify of each kind without a handler once, and not as an error", async () => {
    const onUnhandled = vi.fn();
    const receiver = receive({ onUnhandled });
    await receiver.start();
    await deliver(receiver, "invoice.paid");
    for (const reference of ["1", "2"]) await deliver(receiver, "payment.failed", reference);
    await deliver(receiver, "refund.created");
    expect(onUnhandled.mock.calls).toEqual([
      ["invoice.paid"],
      ["payment.failed"],
      ["refund.created"],
    ]);
    expect(onError).not.toHaveBeenCalled();
    expect(await receiver.deadLetters.list()).toEqual([]);
  });

  test("say so in the console without an onUnhandled", async () => {
    const log = vi.spyOn(console, "info").mockReturnValue();
    const receiver = receive();
    await receiver.start();
    await deliver(receiver, "refund.created");
    expect(log.mock.calls).toEqual([
      [
        'malipo webhooks: this process has no handler for "refund.created". They wait for a process that has one. If you do not want them, add the kind to `ignore`.',
      ],
    ]);
  });

  test("notify of 100 kinds at most", async () => {
    const onUnhandled = vi.fn();
    const receiver = receive({ onUnhandled });
    await receiver.start();
    for (let at = 0; at < 150; at++) await deliver(receiver, `kind.${at}`);
    expect(onUnhandled).toHaveBeenCalledTimes(100);
  });

  test.each<[string, readonly string[], string[] | undefined]>([
    ["none", [], []],
    ["documented kinds", ["payment.completed"], ["payment.completed", "payment.failed"]],
    ["all kinds", ["other"], undefined],
  ])("and `ignore` decide the kinds that the inbox works on: %s", async (_, on, kinds) => {
    const start = vi.fn(async (_options: WorkerOptions) => {});
    const ignore = kinds?.length === 0 ? ["refund.created"] : ["payment.failed", "refund.created"];
    const receiver = receive({ inbox: { ...memoryInbox(), start }, ignore });
    for (const kind of on) {
      if (kind === "other") receiver.onOther(nothing);
      else receiver.on(kind as "payment.completed", nothing);
    }
    await receiver.start();
    expect(start.mock.calls[0]?.[0].kinds?.toSorted()).toEqual(kinds?.toSorted());
  });

  test("do not have events stored whose undocumented kind is ignored", async () => {
    const receiver = receive({ ignore: ["refund.created", "Two words"], onUnhandled() {} });
    await receiver.start();
    for (const kind of ["refund.created", "Two words"]) {
      expect(await deliver(receiver, kind)).toBe(200);
    }
    expect(await receiver.stats()).toMatchObject({ waiting: 0, dead: 0 });
    expect(onError).not.toHaveBeenCalled();
  });

  test.each([
    "Payment.completed",
    " payment.completed",
    "payment completed",
    "payment.completed\u0000",
    "",
    `a${"b".repeat(100)}`,
    "p\u200bayment.completed",
  ])(
    "do not get an event whose kind is not a name: it is a dead letter at once: %j",
    async (kind) => {
      const onUnhandled = vi.fn();
      const handler = vi.fn();
      const receiver = receive({ onUnhandled });
      receiver.onOther(handler);
      await receiver.start();
      expect(await deliver(receiver, kind)).toBe(200);
      expect(await receiver.deadLetters.list()).toMatchObject([
        {
          event: kind.slice(0, 100),
          error: expect.stringContaining("is not a name such as"),
          attempts: 0,
        },
      ]);
      expect(handler).not.toHaveBeenCalled();
      expect(onUnhandled).not.toHaveBeenCalled();
      expect(onError).toHaveBeenCalledTimes(1);
      expect(onError.mock.calls[0]?.[0].message.length).toBeLessThan(600);
    },
  );

  test("leave out the kinds to ignore, without a notification", async () => {
    const onUnhandled = vi.fn();
    const receiver = receive({ ignore: ["payment.initiated", "refund.created"], onUnhandled });
    const got: string[] = [];
    receiver.onOther(({ event }) => got.push(event));
    expect(() => receiver.on("payment.initiated", nothing)).toThrow(/is in `ignore`/);
    await receiver.start();
    for (const kind of ["payment.initiated", "refund.created", "invoice.paid"]) {
      await deliver(receiver, kind);
    }
    await expect.poll(() => got).toEqual(["invoice.paid"]);
    expect(onUnhandled).not.toHaveBeenCalled();
    expect(onError).not.toHaveBeenCalled();
  });

  test.each([["payment.failed"], [""], [7]])(
    "reject an ignore that is not a list of kinds: %j",
    (kind) => {
      expect(() =>
        receive({ ignore: (kind === "payment.failed" ? kind : [kind]) as never }),
      ).toThrow(/^`ignore` must be a list of event kinds/);
    },
  );
});

describe("a handler", () => {
  test("gets the signed event again for every attempt", async () => {
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

  test("gets attempts from 1, and an idempotency key for each event", async () => {
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

  test("gets the same key in every process and every release", async () => {
    const got: string[] = [];
    for (const secret of [[SECRET], ["before", SECRET]]) {
      const receiver = receive({ secret });
      const handled = got.length;
      receiver.onOther((_, { idempotencyKey }) => got.push(idempotencyKey));
      await receiver.start();
      await deliver(receiver);
      await expect.poll(() => got).toHaveLength(handled + 1);
      await receiver.stop();
    }
    // printf '["payment.completed","reference","PAY-71"]' | openssl dgst -sha256
    expect([...new Set(got)]).toEqual([
      "6c4a90b109a1dd6e3142b6e4a8ad55d108dcba4880b033cbed9a3852e4e66577",
    ]);
  });
});

describe("a job of an inbox", () => {
  /** Has a handler process one job, as an inbox would. */
  async function run(handler: WebhookHandler, job: Partial<Job>): Promise<void> {
    const started: WorkerOptions[] = [];
    const start = async (options: WorkerOptions) => void started.push(options);
    const receiver = receive({ inbox: { ...memoryInbox(), start } });
    receiver.onOther(handler);
    await receiver.start();
    const { signal } = new AbortController();
    await started[0]?.run({ key: "k", raw: BODY, attempt: 1, signal, ...job });
  }

  test("does not start after its lease was lost", async () => {
    const handler = vi.fn();
    const signal = AbortSignal.abort(new Error("The lease was lost."));
    await expect(run(handler, { signal })).rejects.toThrow("The lease was lost.");
    expect(handler).not.toHaveBeenCalled();
  });

  test("aborts as soon as its lease is lost, with the reason", async () => {
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

  test("does not abort after it has ended", async () => {
    const lease = new AbortController();
    const signals: AbortSignal[] = [];
    await run((_, { signal }) => signals.push(signal), { signal: lease.signal });
    lease.abort(new Error("The lease was lost."));
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  test("always has a transaction: on an inbox without one, it rejects with a ConfigurationError", async () => {
    const write = vi.fn();
    const error = await run((_, { transaction }) => transaction(write), {}).catch((cause) => cause);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ isLastAttempt: true });
    expect(String(error)).toContain("this inbox has none, so nothing was written");
    expect(write).not.toHaveBeenCalled();
    const attempt = expect.objectContaining({ attempt: 1, willRetry: false });
    expect(onError.mock.calls).toEqual([[error, attempt]]);
  });

  test("tells whether the event was delivered or read", async () => {
    const sources: unknown[] = [];
    const note: WebhookHandler = (_, { source }) => sources.push(source);
    await run(note, {});
    await run(note, { source: "read" });
    expect(sources).toEqual(["webhook", "read"]);
  });

  test("passes the inbox's transaction to the handler", async () => {
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
  ])("%s processes %i at the same time, and not more", async (concurrency, most) => {
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
