import { memoryInbox } from "malipo/webhooks";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Job } from "../../../src/webhooks/inbox/types.ts";
import { inboxSuite } from "../../suites/inbox.ts";

inboxSuite("memoryInbox", {
  isAlone: true,
  fresh: async () => {
    const inbox = memoryInbox({ pace: { leaseMs: 1_500, backoffMs: () => 5 } });
    return { open: () => inbox };
  },
});

describe("memoryInbox: time", () => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Lets time pass in steps of one look, with what is done between them. */
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      await vi.advanceTimersByTimeAsync(Math.min(left, 500));
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    }
  }

  const standing = async (inbox: ReturnType<typeof memoryInbox>, key: string) => {
    const raw = Buffer.from(key);
    const rest = { digest: "d", event: "e", raw, secretIndex: 0, receivedAt: 0 };
    return (await inbox.accept({ key, ...rest })).standing;
  };

  /** An inbox at work, and the attempts in which it works each key. */
  async function working(
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

  test("what was done is remembered for as long as was said, each from its own end", async () => {
    const { inbox, attempts } = await working({ retentionMs: 10_000 });
    expect(await standing(inbox, "a")).toBe("accepted");
    await pass(4_000);
    expect(await standing(inbox, "b")).toBe("accepted");
    await pass(5_900);
    expect(await standing(inbox, "a")).toBe("duplicate");
    await pass(1_000);
    expect(await standing(inbox, "b")).toBe("duplicate");
    expect(await standing(inbox, "a")).toBe("accepted");
    // What is forgotten is forgotten once: its successor is not.
    await pass(1_000);
    expect(await standing(inbox, "a")).toBe("duplicate");
    expect(attempts).toEqual({ a: [1, 1], b: [1] });
    await inbox.stop(0);
  });

  test("an inbox with nothing to do looks twice a second, or when a wait is over", async () => {
    const { inbox } = await working(
      { pace: { leaseMs: 60_000, backoffMs: (attempt) => attempt * 100 } },
      () => Promise.reject(new Error("no stock")),
    );
    const nextLook = () => {
      const before = performance.now();
      vi.advanceTimersToNextTimer();
      return performance.now() - before;
    };
    expect(nextLook()).toBeCloseTo(500, -1);
    await standing(inbox, "a");
    await pass(1);
    expect(nextLook()).toBeCloseTo(100, -1);
    await pass(1);
    expect(nextLook()).toBeCloseTo(200, -1);
    await inbox.stop(0);
  });

  test("what failed is worked again when its wait is over, and no sooner", async () => {
    const waits: number[] = [];
    const backoffMs = (attempt: number) => {
      waits.push(attempt);
      return attempt * 1_000;
    };
    const { inbox, attempts } = await working(
      { pace: { leaseMs: 60_000, backoffMs } },
      async ({ attempt }) => {
        if (attempt < 3) throw new Error("no stock");
      },
    );
    await standing(inbox, "a");
    await pass(990);
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

  test("what runs long after a failure runs once, and its lease is renewed without complaint", async () => {
    const { inbox, attempts, onError } = await working(
      { pace: { leaseMs: 1_500, backoffMs: () => 100 } },
      ({ attempt }) => (attempt === 1 ? Promise.reject(new Error("once")) : new Promise(() => {})),
    );
    await standing(inbox, "a");
    await pass(10_000);
    expect(attempts).toEqual({ a: [1, 2] });
    expect(onError).not.toHaveBeenCalled();
    const stopped = inbox.stop(0);
    await pass(1);
    await stopped;
  });

  test("what was given up says what the last attempt failed with, whatever was thrown", async () => {
    const thrown: Record<string, unknown> = {
      error: new TypeError("no stock"),
      text: "no text",
      nothing: undefined,
      symbol: Symbol("odd"),
      bare: Object.create(null),
    };
    const { inbox } = await working(
      { pace: { leaseMs: 60_000, backoffMs: () => 1 } },
      async ({ key }) => {
        throw thrown[key];
      },
    );
    for (const key in thrown) await standing(inbox, key);
    await pass(10_000);
    const letters = await inbox.deadLetters();
    expect(letters).toEqual(
      [
        ["error", "TypeError: no stock"],
        ["text", "no text"],
        ["nothing", "undefined"],
        ["symbol", "Symbol(odd)"],
        ["bare", "Something was thrown that has no text."],
      ].map(([id, error]) => ({ id, event: "e", body: id, attempts: 12, error })),
    );
    await inbox.stop(0);
  });
});
