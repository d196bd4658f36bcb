import { flag, maybeNumber, number, oneOf, optionsOf, type Values } from "../harness/arguments.ts";
import { type EngineName, openEngine } from "../harness/engines.ts";
import type { Outcome } from "../harness/table.ts";
import { runInbox } from "./campaign.ts";
import { type InboxName, SHOPS } from "./inboxes.ts";
import { INBOX_SABOTAGES } from "./sabotages.ts";
import { MODES } from "./settings.ts";

const STORES = Object.keys(SHOPS) as InboxName[];

const ENGINES: Readonly<Record<InboxName, EngineName>> = {
  memory: "memory",
  sqlite: "sqlite",
  bullmq: "redis",
  postgres: "postgres",
};

const OPTIONS = optionsOf(
  { stores: STORES, sabotages: INBOX_SABOTAGES },
  {
    events: number([1, 1_000_000], 20_000, "signed events to send"),
    kills: number([0, 100_000], 100, "processes to kill with SIGKILL; memory has none"),
    mode: oneOf(MODES, "start", "who processes the events"),
    "engine-faults": flag("do not kill, hang or cut off the engine of the inbox"),
    // For a quick run.
    "lease-ms": maybeNumber(600_000, "how long a lease is; retries come without a wait then"),
    "idle-ms": maybeNumber(
      3_600_000,
      "how long nothing happens until events without effect count as lost",
    ),
  },
);
export type InboxOptions = Values<typeof OPTIONS>;

async function run(inbox: InboxName, options: InboxOptions): Promise<Outcome | undefined> {
  if (options.mode === "versions" && inbox === "memory") {
    console.log("--mode versions: memoryInbox ends with its version.");
    return undefined;
  }
  const engine = await openEngine(ENGINES[inbox]);
  if (engine === undefined) return undefined;
  try {
    return await runInbox(inbox, options, engine);
  } finally {
    await engine.stop();
  }
}

export const inboxes = {
  about: "no webhook is lost, or processed twice",
  options: OPTIONS,
  run,
};
