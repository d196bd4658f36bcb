import { isUngiven } from "./order-state.ts";
// The rules for what a person says to have paid back.

import { centsOf } from "./amounts.ts";
import { withEffect } from "./changes.ts";
import type { InputOf, Result } from "./inputs.ts";
import { payingMoney } from "./known-payments.ts";
import type { OrderState } from "./order-state.ts";
import { knownRefund, leftOf, withRefund } from "./refunds.ts";
import { always, type Rules, rule, unchanged } from "./rule.ts";

type Added = InputOf<"refund_added">;

const refused = (order: OrderState): Result => ({ order, actions: [], isRefused: true });

export const REFUND_ADDED: Rules["refund_added"] = [
  rule(
    "a refund has one amount",
    [16],
    (order, { reference, amount }) => {
      const known = knownRefund(order, reference);
      return known !== undefined && known.amount !== amount;
    },
    refused,
  ),
  rule(
    "a refund is noted once",
    [16],
    (order, { reference }) => knownRefund(order, reference) !== undefined,
    unchanged,
  ),
  rule(
    "no more is paid back than came",
    [16],
    (order, { amount }) => centsOf(amount) > centsOf(leftOf(order, order.currency)),
    refused,
  ),
  rule(
    "goods are not given any more if all their money was paid back",
    [6, 16],
    (order, added, context) => {
      const next = noted(order, added, context);
      return isUngiven(order) && payingMoney(next)?.refunded === true;
    },
    (order, added, context) => withEffect(noted(order, added, context), { state: "refunded" }),
  ),
  rule("what was paid back is noted", [16], always, (order, added, context) =>
    noted(order, added, context),
  ),
];

function noted(
  order: OrderState,
  { amount, reference, reason, by }: Added,
  { now }: { readonly now: number },
): OrderState {
  return withRefund(order, {
    ...{ at: now, amount, currency: order.currency },
    ...(reference !== undefined && { reference }),
    ...(reason !== undefined && { reason }),
    ...(by !== undefined && { by }),
  });
}
