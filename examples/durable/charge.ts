// A payment as one step of a durable workflow. An engine runs a step again after a crash, with the
// same order: the same idempotency key then finds the payment, and never prompts twice.
import { type Gateway, isGatewayError, type Payment } from "malipo";

export interface Order {
  readonly id: string;
  readonly amount: number;
  readonly phone: string;
}

/** The key is made from the order, never in the step from time or a random number. */
export function charge(gateway: Gateway, { id, amount, phone }: Order): Promise<Payment> {
  const params = { amount, phone, account_reference: id };
  return gateway.mobileMoney.collect(params, { idempotencyKey: `${id}/1` });
}

/** These errors are mistakes in the code or the settings: each run of the step would end the same. */
const MISTAKES: readonly unknown[] = [
  "configuration",
  "idempotency_conflict",
  "invalid_params",
  "key_type",
];

/** Whether the engine may run the step again. It must do so with the same key. */
export function mayRunAgain(error: unknown): boolean {
  if (!isGatewayError(error) || MISTAKES.includes(error.code)) return false;
  return error.outcome !== "rejected" || error.code === "rate_limit";
}
