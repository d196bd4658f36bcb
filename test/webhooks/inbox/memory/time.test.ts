import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Job } from "../../../../src/webhooks/inbox/inbox-types.ts";
import { memoryInbox } from "../../../../src/webhooks/inbox/memory/inbox.ts";
import { DEFAULT_PACE } from "../../../../src/webhooks/inbox/pace.ts";
import { receiverOn } from "../../../suites/inbox-stage.ts";

describe("memoryInbox: time", () => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Lets time pass in steps of one poll, with the turns of the event loop between them. */
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      await vi.advanceTimersByTimeAsync(Math.min(left, 500));
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    }
  }

  const kindOf = async (inbox: ReturnType<typeof memoryInbox>, key: string) => {
    const raw = Buffer.from(key);
    const rest = { digest: "d", event: "e", raw, secretIndex: 0, receivedAt: 0, signedAt: 0 };
    return (await inbox.accept({ key, ...rest })).kind;
  };

  /** A started inbox, and the attempts at each key. */
  async function started(
    options: Parameters<typeof memoryInbox>[0],
    work: (job: Job) => Promise<void> = async () => {},
  ) {
    const inbox = memoryInbox(options);
    const attempts: Record<string, number[]> = {};
    const onError = vi.fn();
    const run = (job: Job) => {
      attempts[job.key] = [...(attempts[job.key] ?? []), job.attempt];
      return work(job);
    };
    await inbox.start({ run, concurrency: 4, onError });
    return { inbox, attempts, onError };
  }

  test("a processed event is remembered for the retention, each from its own end", async () => {
    const { inbox, attempts } = await started({
      retentionMs: 10_000,
      pace: { ...DEFAULT_PACE, minRetentionMs: 1 },
    });
    expect(await kindOf(inbox, "a")).toBe("accepted");
    await pass(4_000);
    expect(await kindOf(inbox, "b")).toBe("accepted");
    await pass(5_900);
    expect(await kindOf(inbox, "a")).toBe("duplicate");
    await pass(1_000);
    expect(await kindOf(inbox, "b")).toBe("duplicate");
    expect(await kindOf(inbox, "a")).toBe("accepted");
    // Its successor is not forgotten with it.
    await pass(1_000);
    expect(await kindOf(inbox, "a")).toBe("duplicate");
    expect(attempts).toEqual({ a: [1, 1], b: [1] });
    await inbox.stop(0);
  });

  test("an idle inbox polls twice a second, and when a retry is due", async () => {
    const { inbox } = await started(
      { pace: { leaseMs: 60_000, backoffMs: (attempt) => attempt * 100 } },
      () => Promise.reject(new Error("no stock")),
    );
    const nextPoll = () => {
      const before = performance.now();
      vi.advanceTimersToNextTimer();
      return performance.now() - before;
    };
    expect(nextPoll()).toBeCloseTo(500, -1);
    await kindOf(inbox, "a");
    await pass(1);
    expect(nextPoll()).toBeCloseTo(100, -1);
    await pass(1);
    expect(nextPoll()).toBeCloseTo(200, -1);
    await inbox.stop(0);
  });

  test("an inbox polls once for all events of a turn of the event loop", async () => {
    const { inbox, attempts } = await started({});
    const later = vi.spyOn(globalThis, "setTimeout");
    const keys = Array.from({ length: 50 }, (_, at) => `${at}`);
    await Promise.all(keys.map((key) => kindOf(inbox, key)));
    // A poll plans the next one.
    expect(later).not.toHaveBeenCalled();
    expect(attempts).toEqual({});
    await new Promise((resolve) => setImmediate(resolve));
    expect(later).toHaveBeenCalledTimes(1);
    vi.restoreAllMocks();
    while (Object.keys(attempts).length < keys.length) await new Promise(setImmediate);
    await inbox.stop(0);
  });

  test("a failed event is retried when its wait is over, and not earlier", async () => {
    const waits: number[] = [];
    const backoffMs = (attempt: number) => {
      waits.push(attempt);
      return attempt * 1_000;
    };
    const { inbox, attempts } = await started(
      { pace: { leaseMs: 60_000, backoffMs } },
      async ({ attempt }) => {
        if (attempt < 3) throw new Error("no stock");
      },
    );
    await kindOf(inbox, "a");
    await pass(1);
    await pass(989);
    expect(attempts).toEqual({ a: [1] });
    await pass(20);
    expect(attempts).toEqual({ a: [1, 2] });
    await pass(1_980);
    expect(attempts).toEqual({ a: [1, 2] });
    await pass(20);
    expect(attempts).toEqual({ a: [1, 2, 3] });
    expect(waits).toEqual([1, 2]);
    await inbox.stop(0);
  });

  test("a long retry runs once, and its lease is renewed without an error", async () => {
    const { inbox, attempts, onError } = await started(
      { pace: { leaseMs: 1_500, backoffMs: () => 100 } },
      ({ attempt }) => (attempt === 1 ? Promise.reject(new Error("once")) : new Promise(() => {})),
    );
    await kindOf(inbox, "a");
    await pass(10_000);
    expect(attempts).toEqual({ a: [1, 2] });
    expect(onError).not.toHaveBeenCalled();
    const stopped = inbox.stop(0);
    await pass(1);
    await stopped;
  });

  test("a dead letter says why the last attempt failed, whatever was thrown", async () => {
    const thrown: Record<string, unknown> = {
      error: new TypeError("no stock"),
      text: "no text",
      nothing: undefined,
      symbol: Symbol("odd"),
      bare: Object.create(null),
    };
    const { inbox } = await started(
      { pace: { leaseMs: 60_000, backoffMs: () => 1 } },
      async ({ key }) => {
        throw thrown[key];
      },
    );
    for (const key in thrown) await kindOf(inbox, key);
    await pass(10_000);
    const letters = await receiverOn(inbox).deadLetters.list();
    expect(letters).toEqual(
      [
        ["bare", "The handler threw a value that has no text."],
        ["error", "TypeError: no stock"],
        ["nothing", "undefined"],
        ["symbol", "Symbol(odd)"],
        ["text", "no text"],
      ].map(([id, error]) => expect.objectContaining({ id, attempts: 12, error })),
    );
    await inbox.stop(0);
  });
});
