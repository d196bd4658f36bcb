import { flag, maybeNumber, number, optionsOf, text, type Values } from "../harness/arguments.ts";
import { History, readHistories, saveHistory } from "../harness/history.ts";
import type { Outcome } from "../harness/table.ts";
import { waitFor } from "../harness/waits.ts";
import { Campaign } from "./campaign.ts";
import { historyOutcome } from "./history/check-history.ts";
import type { HistoryEvent, PromptHappening } from "./history/event.ts";
import { openCampaignStore } from "./open-store.ts";
import { PROMPT_SABOTAGES } from "./sabotages.ts";
import { STORES, type StoreName } from "./store.ts";

const OPTIONS = optionsOf(
  { stores: STORES, sabotages: PROMPT_SABOTAGES },
  {
    payments: number([1, 50_000], 2_000, "orders to take"),
    workers: number([1, 32], 4, "processes that share the store; memory has one"),
    kills: maybeNumber(50_000, "workers to kill; memory has none (default one for 50 payments)"),
    pauses: flag("stop no worker in the middle of a call"),
    "clock-steps": flag("leave the wall clocks of workers as they are"),
    "engine-faults": flag("do not kill, hang or cut off the engine of the store"),
    history: text("FILE", "append everything that happened to a file, one JSON object a line"),
    check: text("FILE", "run no campaign, but check the histories in a file again"),
  },
);
export type PromptOptions = Values<typeof OPTIONS>;

async function run(name: StoreName, options: PromptOptions): Promise<Outcome | undefined> {
  const store = await openCampaignStore(name);
  if (store === undefined) return undefined;
  const history = new History<PromptHappening>();
  try {
    const campaign = await Campaign.open({ options, store, history });
    const rows = await campaign.run();
    const outcome = historyOutcome(history.events());
    return { ...outcome, rows: [...outcome.rows, ...rows] };
  } finally {
    if (options.history !== undefined) saveHistory(options.history, history.events());
    await waitFor(store.clear(), () => `the ${name} store to be cleared`);
  }
}

export const prompts = {
  about: "one key makes one prompt",
  options: OPTIONS,
  run,
  /** Checks the histories of a file again, if the options say so. */
  check: ({ check }: PromptOptions): readonly Outcome[] | undefined =>
    check === undefined ? undefined : readHistories<HistoryEvent>(check).map(historyOutcome),
};
