import { subject } from "../harness/subject.ts";
import { SABOTAGES } from "../sabotages.ts";
import { Campaign } from "./campaign.ts";
import { judge } from "./history/check-history.ts";
import type { PromptHistory } from "./messages.ts";
import { OPTIONS } from "./options.ts";

export const prompts = subject<typeof OPTIONS, PromptHistory>({
  name: "prompts",
  about: "one key makes one prompt",
  engines: ["memory", "sqlite", "redis", "postgres", "mysql"],
  options: OPTIONS,
  program: "prompts/worker.ts",
  sabotages: SABOTAGES.prompts,
  run: async (given) => (await Campaign.open(given)).run(),
  judge: (history) => judge(history.events()),
});
