import { expect, it, vi } from "vitest";
import { RULES } from "../../../src/checkout/rules.ts";
import { explore } from "./explore.ts";
import { SCENARIOS } from "./scenarios.ts";

// All states are visited without a pause, beside the processes of other tests.
vi.setConfig({ testTimeout: 300_000 });

it.each(SCENARIOS)("$name: every reachable state keeps the promises", (scenario) => {
  expect(explore(scenario, RULES).violation).toBeUndefined();
});
