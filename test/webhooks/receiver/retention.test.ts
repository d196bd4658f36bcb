import { createWebhookReceiver, type Inbox, signWebhook } from "malipo/webhooks";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { memoryInbox } from "../../../src/webhooks/inbox/memory/inbox.ts";
import { SECRET } from "../../suites/webhook-sample.ts";

const DAY_MS = 86_400_000;
const onError = vi.fn();
beforeEach(() => void onError.mockReset());

/** A receiver on an inbox that remembers events for some days. */
async function started(days: number | undefined, options: object = {}) {
  const handler = vi.fn();
  const retentionMs = days === undefined ? undefined : days * DAY_MS;
  const inbox: Inbox = { ...memoryInbox(), retentionMs };
  const receiver = createWebhookReceiver({ secret: SECRET, inbox, onError, ...options });
  receiver.onOther(handler);
  await receiver.start();
  const deliver = async (reference: string, timestamp: unknown) => {
    const body = JSON.stringify({ event: "payment.completed", timestamp, data: { reference } });
    const headers = { "x-service-signature": signWebhook(body, SECRET) };
    return (await receiver.handle({ method: "POST", headers, body })).status;
  };
  return { receiver, handler, deliver };
}

const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

describe("an event that was signed before the retention of the inbox", () => {
  test("is stored as a dead letter, reported once, and processed when it is requeued", async () => {
    const { receiver, handler, deliver } = await started(14);
    expect(await deliver("P-1", ago(20))).toBe(200);
    expect(await deliver("P-1", ago(20))).toBe(200);
    const letters = await receiver.deadLetters.list();
    expect(letters.map(({ error }) => error)).toEqual([
      "The event was signed 20 days ago, and the inbox remembers events for 14 days: it may have been processed before.",
    ]);
    expect(onError.mock.calls.map(([error]) => error.message)).toEqual([
      expect.stringMatching(
        /^A delivery of "payment.completed" was stored as a dead letter\. .*requeue/,
      ),
    ]);
    expect(handler).not.toHaveBeenCalled();
    await receiver.deadLetters.requeue(letters[0]?.id ?? "");
    await expect.poll(() => handler.mock.calls.length).toBe(1);
    await receiver.stop();
  });

  test.each<[string, number | undefined, unknown]>([
    ["of this moment", 14, ago(0)],
    ["ahead of the clock", 14, ago(-1)],
    ["within the retention", 14, ago(13.9)],
    ["of the last day, if the retention is shorter", 0.001, ago(0.99)],
    ["of any age, if the inbox has no retention", undefined, "2000-01-01T00:00:00Z"],
  ])("does not include one %s", async (_, days, timestamp) => {
    const { receiver, handler, deliver } = await started(days);
    expect(await deliver("P-1", timestamp)).toBe(200);
    await expect.poll(() => handler.mock.calls.length).toBe(1);
    await receiver.stop();
    expect(onError).not.toHaveBeenCalled();
  });

  test("is found although the clock is five minutes behind", async () => {
    const { receiver, deliver } = await started(14);
    await deliver("P-1", ago(14 - 4 / 1_440));
    expect(await receiver.deadLetters.list()).toHaveLength(1);
    await receiver.stop();
  });

  test("is found by the time that `now` returns", async () => {
    const now = () => new Date("2026-01-02T00:00:00Z");
    const { receiver, handler, deliver } = await started(14, { now });
    await deliver("P-1", "2026-01-01T00:00:00Z");
    await deliver("P-2", "2025-12-01T00:00:00Z");
    await expect.poll(() => handler.mock.calls.length).toBe(1);
    expect(await receiver.deadLetters.list()).toHaveLength(1);
    await receiver.stop();
  });
});

describe("an event without a timestamp that can be read", () => {
  test.each([undefined, "yesterday", "0001-01-01T00:00:00Z"])(
    "is processed, and reported once: %j",
    async (timestamp) => {
      const { receiver, handler, deliver } = await started(14);
      for (const reference of ["P-1", "P-2"]) {
        expect(await deliver(reference, timestamp)).toBe(200);
      }
      await expect.poll(() => handler.mock.calls.length).toBe(2);
      expect(onError.mock.calls.map(([error]) => error.message)).toEqual([
        expect.stringContaining(`no timestamp that can be read; got ${JSON.stringify(timestamp)}`),
      ]);
      await receiver.stop();
    },
  );
});

