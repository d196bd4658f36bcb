import { expect, test, vi } from "vitest";
import { allCases } from "../../src/drill/cases.ts";

test("an order and a phone of one drill come in no other one: a shop may keep its data", async () => {
  const [one] = allCases();
  const made = [];
  for (let drill = 0; drill < 3; drill++) {
    vi.resetModules();
    const { CaseRun } = await import("../../src/drill/case-run.ts");
    const run = new CaseRun(one as never, { settings: { phones: "0190" } } as never);
    expect(run.order).toMatch(/^[\dA-F]{12}$/);
    expect(run.phone).toMatch(/^0190\d{6}$/);
    expect(run.otherPhone).toMatch(/^0190\d{6}$/);
    made.push(run.order, run.phone);
  }
  expect(new Set(made).size).toBe(6);
});
