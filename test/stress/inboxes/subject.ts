import { subject } from "../harness/subject.ts";
import { SABOTAGES } from "../sabotages.ts";
import { Campaign, type InboxHistory, OPTIONS } from "./campaign.ts";
import { outcomeOf } from "./check.ts";

export const inboxes = subject<typeof OPTIONS, InboxHistory>({
  name: "inboxes",
  about: "no webhook is lost, or processed twice",
  engines: ["memory", "sqlite", "redis", "postgres", "mysql"],
  options: OPTIONS,
  program: "inboxes/shop.ts",
  sabotages: SABOTAGES.inboxes,
  notOn: (engine, { mode }) =>
    mode === "versions" && engine === "memory"
      ? "--mode versions: an inbox in memory ends with its version."
      : undefined,
  run: async (given) => (await Campaign.open(given)).run(),
  judge: (history) => {
    const [found] = history.all("found");
    if (found === undefined) throw new Error("The campaign has not ended.");
    return outcomeOf(found.asked, found);
  },
});
