// The fault campaign. Several processes share a store and take orders, the service has every fault, and
// processes are killed and stopped, clocks are stepped, and the engine of the store dies. Then the
// history and the service's own ledger show whether the promises held.

import { type Options, readOptions, USAGE } from "./arguments.ts";
import { type Report, runCampaign } from "./campaign.ts";
import { checkHistory } from "./history/check-history.ts";
import { createHistory, readHistories, saveHistory } from "./history/history.ts";
import { setUpStore } from "./open-store.ts";
import { breachLines, historyTable, reportTable } from "./report-table.ts";
import type { StoreName } from "./store.ts";
import { type Summary, summaryOf, summaryTable } from "./summary-table.ts";
import { MAX_START_MS } from "./time-limits.ts";
import { waitFor } from "./waits.ts";

async function campaignOn(name: StoreName, options: Options): Promise<Report | undefined> {
  const store = await setUpStore(name);
  if (store === undefined) return undefined;
  const history = createHistory();
  try {
    return await runCampaign(options, store, history);
  } finally {
    if (options.history !== undefined) saveHistory(options.history, history.events());
    const what = () => `the ${name} store to be cleared`;
    await waitFor(store.clear(), { what, limitMs: MAX_START_MS });
  }
}

/** Prints the result of a campaign on one store. Returns whether every promise held. */
async function reportOn(name: StoreName, options: Options): Promise<boolean> {
  const report = await campaignOn(name, options);
  if (report === undefined) {
    console.log(`${name} store: NOT RUN, there is no engine for it here\n`);
    // A caller who asks for one store must not take a skipped run for a success.
    return options.stores.length > 1;
  }
  console.log(`${reportTable(report)}\n`);
  if (report.result.breaches.length === 0) return true;
  console.log(`${breachLines(report.result)}\n`);
  return false;
}

/** Runs a campaign on each store. Returns whether every promise held. */
async function runAll(options: Options): Promise<boolean> {
  let held = true;
  for (const name of options.stores) {
    try {
      held = (await reportOn(name, options)) && held;
    } catch (error) {
      held = false;
      console.log(`${name} store: NOT FINISHED. ${(error as Error).stack}\n`);
    }
  }
  return held;
}

/** Checks the histories of a file again. Returns whether every promise held. */
function checkFile(file: string): boolean {
  let held = true;
  const summaries: Summary[] = [];
  for (const events of readHistories(file)) {
    const result = checkHistory(events);
    summaries.push(summaryOf(events, result));
    console.log(`${historyTable(events, result)}\n`);
    if (result.breaches.length === 0) continue;
    held = false;
    console.log(`${breachLines(result)}\n`);
  }
  console.log(`${summaryTable(summaries)}\n`);
  return held;
}

async function main(options: Options): Promise<boolean> {
  const held = options.check === undefined ? await runAll(options) : checkFile(options.check);
  console.log(held ? "Every promise held." : "A promise was BROKEN, or could not be checked.");
  return held;
}

// Workers that have stopped do not get the signal: they are killed at the exit of this process.
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => process.exit(1));

if (process.argv.includes("--checkout")) {
  const { runOrders } = await import("../orders/main.ts");
  process.exit((await runOrders(process.argv.slice(2))) ? 0 : 1);
}

let options: Options | undefined;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`);
}
// Exits explicitly: Node.js can wait for ever for a socket that was reset while it closed.
process.exit(options !== undefined && (await main(options)) ? 0 : 1);
