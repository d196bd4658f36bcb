import { showProgress } from "../../../src/cli/terminal/progress.ts";
import { countStates, lackingKinds, neverCame } from "../harness/hard-states.ts";
import { sellOn } from "../harness/plan.ts";
import { subject } from "../harness/subject.ts";
import { countEach, listed, type Outcome } from "../harness/table.ts";
import { SABOTAGES, SHORTER } from "../sabotages.ts";
import { Campaign } from "./campaign.ts";
import { checkEnd } from "./check.ts";
import { rowsOn } from "./hard-states.ts";
import type { OrderGiven, OrderHistory } from "./history.ts";
import { OPTIONS, planMore, planOrders } from "./plan.ts";

/** What the judge goes by: the last end that was noted. */
function endOf(history: OrderHistory) {
  const [start] = history.all("start");
  const end = history.all("end").at(-1);
  if (start === undefined || end === undefined) throw new Error("The campaign has not ended.");
  return { start, end, rows: rowsOn(start.engine), world: { history, end } };
}

/** Compares the end of the shop with the service's ledger and with the merchant's tables. */
function judge(history: OrderHistory): Outcome {
  const { start, end, rows, world } = endOf(history);
  const { engine, seed } = start;
  const states = countStates(rows, world);
  return {
    title: `${engine}, ${start.options.orders} orders, seed ${seed}`,
    rows: [
      ["orders", end.orders.length, listed(countEach(end.orders.map(({ status }) => status)))],
      ["prompts", end.ledger.length, "in the service's own ledger"],
      ["seconds", Math.round((end.at - start.at) / 1_000)],
      ...rows
        .filter(({ applies }) => !applies?.(world))
        .map(({ name }) => [`not on ${engine}`, "-", name] as const),
    ],
    ...{ states, breaches: [...checkEnd(history, end), ...neverCame(states)] },
  };
}

/** The orders that lead to hard states which have not come. What is broken needs no more proof. */
function lacking(history: OrderHistory) {
  const { end, rows, world } = endOf(history);
  return checkEnd(history, end).length > 0 ? [] : lackingKinds(rows, world);
}

/** Runs the shop. */
async function run(given: OrderGiven) {
  const { seed, history, options, engine } = given;
  const { engine: name } = engine.place;
  const campaign = await Campaign.open(given);
  const shown = showProgress({ output: process.stderr, line: () => campaign.progress() });
  try {
    await campaign.sell(planOrders(seed, name, options.orders));
    await sellOn(
      async () => lacking(history),
      (round, kinds) => campaign.sell(planMore({ seed, engine: name }, round, kinds)),
    );
  } finally {
    await campaign.close();
    shown.end();
  }
  return [];
}

export const orders = subject<typeof OPTIONS, OrderHistory>({
  name: "orders",
  about: "an order is paid once, and its goods are given once, or a person is told",
  engines: ["sqlite", "postgres", "mysql"],
  options: OPTIONS,
  program: "orders/shop-process.ts",
  ...{ changes: SHORTER, sabotages: SABOTAGES.orders },
  run,
  judge,
});
