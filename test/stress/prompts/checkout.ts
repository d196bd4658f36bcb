import { type Gateway, isGatewayError, type Payment, type Wakeups } from "malipo";
import { currentCall } from "../harness/worker.ts";
import type { Jobs, Reply } from "./messages.ts";
import type { Order } from "./plan.ts";
import { WAIT_MS } from "./time-limits.ts";

/** The part of the shop in which customers pay. */
export type Checkout = Pick<Jobs, "pay">;

/** How a merchant's code handles an error. */
function replyTo(error: unknown): Reply {
  if (!isGatewayError(error)) return { end: "unexpected", what: String(error) };
  const { code } = error;
  if (code === "payment_pending") return { end: "pending", reference: error.reference };
  if (code === "attempt_in_flight") return { end: "in_flight", code };
  if (code === "outcome_unknown") return { end: "unknown", code, attempt: error.attempt };
  if (error.outcome === "unknown") return { end: "unknown", code };
  // The shop never passes wrong parameters, nor other parameters under the same key.
  if (code === "idempotency_conflict" || code === "invalid_params" || code === "configuration") {
    return { end: "unexpected", what: String(error) };
  }
  return { end: "not_paid", code };
}

export function createCheckout(gateway: Gateway, { wake }: Wakeups): Checkout {
  async function replyWith(payment: Promise<Payment>, known?: string): Promise<Reply> {
    const { reference = known ?? "", status } = await payment;
    return { end: "final", result: { reference, status } };
  }

  async function initiate(order: Order): Promise<Reply> {
    const { phone, amount, id } = order;
    const { reference } = await gateway.mobileMoney.initiate(
      { phone, amount, account_reference: id },
      { idempotencyKey: id },
    );
    return replyWith(gateway.payments.waitFor(reference, { waitMs: WAIT_MS, wake }), reference);
  }

  const openConnection = () => gateway.payments.list({ per_page: 1 }).catch(() => {});

  async function collect({ phone, amount, id }: Order): Promise<Reply> {
    return replyWith(
      gateway.mobileMoney.collect(
        { phone, amount, account_reference: id },
        { idempotencyKey: id, waitMs: WAIT_MS, wake },
      ),
    );
  }

  return {
    pay: async ({ order, stopAt }) => {
      // A process that wakes on an open connection sends faster than its timers end the call.
      if (stopAt !== undefined && order.incident?.act === "sleep") await openConnection();
      const call = { key: order.id, stopAt };
      return currentCall
        .run(call, order.way === "collect" ? collect : initiate, order)
        .catch(replyTo);
    },
  };
}
