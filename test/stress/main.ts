// npm run campaign -- prompts|orders|inboxes [options]
// Processes of a shop share a store. They are killed and suspended, the service has every fault, and the engine of the
// store dies. Then what the service and the shop have shows whether each promise held.
import { optionsOf, readOptions, usageOf, type Values } from "./harness/arguments.ts";
import { History, readHistories } from "./harness/history.ts";
import { runCampaign, type Subject } from "./harness/subject.ts";
import { type Outcome, outcomeText } from "./harness/table.ts";
import { inboxes } from "./inboxes/subject.ts";
import { orders } from "./orders/subject.ts";
import { prompts } from "./prompts/subject.ts";

const SUBJECTS: readonly Subject[] = [prompts, orders, inboxes];

const USAGE = [
  "npm run campaign -- SUBJECT [options]",
  ...SUBJECTS.map(({ name, about }) => `  ${name.padEnd(10)}${about}`),
  "npm run campaign -- SUBJECT --help lists its options.",
].join("\n");

/** Prints how a campaign ended. Returns whether every promise held. */
function print(outcome: Outcome): boolean {
  console.log(`${outcomeText(outcome)}\n`);
  return outcome.breaches.length === 0;
}

type Asked = Values<ReturnType<typeof optionsOf>>;

/** Runs a campaign on each store. Resolves with whether every promise held. */
async function runAll(subject: Subject, { store: engines, ...asked }: Asked): Promise<boolean> {
  let held = true;
  for (const engine of engines) {
    try {
      const outcome = await runCampaign(subject, engine, asked);
      // A caller who asks for one store must not take a skipped run for a success.
      if (outcome !== undefined) held = print(outcome) && held;
      else {
        held = held && engines.length > 1;
        console.log(
          `${engine}: NOT RUN, there is no engine for it here, or the sabotage is of another one
`,
        );
      }
    } catch (error) {
      held = false;
      console.log(`${engine}: NOT FINISHED. ${(error as Error).stack}\n`);
    }
  }
  return held;
}

async function main([name = "", ...args]: readonly string[]): Promise<boolean> {
  const subject = SUBJECTS.find((one) => one.name === name);
  if (subject === undefined) {
    const what = name === "" ? "No subject was given" : `There is no subject ${name}`;
    console.error(`${what}.\n\n${USAGE}`);
    return false;
  }
  const options = optionsOf(subject);
  const usage = usageOf(name, options);
  if (args.includes("--help")) {
    console.log(usage);
    return true;
  }
  let asked: Asked;
  try {
    asked = readOptions(options, args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return false;
  }
  const { check } = asked;
  const saved = check === undefined ? undefined : readHistories<never>(check);
  const held =
    saved?.map((events) => print(subject.judge(new History(events)))).every(Boolean) ??
    (await runAll(subject, asked));
  console.log(held ? "Every promise held." : "A promise was BROKEN, or could not be checked.");
  return held;
}

// Processes that have stopped do not get the signal: they are killed at the exit of this process.
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => process.exit(1));
// Exits explicitly: Node.js can wait for ever for a socket that was reset while it closed.
process.exit((await main(process.argv.slice(2))) ? 0 : 1);
