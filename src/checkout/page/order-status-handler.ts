import type { Subscribe } from "../../client/status/shared-wait.ts";
import {
  FIRST_READ_MS,
  nothingToFollow,
  onlyGet,
  progressResponse,
  streamResponse,
  unreadable,
  wantsStream,
} from "../../client/status/status-response.ts";
import type { Payment } from "../../contract/payment.ts";
import { isFinal } from "../../contract/payment-state.ts";
import { withTimeout } from "../../internal/timeout.ts";
import { HOUR_MS } from "../../internal/units.ts";
import type { OrderWaits } from "../orders/order-waits.ts";
import type { CustomerOrder } from "../rules/order-types.ts";

/** The route that a page follows an order by. */
export interface StatusRoute {
  /**
   * The route for `followPayment` and `usePayment`.
   *
   * @param options - `order`: returns the id of the order that the page may see. Default: the query
   * parameter `order`, else the last part of the path. It responds 404 if the order does not exist.
   */
  statusHandler(options?: {
    order?: (request: Request) => string | null | undefined | Promise<string | null | undefined>;
  }): (request: Request) => Promise<Response>;
}

/** What a page that follows an order learns, as the status of a payment. */
function progressOf(order: CustomerOrder | undefined): Payment {
  if (order === undefined || order.status === "pending") return { status: "pending" };
  const { message: user_message, messageCode: message_code } = order;
  const says = { user_message, ...(message_code !== undefined && { message_code }) };
  if (order.effect === "refused" || order.effect === "refunded") {
    return { status: "failed", ...says, retry_possible: false };
  }
  if (order.status === "paid") return { status: "completed" };
  const hasAsked = order.attempts.length > 0 || order.status !== "open" || !order.canPay;
  if (!hasAsked) return { status: "pending" };
  return { status: "failed", ...says, retry_possible: order.canPay };
}

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

/** A stream that goes on longer is opened again by its page. */
const STREAM_MS = HOUR_MS;

/** How an order goes, for one page. */
const followOrder =
  (waits: OrderWaits, id: string): Subscribe =>
  (listener) => {
    const controller = new AbortController();
    let shown: string | undefined;
    const look = (order: CustomerOrder | undefined) => {
      const payment = progressOf(order);
      const final = isFinal(payment.status);
      const isOver = final || order === undefined;
      if (order !== undefined && payment.status !== shown) listener({ payment, final });
      shown = payment.status;
      return { value: undefined, isOver };
    };
    waits.wait(id, STREAM_MS, controller.signal, look).then(
      () => listener({ final: false, isCut: true }),
      (error: unknown) => listener({ final: false, error }),
    );
    return () => controller.abort();
  };

/** The route that tells a page how an order is, as the status of a payment. */
export function orderStatusHandler(
  waits: OrderWaits,
  onError: (error: unknown) => void,
): StatusRoute["statusHandler"] {
  const late = () => new Error(`The order was not read within ${FIRST_READ_MS / 1_000} s.`);
  return ({ order = orderInUrl } = {}) =>
    async (request) => {
      if (request.method !== "GET") return onlyGet();
      const id = await order(request);
      if (id === undefined || id === null || id === "") return nothingToFollow("order");
      let found: CustomerOrder | undefined;
      try {
        found = await withTimeout(waits.read(id), FIRST_READ_MS, late);
      } catch (error) {
        onError(error);
        return unreadable("order");
      }
      if (found === undefined) return nothingToFollow("order");
      if (wantsStream(request)) return streamResponse(followOrder(waits, id), request.signal);
      const payment = progressOf(found);
      return progressResponse(payment, isFinal(payment.status));
    };
}
