// A payment as one step of a durable workflow, which runs a step again after a crash, with the
// same order: the checkout then finds the attempt, and never prompts twice.
import { isGatewayError } from "malipo";
import type { Checkout, CustomerOrder, PayParams } from "malipo/checkout";

/** Asks the phone at the first run, and resolves with the order when nothing is under way. */
export async function charge(checkout: Checkout, params: PayParams): Promise<CustomerOrder> {
  await checkout.pay(params, { after: 0 }); // the first attempt, however often the step runs
  const order = await checkout.wait(params.id, { waitMs: 120_000 });
  if (order === undefined || order.status === "pending") {
    throw new Error(`It is not known yet whether ${params.id} was paid.`); // the step runs again
  }
  return order;
}

/** These errors are mistakes in the code or the settings: each run of the step would end the same. */
const MISTAKES: readonly unknown[] = ["configuration", "invalid_params", "order_conflict"];

/** Whether the workflow engine may run the step again. */
export const mayRunAgain = (error: unknown): boolean =>
  !(isGatewayError(error) && MISTAKES.includes(error.code));
