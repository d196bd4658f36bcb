import type { Review } from "malipo/checkout";
import { type Office, PEOPLE, twoAwake } from "./merchant.ts";
import type { Answer, Call, Decision } from "./messages.ts";
import type { DecisionPair } from "./plan.ts";

/** What was not kept is accepted or paid back; what the customer has is not given again. */
const BOTH_DISMISS: DecisionPair = ["dismiss", "dismiss"];

async function decide(review: Review, pair: DecisionPair, office: Office): Promise<void> {
  const shops = twoAwake(office);
  if (shops.length === 0) return;
  const { id, kind, orderId = "" } = review;
  const calls = await Promise.all(
    shops.map(async (shop, at): Promise<Call> => {
      const decision = pair[at] ?? "dismiss";
      const asked: Decision = { review: id, decision, by: PEOPLE[at] ?? "" };
      const failed: Answer = { outcome: "failed" };
      const { outcome, ended } = (await shop.run("decide", asked)) ?? failed;
      return { decision, outcome, ended };
    }),
  );
  office.history.note("campaign", { what: "decided", order: orderId, review: id, kind, calls });
}

/**
 * Two people look at the list of reviews, and decide each of theirs at the same moment. Resolves with whether there
 * was one. It is decided again as long as it is open: the processes may have been killed.
 */
export async function decideAll(
  office: Office,
  goodsOf: () => Promise<readonly string[]>,
): Promise<boolean> {
  const pairOf = ({ orderId = "" }: Review) => office.stage.orders.get(orderId)?.decisions;
  const reviews = (await office.orders.reviews.list()).filter((one) => pairOf(one) !== undefined);
  if (reviews.length === 0) return false;
  const goods = new Set(await goodsOf());
  const deciding = reviews.map((review) => {
    const { orderId = "", kind } = review;
    const isThere = kind === "effect_unclear" && goods.has(orderId);
    return decide(review, (isThere ? undefined : pairOf(review)) ?? BOTH_DISMISS, office);
  });
  await Promise.all(deciding);
  return true;
}
