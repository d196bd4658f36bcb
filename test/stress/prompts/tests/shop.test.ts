import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Incident } from "../incidents/incident.ts";
import type { Click, JobName, Jobs, Reply } from "../messages.ts";
import { createPlan } from "../plan.ts";
import type { Pool } from "../pool.ts";
import { createShop, type ShopSetup } from "../shop.ts";

// The fake timers do not replace these.
vi.mock("node:timers/promises", () => ({
  setTimeout: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
}));

/** A shop of one order, whose workers give these replies to it, and the last one again and again. */
function shopThatGets(...replies: readonly Reply[]) {
  const incident: Incident = { at: "begun", act: "kill" };
  let happened = false;
  const clicks: (Incident | undefined)[] = [];
  const size = { payments: 1, workers: 1, kills: 0, clockSteps: 0, incidents: [] };
  const order = { ...createPlan("1", size).orders[0], clicks: [0] };
  const jobs: JobName[] = [];
  const over = new AbortController();
  const pool = {
    run: async <Name extends JobName>(_: number, job: Name, input: Jobs[Name]["input"]) => {
      jobs.push(job);
      clicks.push((input as Click).incident);
      return replies[Math.min(jobs.length, replies.length) - 1] as Jobs[Name]["output"];
    },
  };
  const shop = createShop({
    orders: [order as ShopSetup["orders"][number]],
    incidents: new Map([[order.idempotencyKey ?? "", incident]]),
    pool: pool as Partial<Pool> as Pool,
    sleepers: {} as ShopSetup["sleepers"],
    runner: { hasHappened: () => happened } as Partial<ShopSetup["runner"]> as ShopSetup["runner"],
    signal: over.signal,
  });
  const letHappen = () => {
    happened = true;
  };
  return { shop, jobs, over, clicks, letHappen };
}

const calm = Promise.resolve();
const result = { reference: "PAY-1", status: "completed" };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("the shop waits longer and longer before it pays again, so that a slow machine recovers", async () => {
  const { shop, jobs, over } = shopThatGets({ end: "not_paid", code: "timeout" });
  const sold = shop.sell(() => {}, calm);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(jobs.length).toBeGreaterThan(5);
  expect(jobs.length).toBeLessThan(20);
  over.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  await sold;
});

test("the shop pays again until an order has a final status", async () => {
  const notPaid: Reply = { end: "not_paid", code: "timeout" };
  const { shop, jobs } = shopThatGets(notPaid, notPaid, { end: "final", result });
  const sold = shop.sell(() => {}, calm);
  await vi.advanceTimersByTimeAsync(60_000);
  await sold;
  expect(jobs).toEqual(["pay", "pay", "pay"]);
  expect(shop.records()).toMatchObject([{ id: "ORDER-1", results: [result] }]);
});

test("an incident stays with its order until it has happened", async () => {
  const { shop, over, clicks, letHappen } = shopThatGets({ end: "not_paid", code: "connection" });
  const sold = shop.sell(() => {}, calm);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(clicks.length).toBeGreaterThan(5);
  expect(clicks).not.toContain(undefined);
  letHappen();
  const before = clicks.length;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(clicks.slice(before)).not.toEqual([]);
  expect(new Set(clicks.slice(before))).toEqual(new Set([undefined]));
  over.abort();
  await vi.advanceTimersByTimeAsync(60_000);
  await sold;
});
