// Orders from several processes that share a store, against a service where everything goes wrong, and
// processes that are killed: then counts, from the service's own ledger, whether the promises held.
import { type Report, runCampaign } from "./campaign.ts";
import { type Options, readOptions, USAGE } from "./options.ts";
import { makeStore } from "./place.ts";
import type { StoreName } from "./store.ts";
import { breachesOf, tableOf } from "./table.ts";

async function campaignOn(name: StoreName, options: Options): Promise<Report | undefined> {
  const store = await makeStore(name, options.leaseMs);
  if (store === undefined) return undefined;
  try {
    return await runCampaign(options, store.place);
  } finally {
    await store.clear();
  }
}

/** Gives whether every promise held. */
async function main(options: Options): Promise<boolean> {
  let held = true;
  for (const name of options.stores) {
    const report = await campaignOn(name, options);
    if (report === undefined) {
      console.log(`${name} store: NOT RUN, there is no engine for it here\n`);
      // Whoever asks for it by name is not to take silence for success.
      held &&= options.stores.length > 1;
      continue;
    }
    console.log(`${tableOf(report)}\n`);
    if (report.verdict.breaches.length === 0) continue;
    held = false;
    console.log(`${breachesOf(report)}\n`);
  }
  console.log(held ? "Every promise held." : "A promise was BROKEN.");
  return held;
}

let options: Options | undefined;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`);
}
// Not left to the event loop: Node can wait for ever for a socket that was reset as it was closed.
process.exit(options !== undefined && (await main(options)) ? 0 : 1);
