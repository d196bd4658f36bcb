import { createSandbox } from "malipo/sandbox";
import { describe, expect, test } from "vitest";
import { countFaults, planFaults } from "../faults.ts";
import { createPlan } from "../plan.ts";

describe("the plan of a campaign", () => {
  test("is decided by the seed", () => {
    expect(createPlan("1", 300, 4, 6)).toEqual(createPlan("1", 300, 4, 6));
    expect(createPlan("2", 300, 4, 6)).not.toEqual(createPlan("1", 300, 4, 6));
    expect(planFaults("1", 300)).toEqual(planFaults("1", 300));
    expect(planFaults("2", 300)).not.toEqual(planFaults("1", 300));
  });

  test("gives each order a key, a label that fits and a phone of its own", () => {
    const { orders } = createPlan("1", 5_000, 4, 0);
    for (const field of ["id", "idempotencyKey", "phone"] as const) {
      expect(new Set(orders.map((order) => order[field])).size).toBe(orders.length);
    }
    expect(Math.max(...orders.map(({ id }) => id.length))).toBeLessThanOrEqual(12);
  });

  test("has double clicks on one worker and on several", () => {
    const double = createPlan("1", 200, 4, 0).orders.filter(({ clicks }) => clicks.length > 1);
    const onOne = double.filter(({ clicks }) => new Set(clicks).size === 1);
    expect(onOne.length).toBeGreaterThan(0);
    expect(onOne.length).toBeLessThan(double.length);
  });

  test("counts the faults that hit a request", async () => {
    const planned = planFaults("1", 2_000).filter(
      ({ endpoint, fault }) => endpoint === "payments.list" && fault.effect.kind === "status",
    );
    const sandbox = createSandbox();
    // In order, so that each request meets the next fault.
    for (const { fault } of planned) sandbox.faults.add({ ...fault, after: 0 });
    const headers = { "x-api-key": sandbox.keys.secret };
    const met: string[] = [];
    for (let request = 0; request < 3; request++) {
      const response = await sandbox.fetch(`${sandbox.baseUrl}/payments`, { headers });
      met.push(String(response.status));
      await response.text();
    }
    const left = sandbox.snapshot().faults as (typeof planned)[number]["fault"][];
    const counts = countFaults(planned, left).get("payments.list") ?? new Map<string, number>();
    const seen = [...counts].flatMap(([name, count]) =>
      Array.from({ length: count }, () => name.slice(0, 3)),
    );
    expect(planned.length).toBeGreaterThan(3);
    expect(seen.sort()).toEqual(met.sort());
  });
});
