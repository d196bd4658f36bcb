// The fault campaign. Several processes share a store and take orders, the service has every fault, and
// processes are killed. Then the service's own ledger shows whether the promises held.

import { type Options, readOptions, USAGE } from "./arguments.ts";
import { type Report, runCampaign } from "./campaign.ts";
import { setUpStore } from "./open-store.ts";
import { breachLines, reportTable } from "./report-table.ts";
import type { StoreName } from "./store.ts";

async function campaignOn(name: StoreName, options: Options): Promise<Report | undefined> {
  const store = await setUpStore(name, options.leaseMs);
  if (store === undefined) return undefined;
  try {
    return await runCampaign(options, store.location);
  } finally {
    await store.clear();
  }
}

/** Returns whether every promise held. */
async function main(options: Options): Promise<boolean> {
  let held = true;
  for (const name of options.stores) {
    const report = await campaignOn(name, options);
    if (report === undefined) {
      console.log(`${name} store: NOT RUN, there is no engine for it here\n`);
      // A caller who asks for one store must not take a skipped run for a success.
      held &&= options.stores.length > 1;
      continue;
    }
    console.log(`${reportTable(report)}\n`);
    if (report.verdict.breaches.length === 0) continue;
    held = false;
    console.log(`${breachLines(report)}\n`);
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
// Exits explicitly: Node.js can wait for ever for a socket that was reset while it closed.
process.exit(options !== undefined && (await main(options)) ? 0 : 1);
