import { expect, it } from "vitest";
import { RULES } from "../../../../src/checkout/rules/rules.ts";
import { explore } from "./explore.ts";
import { SCENARIOS } from "./scenarios.ts";

it.each(SCENARIOS)("$name: every reachable state keeps the promises", (scenario) => {
  expect(explore(scenario, RULES).violation).toBeUndefined();
});
