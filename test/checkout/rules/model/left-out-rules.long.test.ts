import { expect, it, vi } from "vitest";
import { RULES, type Rule, type Rules } from "../../../../src/checkout/rules/rules.ts";
import { explore } from "./explore.ts";
import { promisesOf } from "./promises.ts";
import { SCENARIOS } from "./scenarios.ts";

// A rule that only a long way needs makes all states of several scenarios be visited.
vi.setConfig({ testTimeout: 900_000 });

const without = (kind: keyof Rules, name: string): Rules => ({
  ...RULES,
  [kind]: (RULES[kind] as readonly Rule[]).filter((one) => one.name !== name),
});

const NAMED = Object.entries(RULES).flatMap(([kind, rules]) =>
  (rules as readonly Rule[]).map((one) => ({ ...one, kind: kind as keyof Rules })),
);

it.each(NAMED)("without the rule “$name”, its promise is broken", ({ kind, name, promises }) => {
  const rules = without(kind, name);
  // Most ways are short, so that a look at the beginning of each scenario comes first.
  const isBroken = [500, 5_000, Number.POSITIVE_INFINITY].some((enoughStates) =>
    SCENARIOS.some((scenario) => {
      const { violation } = explore(scenario, rules, enoughStates);
      return violation && promisesOf(violation.what).some((one) => promises.includes(one));
    }),
  );
  expect(isBroken).toBe(true);
});
