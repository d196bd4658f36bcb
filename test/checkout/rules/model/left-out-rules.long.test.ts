import { expect, it } from "vitest";
import { RULES, type Rule, type Rules } from "../../../../src/checkout/rules/rules.ts";
import { explore } from "./explore.ts";
import { promisesOf } from "./promises.ts";
import { SCENARIOS } from "./scenarios.ts";

/** Most rules are missed within the first states of one of the first scenarios. */
const FIRST_STATES = 500;

/** The others, each with a scenario that misses it. */
const MISSED_IN: Readonly<Record<string, string>> = {
  "an order that is paid, canceled or expired is not asked for": "an order that changes",
  "a page that shows an earlier attempt starts none": "old tabs and late successes",
  "failed payments are read once more before the next prompt": "the end of an order",
  "a failed payment that the service calls open again is waited for, while a prompt lives":
    "a payment is open again",
  "an attempt that has ended or has a reference needs no look at its key":
    "two processes, one attempt",
  "a payment that is reported twice with different data is a contradiction":
    "two reviews of one payment",
  "a payment counts once": "parts, and an attempt of another amount",
  "money that was paid back before it was known pays nothing": "the goods",
  "an order takes at most 50 payments that no attempt has asked for": "49 parts",
  "the payment that a person accepted before it was known is the money of the order": "the goods",
  "a second completed payment is a review": "the end of an order",
  "a part is a review, if the merchant wants to see it": "parts that a person sees",
  "a completed payment does not fail": "two reviews of one payment",
  "a phone is not asked too often": "two orders with one phone",
  "an effect that failed is due again": "money that is paid back in parts",
  "an effect of which it is not known what was kept waits for a person":
    "goods of which it is not known what was kept",
  "goods that were not written with the others are a review":
    "goods of which it is not known what was kept",
  "money that onPaid refuses is to be paid back": "goods that onPaid refuses",
  "an order that is paid, canceled or expired does not change": "an order that changes, and ends",
  "an order does not change while a phone is asked": "an order that changes",
  "an order grows or shrinks until it is paid, which it is if what has come is enough":
    "an order that changes",
  "a review is decided once": "parts that a person sees",
  "money that was paid back is not accepted": "two reviews of one payment",
  "money is not accepted after another payment has paid the order": "parts that a person sees",
  "an order that was paid elsewhere takes no money": "an order that is paid elsewhere",
  "a payment that is not known was not paid back": "the goods",
  "goods whose money was paid back are not given any more": "two reviews of one payment",
  "an unknown outcome that is not accepted ends its attempt": "what is unknown",
  "an effect that a person accepts is tried at once": "other money",
  "goods that onPaid refused are given if a person wants it": "goods that onPaid refuses",
  "goods that a person found missing are given again":
    "goods of which it is not known what was kept",
  "goods that a person found are not given again": "goods of which it is not known what was kept",
  "a refund has one amount, and is that of one payment":
    "a refund that is named when a review is decided",
  "a refund has one amount": "money that is paid back in parts",
  "a refund is noted once": "money that is paid back in parts",
  "no more is paid back than came": "money that is paid back in parts",
  "goods are not given any more if all their money was paid back":
    "money that is paid back in parts",
  "what was paid back is noted": "money that is paid back in parts",
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

it("what is missed in one scenario is a rule of the checkout", () => {
  const names = NAMED.map(({ name }) => name);
  expect(Object.keys(MISSED_IN).filter((name) => !names.includes(name))).toEqual([]);
});
