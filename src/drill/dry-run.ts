// What an order without faults shows, before anything else: whether the drill can test the shop.
import type { Bench } from "./bench.ts";
import { CaseRun } from "./case-run.ts";
import type { DrillCase } from "./cases.ts";
import type { DrillSettings } from "./drill-settings.ts";
import { until } from "./machine-pace.ts";

/** How long the shop may take to ask for the first prompt. */
const FIRST_ORDER_MS = 15_000;

/**
 * Orders once, before anything else: a shop that does not use MALIPO_BASE_URL would ask real phones. Resolves
 * with what is wrong, if something is.
 */
export async function firstOrder(bench: Bench, one: DrillCase): Promise<string | undefined> {
  const run = new CaseRun(one, bench);
  bench.runs.push(run);
  await bench.customers.order(run);
  await until(() => run.seen.has("start"), FIRST_ORDER_MS);
  bench.runs.pop();
  if (run.seen.has("start")) return undefined;
  const { phone, orderStatus, rejection } = run;
  if (orderStatus === undefined || orderStatus >= 400) {
    return `An order without faults could not be placed: ${rejection ?? "the shop returned nothing for --order"}. The phone was ${phone}: if it rejects such a number, set --phones. If it takes no {order} but a UUID, write {uuid}.`;
  }
  return `The shop asked the sandbox for no prompt for the phone ${phone}. Does it use {phone}, MALIPO_BASE_URL and MALIPO_API_KEY? The drill stops here, so that no real phone rings.`;
}

/** Why an order without faults shows that the shop cannot be tested. */
export function obstacleOf(run: CaseRun, settings: DrillSettings): string | undefined {
  const { orderStatus, rejection, payments, look, wasRead } = run;
  if (orderStatus === undefined || orderStatus >= 400) {
    return `An order without faults could not be placed: ${rejection ?? "the shop returned nothing for --order"}.`;
  }
  if (payments.length === 0) return "The shop asked for no prompt for the phone of an order.";
  if (look.shown === "not asked") {
    return "The order's id was not found in the response. Give --order-id, or a --status with {order} or {uuid}.";
  }
  if (!wasRead) return `--status could not be read: the shop says ${look.shown}.`;
  if (settings.effects !== undefined && look.shown === "paid" && look.effects === undefined) {
    return "--effects could not be read: the response has no number and no list at its pointer. For any other value, write ? behind the pointer, such as /seat?.";
  }
  return undefined;
}

/** A number at `--effects` that differs from order to order, such as that of a seat, counts nothing. */
export function numberIsNoCount(runs: readonly CaseRun[]): string | undefined {
  const counts = runs.flatMap(({ look: { shown, effects } }) =>
    shown === "paid" && effects !== undefined ? [effects] : [],
  );
  // A shop that gives the goods twice, now and then, has 1 and 2.
  if (new Set(counts).size < 2 || !counts.some((count) => count > 2)) return undefined;
  return `--effects reads ${counts.join(" and ")} for orders that were each paid once: it seems to be no count. If it is a value, such as the number of a seat, write ? behind the pointer: /seat?.`;
}
