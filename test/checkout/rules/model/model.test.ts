import { expect, it } from "vitest";
import { RULES } from "../../../../src/checkout/rules/rules.ts";
import { explore } from "./explore.ts";
import { SCENARIOS } from "./scenarios.ts";

/** By the shortest ways. `model.long.test.ts` visits all. */
const STATES = 2_000;

it.each(SCENARIOS)(`$name: the first ${STATES} states keep the promises`, (scenario) => {
  expect(explore(scenario, RULES, STATES).violation).toBeUndefined();
});
