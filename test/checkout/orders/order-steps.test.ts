import { expect, it } from "vitest";
import type { OrderWrite } from "../../../src/checkout/orders/checkout-store.ts";
import { newOrder } from "../../../src/checkout/orders/new-order.ts";
import { commitSteps } from "../../../src/checkout/orders/order-steps.ts";
import { runNow } from "../../../src/storage/room.ts";
import type { StepResult } from "../../../src/storage/sql-steps.ts";

const DONE: StepResult = { rows: [], changed: 1 };
const NOTHING: StepResult = { rows: [], changed: 0 };
const SETTINGS = { attemptLimit: 6, partPayments: "count" } as const;
const ORDER = newOrder(
  { id: "O-1", amount: "5.00", currency: "KES", metadata: {} },
  ...(["O-1", SETTINGS, 1] as const),
);

/** An order takes the payment PAY. @param answer - What a statement does when it runs for the nth time. */
function takePayment(answer: (name: string, time: number) => StepResult) {
  const write: OrderWrite = {
    ...{ order: ORDER, version: 1, now: 1, dueAt: undefined, references: ["PAY"], aliases: [] },
    ...{ prompts: [], limits: { prompts: 5, withinMs: 1, openMs: 1 } },
  };
  const names: string[] = [];
  const outcome = runNow(commitSteps(write), ([given]) => {
    const name = String(given);
    names.push(name);
    return answer(name, names.filter((one) => one === name).length);
  });
  return { outcome, names };
}

it("a payment whose report another process drops while an order takes it is the order's", () => {
  const { outcome, names } = takePayment((name, time) =>
    name === "update" || (name === "bind" && time === 2) ? DONE : NOTHING,
  );
  expect(outcome).toEqual({ state: "done", strays: [] });
  expect(names).toEqual(["update", "bind", "bindStray", "stray", "bind"]);
});

it("a payment that another order has taken, and that this transaction never sees, is foreign", () => {
  const { outcome, names } = takePayment((name) => (name === "update" ? DONE : NOTHING));
  expect(outcome).toEqual({ state: "foreign" });
  expect(names.filter((name) => name === "bind")).toHaveLength(3);
});
