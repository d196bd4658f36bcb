import { expect, it } from "vitest";
import { RULES, type Rule, type Rules } from "../../../../src/checkout/rules/rules.ts";
import { explore } from "./explore.ts";
import { promisesOf } from "./promises.ts";
import { SCENARIOS } from "./scenarios.ts";

/** Most rules are missed within the first states of some scenario. */
const FIRST_STATES = 500;

/** The others, each with the scenario that misses it after more states. */
const MISSED_IN: Readonly<Record<string, string>> = {
  "an order that is paid, canceled or expired is not asked for": "an order that changes",
  "failed payments are read once more before the next prompt": "the end of an order",
  "a failed payment that the service calls open again is waited for, while a prompt lives":
    "a payment is open again",
  "an attempt that has ended or has a reference needs no look at its key":
    "two processes, one attempt",
  "a payment counts once": "parts, and an attempt of another amount",
  "money that was paid back before it was known pays nothing": "the goods",
  "the payment that a person accepted before it was known is the money of the order": "the goods",
  "a second completed payment is a review": "the end of an order",
  "an effect of which it is not known what was kept waits for a person":
    "goods of which it is not known what was kept",
  "goods that were not written with the others are a review":
    "goods of which it is not known what was kept",
  "money that was paid back is not accepted": "two reviews of one payment",
  "money is not accepted after another payment has paid the order": "parts that a person sees",
  "an order that was paid elsewhere takes no money": "an order that is paid elsewhere",
  "a payment that is not known was not paid back": "the goods",
  "an effect that a person accepts is tried at once": "other money",
  "goods that onPaid refused are given if a person wants it": "goods that onPaid refuses",
  "goods that a person found missing are given again":
    "goods of which it is not known what was kept",
  "goods that a person found are not given again": "goods of which it is not known what was kept",
};

const without = (kind: keyof Rules, name: string): Rules => ({
  ...RULES,
  [kind]: (RULES[kind] as readonly Rule[]).filter((one) => one.name !== name),
});

const NAMED = Object.entries(RULES).flatMap(([kind, rules]) =>
  (rules as readonly Rule[]).map((one) => ({ ...one, kind: kind as keyof Rules })),
);

it.each(NAMED)("without the rule “$name”, its promise is broken", ({ kind, name, promises }) => {
  const rules = without(kind, name);
  const missedIn = MISSED_IN[name];
  const scenarios = SCENARIOS.filter((one) => missedIn === undefined || one.name === missedIn);
  const enoughStates = missedIn === undefined ? FIRST_STATES : undefined;
  const isBroken = scenarios.some((scenario) => {
    const { violation } = explore(scenario, rules, enoughStates);
    return violation && promisesOf(violation.what).some((one) => promises.includes(one));
  });
  expect(isBroken).toBe(true);
});

it("the rules that are missed later are rules of the checkout", () => {
  const names = NAMED.map(({ name }) => name);
  expect(Object.keys(MISSED_IN).filter((name) => !names.includes(name))).toEqual([]);
});
