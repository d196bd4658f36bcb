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

/** What may happen, in small worlds. The smallest come first. */
export const SCENARIOS: readonly Scenario[] = [
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
    name: "an order whose requests were rejected 19 times",
    rejected: 19,
    clicks: 3,
    faults: 1,
    may: ["reject"],
  },
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
  {
    ...base,
    name: "two reviews of one payment",
    clicks: 1,
    faults: 4,
    until: 1,
    may: ["amount", "contradict", "decide"],
  },
  { ...base, name: "two payments, and decisions", faults: 3, may: ["late", "decide"] },
  { ...base, name: "what is unknown", until: 5, clicks: 1, may: ["reject", "decide"] },
  {
    ...base,
    name: "old tabs and late successes",
    faults: 3,
    may: ["late", "contradict", "stale_tab"],
  },
];
