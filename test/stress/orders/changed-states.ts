import type { Named } from "../harness/history.ts";
import {
  type Count,
  changes,
  incident,
  incidents,
  orderOf,
  ordersWith,
  type State,
} from "./count-states.ts";
import type { OrderHappening, Outcome } from "./messages.ts";
import { CHANGED } from "./plan.ts";

const updates =
  (outcome: Outcome): Count =>
  (history) =>
    history.all("updated").filter((one) => one.outcome === outcome).length;

/** Prompts that ask for less than their order is of. */
const askedForRest: Count = (history) =>
  history.all("changed").filter(({ by, money, order, at, who }) => {
    const isAsk = by === "asked" && money.length > 0;
    return (
      isAsk &&
      history.all("sending").some((one) => one.order === order && one.who === who && one.at >= at)
    );
  }).length;

/** Refunds of which two people noted the same one, and one of two that together were too much. */
const refunds =
  (
    isSo: (
      one: Named<OrderHappening, "refund">,
      all: readonly Named<OrderHappening, "refund">[],
    ) => boolean,
  ): Count =>
  (history) => {
    const all = history.all("refund");
    return all.filter((one) =>
      isSo(
        one,
        all.filter(({ order }) => order === one.order),
      ),
    ).length;
  };

/** What becomes of orders that change, are paid in parts, are refused or are paid back. */
export const CHANGES: readonly State[] = [
  ["not changed while its phone was asked", updates("order_busy"), CHANGED.grows],
  [
    "grown, and paid whole",
    ordersWith(({ status }, { becomes = 0 }) => status === "paid" && becomes > 100),
    CHANGED.grows,
  ],
  [
    "shrunk, and paid",
    ordersWith(
      ({ status, amount }, { becomes }) =>
        status === "paid" && becomes === 70 && amount === "70.00",
    ),
    CHANGED.shrinks,
  ],
  [
    "paid by a change, since enough had come",
    changes(({ by, status }) => by === "updated" && status === "paid"),
    CHANGED.isPaidByUpdate,
  ],
  ["asked for what was left after a part", askedForRest, CHANGED.part],
  [
    "paid by parts alone",
    ordersWith(
      ({ status, payments, attempts }) =>
        status === "paid" && payments.length > 1 && attempts.length === 0,
    ),
    CHANGED.parts,
  ],
  [
    "money by hand that only the books have found",
    ordersWith(
      ({ payments }, { losesWebhooks, byHand }) =>
        losesWebhooks && byHand.length > 0 && payments.some(({ amount }) => amount === "40.00"),
    ),
    CHANGED.partFound,
  ],
  [
    "paid by hand with a label that was typed otherwise",
    (history, end) =>
      end.planned.filter(({ id, byHand }) => {
        const sent = history.all("by_hand").filter(({ order }) => order === id);
        const isKnown = orderOf(end, id)?.payments.some(({ reference }) =>
          sent.some((one) => one.reference === reference),
        );
        return byHand.some(({ isTyped }) => isTyped) && isKnown;
      }).length,
    CHANGED.part,
  ],
  ["refused by onPaid", ordersWith(({ effect }) => effect === "refused"), CHANGED.refused],
  [
    "refused after a kill between refusal and commit",
    incidents("killed between refusal and commit", ({ key }, _, end) => end.refused.includes(key)),
    incident("killed between refusal and commit"),
  ],
  [
    "refused, and its part paid back",
    ordersWith(({ effect }, { refuses }) => refuses && effect === "refunded"),
    CHANGED.refusedPart,
  ],
  [
    "a refund noted by two people at once",
    refunds(({ outcomes }) => outcomes.filter((one) => one === "won").length > 1),
    CHANGED.refundedInParts,
  ],
  [
    "paid back in parts, all of it",
    ordersWith(({ received, refunds: { length } }) => received === "0.00" && length > 1),
    CHANGED.refundedInParts,
  ],
  [
    "of two refunds that are more than came, one is rejected",
    refunds(
      ({ outcomes }, all) =>
        outcomes.includes("invalid_params") && all.some((one) => one.outcomes.includes("won")),
    ),
    CHANGED.refundedTooMuch,
  ],
  [
    "paid back by hand while its goods were due",
    ordersWith(({ effect }, one) => effect === "refunded" && one.refunds.length > 0),
    CHANGED.refundedBeforeGoods,
  ],
  [
    "money came while all was paid back",
    ordersWith(
      ({ payments, status }, { byHand }) =>
        status === "paid" && payments.length > 1 && byHand.some(({ when }) => when === "after"),
    ),
    CHANGED.paidAfterRefund,
  ],
  [
    "money of an order that was paid elsewhere is not accepted",
    (history) =>
      history
        .all("decided")
        .filter(
          ({ kind, calls }) =>
            kind === "refund_due" && calls.some(({ outcome }) => outcome === "order_paid"),
        ).length,
    CHANGED.paidElsewhere,
  ],
];
