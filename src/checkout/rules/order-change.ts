import type { Input } from "./inputs.ts";
import type { OrderState } from "./order-state.ts";
import type { Order, OrderStatus, Refund, Review } from "./order-types.ts";
import { orderView } from "./view.ts";

/** A change of an order that this process has written, for logs and metrics. */
export interface OrderChange {
  /** The order, as it is now. */
  readonly order: Order;
  /** Its status before; a new order had none. */
  readonly from: OrderStatus | undefined;
  /**
   * What became known: `created`, `asked` (a customer asks to pay), `accepted`, `rejected` and `lost`
   * (the response to a prompt), `key` (what its idempotency key says), `reported` (a webhook or a read),
   * `due` (a time has come), `blocked`, `effect_done`, `effect_failed`, `effect_unclear`, `effect_refused`, `canceled`, `updated`,
   * `decided`, `refund_added`.
   */
  readonly by: Input["kind"] | "created";
  /** The reviews that began with the change. */
  readonly newReviews: readonly Review[];
  /** The refunds that were noted with the change. */
  readonly newRefunds: readonly Refund[];
  /** The change in one line for a log. It has no phone, no name and nothing of `metadata`. */
  readonly line: string;
}

/** An id in a line: no line break in it begins another one. */
const quoted = (text: string) => (/^[\w./-]+$/.test(text) ? text : JSON.stringify(text));

/** What a line says of an order. */
function summaryOf({
  status,
  received,
  amount,
  currency,
  effect,
  attempts,
  reviews,
}: Order): string {
  const tried = attempts.map(({ number, status: state, reference }) =>
    [`#${number}`, state, ...(reference === undefined ? [] : [quoted(reference)])].join(" "),
  );
  return [
    `${status}, ${received} of ${amount} ${currency}, goods ${effect}`,
    ...(tried.length > 0 ? [`attempts: ${tried.join(", ")}`] : []),
    ...(reviews.length > 0 ? [`reviews: ${reviews.map(({ kind }) => kind).join(", ")}`] : []),
  ].join("; ");
}

/** A change; `undefined` if nothing that a merchant sees has changed. */
export function changeView(
  before: OrderState | undefined,
  after: OrderState,
  by: OrderChange["by"],
): OrderChange | undefined {
  const order = orderView(after, after.updatedAt);
  const former = before && orderView(before, after.updatedAt);
  const summary = summaryOf(order);
  if (former !== undefined && summaryOf(former) === summary) return undefined;
  const known = new Set(former?.reviews.map(({ id }) => id));
  const newReviews = order.reviews.filter(({ id }) => !known.has(id));
  const newRefunds = order.refunds.slice(former?.refunds.length ?? 0);
  const line = `order ${quoted(order.id)} (${by}): ${summary}`;
  return { order, from: former?.status, by, newReviews, newRefunds, line };
}
