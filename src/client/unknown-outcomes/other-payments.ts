import type { Payment } from "../../contract/payment.ts";
import { signalsOf } from "../payment-signals.ts";
import { attemptsFor, referenceOf } from "./match-payments.ts";
import type { LookContext } from "./resolve-unknown.ts";

/**
 * The completed payments of an account reference that other idempotency keys made, as far as the
 * store remembers them.
 */
export async function otherCompletedPayments(
  context: LookContext,
  accountReference: string,
  reference: string,
): Promise<Payment[]> {
  const { accountReference: label } = signalsOf({ account_reference: accountReference });
  if (label === undefined) return [];
  const records = await attemptsFor(context, context.store.digest(label), context.baseUrl);
  const completed: Payment[] = [];
  for (const record of records) {
    if (record.state !== "succeeded") continue;
    const other = await referenceOf(context, record);
    if (other === undefined || other === reference) continue;
    const payment = await context.readPayment(other);
    if (payment.status === "completed") completed.push({ ...payment, reference: other });
  }
  return completed;
}
