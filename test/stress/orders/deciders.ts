import type { ManagedOrders, Review } from "malipo/checkout";
import type { WorkerProcess } from "../harness/processes.ts";
import type { Random } from "../harness/random.ts";
import type { OrderHistory } from "./history.ts";
import type { Answer, Call, Decision, Jobs } from "./messages.ts";
import type { DecisionPair, PlannedOrder } from "./plan.ts";

interface Office {
  readonly orders: ManagedOrders;
  readonly random: Random;
  readonly planned: (id: string) => PlannedOrder | undefined;
  readonly pool: () => readonly WorkerProcess<Jobs>[];
  readonly goods: () => Promise<readonly string[]>;
  readonly history: OrderHistory;
}

/** What was not kept is accepted or paid back; what the customer has is not given again. */
const BOTH_DISMISS: DecisionPair = ["dismiss", "dismiss"];
const PEOPLE = ["ANNE", "BEN"] as const;

/** The reviews of a list that two people decide. */
const theirs = (reviews: readonly Review[], planned: Office["planned"]): Review[] =>
  reviews.filter(({ orderId = "" }) => planned(orderId)?.decisions !== undefined);

async function decide(review: Review, pair: DecisionPair, office: Office): Promise<void> {
  const { random, pool, history } = office;
  const first = random.pick(pool());
  const second = random.pick(pool().filter((one) => one !== first));
  if (second === undefined) return;
  const { id, kind, orderId = "" } = review;
  const calls = await Promise.all(
    [first, second].map(async (shop, at): Promise<Call> => {
      const decision = pair[at] ?? "dismiss";
      const asked: Decision = { review: id, decision, by: PEOPLE[at] ?? "" };
      const failed: Answer = { outcome: "failed" };
      const { outcome, ended } = (await shop.run("decide", asked)) ?? failed;
      return { decision, outcome, ended };
    }),
  );
  history.note("campaign", { what: "decided", order: orderId, review: id, kind, calls });
}

/**
 * Two people look at the list of reviews, and decide each of theirs at the same moment. Resolves with whether there
 * was one. It is decided again as long as it is open: the processes may have been killed.
 */
export async function decideAll(office: Office): Promise<boolean> {
  const reviews = theirs(await office.orders.reviews.list(), office.planned);
  if (reviews.length === 0) return false;
  const goods = new Set(await office.goods());
  const deciding = reviews.map((review) => {
    const { orderId = "", kind } = review;
    const pair = office.planned(orderId)?.decisions ?? BOTH_DISMISS;
    const isThere = kind === "effect_unclear" && goods.has(orderId);
    return decide(review, isThere ? BOTH_DISMISS : pair, office);
  });
  await Promise.all(deciding);
  return true;
}
