import { type Gateway, isGatewayError, type Payment, type Wakeups } from "malipo";
import type { Reply } from "./messages.ts";
import type { Order } from "./plan.ts";
import { WAIT_MS } from "./times.ts";

/** Where customers pay. */
export interface Counter {
  pay(order: Order): Promise<Reply>;
  ask(order: Order): Promise<Reply>;
}

/** What a merchant's code makes of an error: the one place where it has to think. */
function replyTo(error: unknown): Reply {
  if (!isGatewayError(error)) return { end: "broken", what: String(error) };
  const { code } = error;
  if (code === "payment_pending") return { end: "pending", reference: error.reference };
  if (error.outcome === "unknown") return { end: "unknown", code };
  // Nobody used this key with other parameters, nor gave any that are wrong.
  if (code === "idempotency_conflict" || code === "invalid_params" || code === "configuration") {
    return { end: "broken", what: String(error) };
  }
  return { end: "nothing", code };
}

export function createCounter(gateway: Gateway, { wake }: Wakeups): Counter {
  async function replyWith(payment: Promise<Payment>, known?: string): Promise<Reply> {
    const { reference = known ?? "", status } = await payment;
    return { end: "settled", answer: { reference, status } };
  }

  async function ask(order: Order): Promise<Reply> {
    const { idempotencyKey, phone, amount, id } = order;
    const { reference } = await gateway.mobileMoney.initiate(
      { phone, amount, account_reference: id },
      { idempotencyKey },
    );
    return replyWith(gateway.payments.waitFor(reference, { timeoutMs: WAIT_MS, wake }), reference);
  }

  async function collect({ idempotencyKey, phone, amount, id }: Order): Promise<Reply> {
    return replyWith(
      gateway.mobileMoney.collect(
        { phone, amount, account_reference: id },
        { idempotencyKey, timeoutMs: WAIT_MS, wake },
      ),
    );
  }

  return {
    pay: (order) => (order.way === "collect" ? collect(order) : ask(order)).catch(replyTo),
    ask: (order) => ask(order).catch(replyTo),
  };
}
