import { expect, test } from "vitest";
import { formatPlan } from "../../src/cli/learn/ask-service.ts";
import { rendered } from "../../src/cli/terminal/output.ts";
import { chooseSteps } from "../../src/learn/probe/steps.ts";

test("the plan of a probe with every flag has at most 6,000 characters", () => {
  const choices = {
    write: true,
    phone: "254712345678",
    publicKey: "pk_a",
    keyKind: "sandbox",
  } as const;
  const settings = { ...choices, baseUrl: "https://service.example/v1" };
  const plan = rendered(formatPlan(chooseSteps(choices), settings, {}, "malipo.service.json"));
  expect(plan.length).toBeGreaterThan(2_000);
  expect(plan.length).toBeLessThanOrEqual(6_000);
});
