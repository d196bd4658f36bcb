import { number, optionsOf, type Values } from "../harness/arguments.ts";
import { bundle } from "../harness/bundle.ts";
import { MAX_MORE_ROUNDS } from "../harness/plan.ts";
import { countEach, listed, missing, neverCame, type Outcome } from "../harness/table.ts";
import { Campaign } from "./campaign.ts";
import { checkEnd, type End } from "./check.ts";
import { hardStates, leadsTo, notAskedFor } from "./hard-states.ts";
import { MIN_ORDERS, planMore, planOrders } from "./plan.ts";
import { ORDER_SABOTAGES, SHORTER } from "./sabotages.ts";
import { openStore, STORES, type StoreName } from "./store.ts";

const OPTIONS = optionsOf(
  { stores: STORES, sabotages: ORDER_SABOTAGES },
  { orders: number([MIN_ORDERS, 50_000], 2_000, "orders to sell") },
);
type OrderOptions = Values<typeof OPTIONS>;

/** Runs the shop, and compares its end with the service's ledger and with the merchant's tables. */
async function run(
  store: StoreName,
  { seed, orders, sabotage }: OrderOptions,
): Promise<Outcome | undefined> {
  if (sabotage?.on !== undefined && sabotage.on !== store) return undefined;
  const place = await openStore(store);
  if (place === undefined) return undefined;
  const began = performance.now();
  const changes = sabotage === undefined ? SHORTER : [...SHORTER, sabotage];
  const campaign = await Campaign.open(
    seed,
    await bundle("orders/shop-process.ts", changes),
    place,
    orders,
  );
  const judge = (end: End): Outcome => {
    const states = hardStates(store, campaign.history, end);
    return {
      title: `${store}, ${orders} orders, seed ${seed}`,
      rows: [
        ["orders", end.orders.length, listed(countEach(end.orders.map(({ status }) => status)))],
        ["prompts", end.ledger.length, "in the service's own ledger"],
        ["seconds", Math.round((performance.now() - began) / 1_000)],
        ...notAskedFor(store).map((name) => [`not on ${store}`, "-", name] as const),
      ],
      ...{ states, breaches: [...checkEnd(campaign.history, end), ...neverCame(states)] },
    };
  };
  /** Whether nothing is wrong but that a hard state never came. */
  const onlyNever = ({ breaches }: Outcome) =>
    breaches.length > 0 && breaches.every(({ kind }) => kind === "never");
  try {
    let outcome = judge(await campaign.sell(planOrders(seed, store, orders)));
    for (let round = 1; round <= MAX_MORE_ROUNDS && onlyNever(outcome); round++) {
      const kinds = missing(outcome.states).map(leadsTo);
      outcome = judge(await campaign.sell(planMore({ seed, store }, round, kinds)));
    }
    return outcome;
  } finally {
    await campaign.stop();
    await place.close();
  }
}

export const orders = {
  about: "an order is paid once, and its goods are given once, or a person is told",
  options: OPTIONS,
  run,
};
