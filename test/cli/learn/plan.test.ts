import { expect, test } from "vitest";
import { formatPlan } from "../../../src/cli/probe/plan.ts";

const planFor = (write: boolean, prompt: boolean) =>
  formatPlan([], {
    baseUrl: "https://gateway.example/v1",
    keyKind: "sandbox",
    phone: prompt ? "0712345678" : undefined,
    write,
  });

test("the plan of a probe that asks a phone says so, and how long it waits for it", () => {
  const plan = planFor(true, true);
  expect(plan).not.toContain("nothing to a customer");
  expect(plan).toMatch(/asks the phone 0712\*+678 to pay 1\.00.*waits.*at most 3 min/);
  expect(planFor(true, false)).toContain("It sends nothing to a customer.");
});
