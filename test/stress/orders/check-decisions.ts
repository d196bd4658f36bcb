import type { Named } from "../harness/history.ts";
import type { Breach } from "../harness/table.ts";
import type { End, OrderHistory } from "./history.ts";
import type { Call, OrderHappening } from "./messages.ts";

type Decided = Named<OrderHappening, "decided">;

const isWon = ({ outcome }: Call) => outcome === "won";

/** What is wrong with all decisions about one review. */
function wrongWith(calls: readonly Call[]): string | undefined {
  const won = calls.filter(isWon);
  const [winner] = won;
  if (won.length > 1) return `${won.length} decisions won`;
  const told = calls.filter(({ outcome }) => outcome === "review_decided");
  const hasFailed = calls.some(({ outcome }) => outcome === "failed");
  const isClosed = told.some(({ ended }) => ended === "closed");
  if (winner === undefined) return hasFailed || isClosed ? undefined : "no decision won";
  const other = told.find(({ ended }) => ended !== winner.decision);
  return other && `${winner.decision} won, and the other one was told ${other.ended}`;
}

function checkCalls(decided: readonly Decided[]): Breach[] {
  const reviews = [...new Set(decided.map(({ review }) => review))];
  return reviews.flatMap((review) => {
    const own = decided.filter((one) => one.review === review);
    const what = wrongWith(own.flatMap(({ calls }) => calls));
    const kind = "decided twice";
    const order = own[0]?.order ?? "";
    return what === undefined ? [] : [{ kind, order, what: `${what}. ${JSON.stringify(own)}` }];
  });
}

/** Checks that each review was decided once, and that nothing was both given and paid back. */
export function checkDecisions(history: OrderHistory, { planned, orders, goods }: End): Breach[] {
  const theirs = new Set(planned.filter((one) => one.decisions).map(({ id }) => id));
  // Goods that a customer has may be paid back, too.
  const returned = new Set(planned.filter((one) => one.refunds.length > 0).map(({ id }) => id));
  const breaches = orders.flatMap((order): Breach[] => {
    const { id, payments, effect, reviews } = order;
    if (!theirs.has(id)) return [];
    const isPaidBack =
      effect === "refunded" || (payments.length > 0 && payments.every((one) => one.isRefunded));
    const text = JSON.stringify(order);
    return [
      ...(isPaidBack && goods.includes(id) && !returned.has(id)
        ? [
            {
              kind: "goods and refund",
              order: id,
              what: `it has its goods, and its money. ${text}`,
            },
          ]
        : []),
      ...(reviews.length > 0
        ? [{ kind: "not decided", order: id, what: `a review is still open. ${text}` }]
        : []),
    ];
  });
  return [...checkCalls(history.all("decided")), ...breaches];
}
