import { expect, it, vi } from "vitest";
import { RULES, type Rule, type Rules } from "../../../src/checkout/rules.ts";
import { explore } from "./explore.ts";
import { promisesOf } from "./promises.ts";
import type { Scenario } from "./state.ts";

const base: Scenario = {
  name: "",
  processes: 1,
  orders: 1,
  clicks: 2,
  faults: 2,
  until: 2,
  may: [],
};

/** The smallest first. */
const SCENARIOS: readonly Scenario[] = [
  {
    ...base,
    name: "a clock that is set",
    processes: 2,
    clicks: 2,
    faults: 2,
    until: 1,
    may: ["clock"],
  },
  { ...base, name: "a clock that is set, and goods", clicks: 1, may: ["clock", "throw", "expire"] },
  { ...base, name: "one customer who never stops", clicks: 3, faults: 2, may: [] },
  {
    ...base,
    name: "two processes, one attempt",
    processes: 2,
    clicks: 1,
    faults: 1,
    may: ["reject"],
  },
  { ...base, name: "other money", may: ["amount", "currency", "decide"] },
  { ...base, name: "the end of an order", may: ["cancel", "expire", "late"] },
  {
    ...base,
    name: "two orders with one phone",
    processes: 2,
    orders: 2,
    clicks: 1,
    faults: 1,
    until: 1,
  },
  { ...base, name: "two processes, two attempts", processes: 2, faults: 1, may: ["reject"] },
  { ...base, name: "a payment is open again", faults: 3, may: ["reopen"] },
  { ...base, name: "a result cannot be read", faults: 2, clicks: 1, may: ["unreadable"] },
  { ...base, name: "the goods", clicks: 1, faults: 3, until: 4, may: ["throw", "decide"] },
  { ...base, name: "what is unknown", until: 5, clicks: 1, may: ["reject", "decide"] },
  {
    ...base,
    name: "old tabs and late successes",
    faults: 3,
    may: ["late", "contradict", "stale_tab"],
  },
];

// All states are visited without a pause, beside the processes of other tests.
vi.setConfig({ testTimeout: 300_000 });

it.each(SCENARIOS)("$name: every reachable state keeps the promises", (scenario) => {
  expect(explore(scenario, RULES).violation).toBeUndefined();
});

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