test("an event whose timestamp nests 50,000 levels deep is processed, and reported", async () => {
  const { receiver, handler } = await started(14);
  const deep = "[".repeat(50_000) + "]".repeat(50_000);
  const body = `{"event":"payment.completed","timestamp":${deep},"data":{"reference":"P-1"}}`;
  const headers = { "x-service-signature": signWebhook(body, SECRET) };
  expect((await receiver.handle({ method: "POST", headers, body })).status).toBe(200);
  await expect.poll(() => handler.mock.calls.length).toBe(1);
  expect(onError.mock.calls.map(([error]) => error.message)).toEqual([
    expect.stringContaining("no timestamp that can be read; got [[["),
  ]);
  await receiver.stop();
});

describe("an inbox that knows the time and what it remembers", () => {
  /** The clock of its engine, and the moment since which it remembers events. */
  const engine = { now: 0, remembersSince: 0 };
  const horizon = vi.fn(async () => ({ ...engine }));
  beforeEach(() => {
    horizon.mockClear();
    engine.now = Date.now();
    engine.remembersSince = engine.now - 14 * DAY_MS;
  });
  const withHorizon = (options: object = {}) =>
    started(14, { inbox: { ...memoryInbox(), retentionMs: 14 * DAY_MS, horizon }, ...options });

  test("decides what is too old, not the clock of this machine", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 20 * DAY_MS);
    const { receiver, handler, deliver } = await withHorizon();
    const genuine = new Date(engine.now).toISOString();
    expect(await deliver("P-1", genuine)).toBe(200);
    expect(await deliver("P-2", new Date(engine.remembersSince - 1_000).toISOString())).toBe(200);
    vi.useRealTimers();
    await expect.poll(() => handler.mock.calls.length).toBe(1);
    expect(await receiver.deadLetters.list()).toHaveLength(1);
    await receiver.stop();
  });

  test("decides although its retention is longer now: it has forgotten more before", async () => {
    engine.remembersSince = engine.now - 2 * DAY_MS;
    const { receiver, deliver } = await withHorizon();
    await deliver("P-1", ago(3));
    expect((await receiver.deadLetters.list()).map(({ error }) => error)).toEqual([
      "The event was signed 3 days ago, and the inbox remembers events for 2 days: it may have been processed before.",
    ]);
    await receiver.stop();
  });

  test("is asked once a minute, and again as soon as a clock says so", async () => {
    const { receiver, deliver } = await withHorizon();
    await Promise.all(["P-1", "P-2", "P-3"].map((reference) => deliver(reference, ago(0))));
    expect(horizon).toHaveBeenCalledTimes(1);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 61_000);
    await deliver("P-4", ago(0));
    await deliver("P-5", ago(0));
    vi.useRealTimers();
    expect(horizon).toHaveBeenCalledTimes(2);
    await receiver.stop();
  });

  test("rejects a delivery while it cannot tell", async () => {
    horizon.mockRejectedValueOnce(new Error("The engine is away."));
    const { receiver, deliver } = await withHorizon();
    expect(await deliver("P-1", ago(0))).toBe(503);
    expect(await deliver("P-1", ago(0))).toBe(200);
    await receiver.stop();
  });

  test("says after three old events in a row that a clock may be wrong", async () => {
    const { receiver, deliver } = await withHorizon();
    for (const [reference, days] of [
      ["P-1", 20],
      ["P-2", 0],
      ["P-3", 20],
      ["P-4", 20],
      ["P-5", 20],
    ] as const) {
      await deliver(reference, ago(days));
    }
    const errors = (await receiver.deadLetters.list()).map(({ error }) => error);
    expect(errors.map((error) => error.includes("check the clock of this machine"))).toEqual([
      false,
      false,
      false,
      true,
    ]);
    await receiver.stop();
  });
});

test("`now` is the time for maxAgeSeconds too", async () => {
  const now = () => new Date("2026-01-01T00:01:00Z");
  const { receiver, deliver } = await started(undefined, { now, maxAgeSeconds: 90 });
  expect(await deliver("P-1", "2026-01-01T00:00:00Z")).toBe(200);
  expect(await deliver("P-2", "2025-12-31T23:59:00Z")).toBe(401);
  await receiver.stop();
});
