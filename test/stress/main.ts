// npm run campaign -- prompts|orders|inboxes [options]
// Processes of a shop share a store. They are killed and suspended, the service has every fault, and the engine of the
// store dies. Then what the service and the shop have shows whether each promise held.
import { readOptions, usageOf } from "./harness/arguments.ts";
import { type Outcome, outcomeText } from "./harness/table.ts";
import { inboxes } from "./inboxes/subject.ts";
import { orders } from "./orders/subject.ts";
import { prompts } from "./prompts/subject.ts";

/** Prints how a campaign ended. Returns whether every promise held. */
function print(outcome: Outcome): boolean {
  console.log(`${outcomeText(outcome)}\n`);
  return outcome.breaches.length === 0;
}

interface Run {
  readonly stores: readonly string[];
  run(store: string): Promise<Outcome | undefined>;
}

/** Runs a campaign on each store. Resolves with whether every promise held. */
async function runAll({ stores, run }: Run): Promise<boolean> {
  let held = true;
  for (const store of stores) {
    try {
      const outcome = await run(store);
      // A caller who asks for one store must not take a skipped run for a success.
      if (outcome !== undefined) held = print(outcome) && held;
      else {
        held = held && stores.length > 1;
        console.log(
          `${store}: NOT RUN, there is no engine for it here, or the sabotage is of another one\n`,
        );
      }
    } catch (error) {
      held = false;
      console.log(`${store}: NOT FINISHED. ${(error as Error).stack}\n`);
    }
  }
  return held;
}

const SUBJECTS = { prompts, orders, inboxes } as const;

const USAGE = [
  "npm run campaign -- SUBJECT [options]",
  ...Object.entries(SUBJECTS).map(([name, { about }]) => `  ${name.padEnd(10)}${about}`),
  "npm run campaign -- SUBJECT --help lists its options.",
].join("\n");

function readAll(name: keyof typeof SUBJECTS, args: readonly string[]) {
  const subject = SUBJECTS[name];
  const options = readOptions(subject.options as never, args) as { store: readonly string[] };
  return { subject, options };
}

async function main([name = "", ...args]: readonly string[]): Promise<boolean> {
  if (!Object.hasOwn(SUBJECTS, name)) {
    console.error(
      `${name === "" ? "No subject was given" : `There is no subject ${name}`}.\n\n${USAGE}`,
    );
    return false;
  }
  const usage = usageOf(name, SUBJECTS[name as keyof typeof SUBJECTS].options);
  if (args.includes("--help")) {
    console.log(usage);
    return true;
  }
  let read: ReturnType<typeof readAll>;
  try {
    read = readAll(name as keyof typeof SUBJECTS, args);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`);
    return false;
  }
  const { subject, options } = read;
  const saved = "check" in subject ? subject.check?.(options as never) : undefined;
  const run = (store: string) => subject.run(store as never, options as never);
  const held = saved?.map(print).every(Boolean) ?? (await runAll({ stores: options.store, run }));
  console.log(held ? "Every promise held." : "A promise was BROKEN, or could not be checked.");
  return held;
}

// Processes that have stopped do not get the signal: they are killed at the exit of this process.
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => process.exit(1));
// Exits explicitly: Node.js can wait for ever for a socket that was reset while it closed.
process.exit((await main(process.argv.slice(2))) ? 0 : 1);
