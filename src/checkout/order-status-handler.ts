import type { PaymentWaiter } from "../client/status/shared-wait.ts";
import { statusHandler } from "../client/status/status-handler.ts";
import type { Payment } from "../contract/payment.ts";
import { PaymentPendingError } from "../errors/payment.ts";
import type { Checkout } from "./checkout-options.ts";
import type { Order } from "./order-types.ts";
import type { Worker } from "./worker.ts";

/** What a page that follows an order learns, as the status of a payment. */
function progressOf(order: Order | undefined): Payment {
  if (order === undefined || order.status === "pending") return { status: "pending" };
  if (order.status === "paid") return { status: "completed" };
  const hasAsked = order.attempts.length > 0 || order.status !== "open" || !order.canPay;
  if (!hasAsked) return { status: "pending" };
  return { status: "failed", user_message: order.message, retry_possible: order.canPay };
}

/**
 * The name of what pages wait for together. It holds the number of attempts: pages that follow a new attempt must not
 * hear of the end of the one before.
 */
const waitName = (id: string, attempts: number): string => `${attempts}/${id}`;

/** A part of an address; `""` for a broken one. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

const orderInUrl = ({ url }: Request): string | undefined => {
  const { searchParams, pathname } = new URL(url);
  const last = pathname.split("/").filter(Boolean).at(-1);
  return searchParams.get("order") ?? (last === undefined ? undefined : decoded(last) || undefined);
};

/** The route that tells a page how an order is, as the status of a payment. */
export function orderStatusHandler(
  read: (id: string) => Promise<Order | undefined>,
  worker: Pick<Worker, "wait">,
): Checkout["statusHandler"] {
  const waiter: PaymentWaiter = {
    payments: {
      waitFor: (name, { waitMs = 60_000, signal, onUpdate } = {}) => {
        const id = name.slice(name.indexOf("/") + 1);
        const look = async () => {
          const order = await read(id);
          const payment = progressOf(order);
          onUpdate?.(payment);
          return {
            order: payment,
            isOver: payment.status === "completed" || payment.status === "failed",
          };
        };
        return worker.wait(id, waitMs, signal, look).then((payment) => {
          if (payment.status === "completed" || payment.status === "failed") return payment;
          throw new PaymentPendingError("The order is not paid yet.", id, payment);
        });
      },
    },
  };
  return ({ order = orderInUrl } = {}) => {
    const reference = async (request: Request) => {
      const id = await order(request);
      return id === undefined ? undefined : waitName(id, (await read(id))?.attempts.length ?? 0);
    };
    return statusHandler(waiter, { reference });
  };
}
