import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Shares } from "../../../../src/webhooks/inbox/bullmq/shares.ts";
import { gateOf } from "../../../suites/inbox-stage.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

const { signal } = new AbortController();

/** Runs a handler of a merchant, which ends after some time. */
async function handlerOf(shares: Shares, merchant: string, ms: number): Promise<void> {
  await shares.use(merchant, signal, async () => void vi.advanceTimersByTime(ms));
}

describe("a job is deferred", () => {
  test("for 100 ms at first, and later and later while no handler of its merchant ends", () => {
    const shares = new Shares(8);
    expect(shares.deferMs("a")).toBe(100);
    vi.advanceTimersByTime(10_000);
    expect(shares.deferMs("a")).toBe(10_000);
    expect(shares.deferMs("b")).toBe(100);
    vi.advanceTimersByTime(600_000);
    expect(shares.deferMs("a")).toBe(60_000);
  });

  test("until those before it have ended, by the time that handlers take", async () => {
    const shares = new Shares(8);
    // While another handler of the merchant runs, it is not forgotten.
    const [gate, open] = gateOf<void>();
    const other = shares.use("a", signal, () => gate);
    shares.deferMs("a");
    for (let times = 0; times < 50; times++) await handlerOf(shares, "a", 1_000);
    const waits = [1, 2, 3].map(() => Math.round(shares.deferMs("a")));
    expect(waits).toEqual([500, 1_000, 1_500]);
    open();
    await other;
  });

  test("and its merchant is forgotten when none of its events is here and none comes back", async () => {
    const shares = new Shares(8);
    shares.deferMs("a");
    vi.advanceTimersByTime(5_000);
    await handlerOf(shares, "a", 1);
    expect(shares.deferMs("a")).toBe(100);
  });
});

describe("a handler", () => {
  test("waits for a place of its merchant, and others go on", async () => {
    const shares = new Shares(4);
    const [gate, open] = gateOf<void>();
    const begun: string[] = [];
    const use = (merchant: string) =>
      shares.use(merchant, signal, async () => {
        begun.push(merchant);
        await gate;
      });
    const all = ["a", "a", "a", "b"].map(use);
    await new Promise(setImmediate);
    expect(begun).toEqual(["a", "a", "b"]);
    open();
    await Promise.all(all);
    expect(begun).toEqual(["a", "a", "b", "a"]);
  });

  test("that waits rejects when its signal aborts, and leaves its place to others", async () => {
    const shares = new Shares(1);
    const [gate, open] = gateOf<void>();
    const running = shares.use("a", signal, () => gate);
    const controller = new AbortController();
    const waiting = shares.use("b", controller.signal, async () => "b");
    controller.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    const next = shares.use("c", signal, async () => "c");
    open();
    await running;
    expect(await next).toBe("c");
    await expect(shares.use("b", controller.signal, async () => "b")).rejects.toThrow("stopped");
  });
});
