// The campaign of orders: several processes of a shop on one store, which are killed and suspended; every
// fault of the service; an engine that dies; customers who click twice, cancel, ignore and try again. Then
// the service's own ledger and the merchant's tables show whether each order was paid once.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { notAskedFor } from "./hard-states.ts";
import { MIN_ORDERS } from "./plan.ts";
import { type CampaignResult, runCampaign } from "./run-campaign.ts";
import { bundleShop, SABOTAGES } from "./sabotage.ts";
import { openPlace, STORES, type StoreName } from "./store.ts";

const MAX_SHOWN_OF_A_KIND = 5;

interface Options {
  readonly stores: readonly StoreName[];
  readonly seed: string;
  readonly orders: number;
  readonly sabotage: string | undefined;
}

/** @throws {TypeError} whose message says what to change. */
function readOptions(args: readonly string[]): Options {
  const text = { type: "string" } as const;
  const options = {
    checkout: { type: "boolean" },
    ...{ orders: text, seed: text, store: text, sabotage: text },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  const { orders = "2000", seed = "1", store = "all", sabotage } = values;
  const stores = STORES.filter((name) => store === "all" || store === name);
  if (stores.length === 0) throw new TypeError(`--store takes ${STORES.join(", ")} or all.`);
  if (!/^\d{2,5}$/.test(orders) || Number(orders) < MIN_ORDERS) {
    throw new TypeError(`--orders takes a number of at least ${MIN_ORDERS}.`);
  }
  if (sabotage !== undefined && !Object.hasOwn(SABOTAGES, sabotage)) {
    throw new TypeError(`--sabotage takes one of: ${Object.keys(SABOTAGES).join("; ")}.`);
  }
  return { stores, seed, orders: Number(orders), sabotage };
}

function print(store: StoreName, title: string, result: CampaignResult) {
  const { breaches, states, statuses, prompts, seconds } = result;
  const ends = Object.entries(statuses).map(([name, count]) => `${name} ${count}`);
  console.log(`${title}: ${ends.join(", ")}; ${prompts} prompts; ${seconds.toFixed(0)} s`);
  for (const [name, count] of states) console.log(`  ${String(count).padStart(6)}  ${name}`);
  for (const name of notAskedFor(store)) console.log(`       -  ${name}: not on ${store}`);
  const kinds = new Set(breaches.map(({ kind }) => kind));
  for (const kind of kinds) {
    const ofKind = breaches.filter((one) => one.kind === kind);
    for (const { order, what } of ofKind.slice(0, MAX_SHOWN_OF_A_KIND)) {
      console.log(`  BROKEN ${kind}: ${order} ${what}`);
    }
    const more = ofKind.length - MAX_SHOWN_OF_A_KIND;
    if (more > 0) console.log(`  BROKEN ${kind}: and ${more} more`);
  }
}

async function runOn(name: StoreName, options: Options, shop: string): Promise<boolean> {
  const place = await openPlace[name]();
  if (place === undefined) {
    console.log(`${name}: NOT RUN, there is no engine for it here`);
    return options.stores.length > 1;
  }
  const { seed, orders } = options;
  try {
    const result = await runCampaign({ store: name, seed, orders, shop }, place);
    print(name, `${name}, ${orders} orders, seed ${seed}`, result);
    return result.breaches.length === 0;
  } finally {
    await place.close();
  }
}

/** Runs the campaign on each store. Resolves with whether every promise held. */
export async function runOrders(args: readonly string[]): Promise<boolean> {
  const options = readOptions(args);
  const cache = fileURLToPath(new URL("../../../node_modules/.cache", import.meta.url));
  mkdirSync(cache, { recursive: true });
  // Beside node_modules, so that pg is found.
  const folder = mkdtempSync(join(cache, "malipo-orders-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const shop = join(folder, "shop.mjs");
  await bundleShop(shop, options.sabotage === undefined ? undefined : SABOTAGES[options.sabotage]);
  let held = true;
  for (const name of options.stores) held = (await runOn(name, options, shop)) && held;
  console.log(held ? "Every promise held." : "A promise was BROKEN, or could not be checked.");
  return held;
}
