import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { incidentsFor } from "../incidents.ts";
import type { Click, Jobs, Reply } from "../messages.ts";
import { planOrders } from "../plan.ts";
import { Shop, type ShopSetup } from "../shop.ts";

// The fake timers do not replace these.
vi.mock("node:timers/promises", () => ({
  setTimeout: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
}));

/** A shop of one order, whose workers give these replies to it, and the last one again and again. */
function shopThatGets(...replies: readonly Reply[]) {
  let happened = false;
  const stops: Click["stopAt"][] = [];
  const incidents = incidentsFor(1, ({ name }) => name === "killed at begun");
  const size = { payments: 1, workers: 1, incidents };
  const orders = planOrders("1", size).map((order) => ({ ...order, clicks: [0] }));
  const jobs: (keyof Jobs)[] = [];
  const over = new AbortController();
  const run = async (_: number, job: keyof Jobs, input: unknown) => {
    jobs.push(job);
    stops.push((input as Click).stopAt);
    return replies[Math.min(jobs.length, replies.length) - 1];
  };
  const shop = new Shop({
    pool: { run } as ShopSetup["pool"],
    payApart: async () => undefined,
    hasHappened: () => happened,
    stopped: async () => {},
    signal: over.signal,
  });
  const letHappen = () => {
    happened = true;
  };
  return { sell: () => shop.sell(orders, () => {}), shop, jobs, over, stops, letHappen };
}

const result = { reference: "PAY-1", status: "completed" };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("the shop waits longer and longer before it pays again, so that a slow machine recovers", async () => {
  const { sell, jobs, over } = shopThatGets({ end: "not_paid", code: "timeout" });
  const sold = sell();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(jobs.length).toBeGreaterThan(5);
  expect(jobs.length).toBeLessThan(20);
  over.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  await sold;
});

test("the shop pays again until an order has a final status", async () => {
  const notPaid: Reply = { end: "not_paid", code: "timeout" };
  const { sell, shop, jobs } = shopThatGets(notPaid, notPaid, { end: "final", result });
  const sold = sell();
  await vi.advanceTimersByTimeAsync(60_000);
  await sold;
  expect(jobs).toEqual(["pay", "pay", "pay"]);
  expect(shop.records()).toMatchObject([{ key: "ORDER-1", results: [result] }]);
});

test("an incident stays with its order until it has happened", async () => {
  const { sell, over, stops, letHappen } = shopThatGets({ end: "not_paid", code: "connection" });
  const sold = sell();
  await vi.advanceTimersByTimeAsync(30_000);
  expect(stops.length).toBeGreaterThan(5);
  expect(stops).not.toContain(undefined);
  letHappen();
  const before = stops.length;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(stops.slice(before)).not.toEqual([]);
  expect(new Set(stops.slice(before))).toEqual(new Set([undefined]));
  over.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  await sold;
});
