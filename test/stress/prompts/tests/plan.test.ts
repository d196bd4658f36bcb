import { createSandbox } from "malipo/sandbox";
import { describe, expect, test } from "vitest";
import { faultsMet, planFaults } from "../../harness/service/faults.ts";
import { incidentsFor } from "../incidents.ts";
import { planMore, planOrders } from "../plan.ts";

/** The orders of a campaign with every incident in it. */
const planFor = (seed: string, payments: number) =>
  planOrders(seed, { payments, workers: 4, incidents: incidentsFor(payments, () => true) });

describe("the plan of a campaign", () => {
  test("is decided by the seed", () => {
    expect(planFor("1", 300)).toEqual(planFor("1", 300));
    expect(planFor("2", 300)).not.toEqual(planFor("1", 300));
    expect(planFaults("1", 300)).toEqual(planFaults("1", 300));
    expect(planFaults("2", 300)).not.toEqual(planFaults("1", 300));
  });

  test("assigns each order a key that fits as a label, and a separate phone", () => {
    const orders = planFor("1", 5_000);
    for (const field of ["id", "phone"] as const) {
      expect(new Set(orders.map((order) => order[field])).size).toBe(orders.length);
    }
    expect(Math.max(...orders.map(({ id }) => id.length))).toBeLessThanOrEqual(12);
  });

  test("has double clicks on one worker and on several", () => {
    const double = planFor("1", 200).filter(({ clicks }) => clicks.length > 1);
    const onOne = double.filter(({ clicks }) => new Set(clicks).size === 1);
    expect(onOne.length).toBeGreaterThan(0);
    expect(onOne.length).toBeLessThan(double.length);
  });

  test.each([40, 300, 2_000])(
    "has every kind of incident, each in a separate order: %i",
    (payments) => {
      const orders = planFor("1", payments);
      const incidents = orders.flatMap(({ incident }) => incident ?? []);
      expect(new Set(incidents.map(({ name }) => name)).size).toBe(14);
      expect(incidents.length).toBe(incidentsFor(payments, () => true).length);
    },
  );

  test("has more orders for a hard state that never came", () => {
    const kinds = [{ incident: "killed at begun" }, { isLate: true }];
    const more = planMore("1", 1, kinds);
    expect(new Set(more.map(({ id }) => id)).size).toBe(8);
    expect(more.map(({ incident }) => incident?.name ?? "")).toEqual([
      ...Array(4).fill("killed at begun"),
      ...Array(4).fill(""),
    ]);
    expect(more.slice(4)).toEqual(more.slice(4).map((one) => ({ ...one, isLate: true })));
  });

  test("has only the incidents that are possible", () => {
    const kinds = incidentsFor(100, ({ act }) => act === "clock");
    expect(kinds.map(({ act }) => act)).toEqual(["clock", "clock", "clock"]);
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
    const seen = faultsMet(planned, left).map(({ name }) => name.slice(0, 3));
    expect(planned.length).toBeGreaterThan(3);
    expect(seen.sort()).toEqual(met.sort());
  });
});
