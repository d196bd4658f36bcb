// What each operation costs in a database that has grown, beside one with few rows:
// npm run bench -- grow [--engines sqlite,postgres,mysql] [--sizes 1000,100000,1000000] [--rounds 7]
import { parseArgs } from "node:util";
import { operatorHandler } from "malipo/operator";
import { type BenchDatabase, type BenchEngine, onEngines } from "./databases.ts";
import {
  addForgettable,
  countForgettable,
  type Disk,
  fill,
  openCheckout,
  openGateway,
} from "./grow/fill.ts";
import { newDelivery } from "./receivers/load.ts";
import { inTurn, median } from "./rounds.ts";
import { countSteps } from "./steps.ts";
import { atMost, type Goal, goalLine, textTable } from "./table.ts";

const { values } = parseArgs({
  options: {
    engines: { type: "string" },
    sizes: { type: "string", default: "1000,100000,1000000" },
    rounds: { type: "string", default: "7" },
  },
});
const sizes = values.sizes.split(",").map(Number);
const rounds = Number(values.rounds);

const MAX_GROWTH = 1.5;
const MAX_GROWTH_OF_PAGES = 2;
const MAX_POLL_MS = 2;
/** How many orders the worker of a checkout takes at once. */
const BATCH = 32;
const FORGOTTEN = 1_000;
const DAY_MS = 86_400_000;
const POLL = "poll, nothing due";

interface Operation {
  readonly name: string;
  /** How often it is done in a round. */
  readonly times: number;
  readonly isPage?: boolean;
  readonly before?: () => Promise<unknown>;
  /** Does it so often. */
  readonly run: (times: number) => Promise<unknown>;
}

interface Operated {
  readonly operations: readonly Operation[];
  stop(): Promise<void>;
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** What is done with events: they are accepted by as many callers as a receiver may have. */
function inboxOperations(database: BenchDatabase): Operated {
  const inbox = database.store.inbox();
  let [accepted, processed, isStarted] = [0, 0, false];
  const start = async () => {
    if (isStarted) return;
    isStarted = true;
    const run = async () => void processed++;
    const onError = (error: unknown) => console.error(String(error));
    await inbox.start({ run, concurrency: 8, kinds: ["payment.completed"], onError });
  };
  const accept = async (times: number) => {
    accepted += times;
    await Promise.all(Array.from({ length: times }, () => inbox.accept(newDelivery())));
  };
  const isDone = () => processed >= accepted;
  const operations: Operation[] = [
    { name: "accept an event", times: 200, run: accept },
    {
      name: "accept and process an event",
      times: 200,
      before: async () => {
        await start();
        await until(isDone);
      },
      run: async (times) => {
        await accept(times);
        await until(isDone);
      },
    },
    {
      name: "forget an event",
      times: FORGOTTEN,
      before: async () => {
        if (isStarted) await inbox.stop(60_000);
        isStarted = false;
        await addForgettable(database, FORGOTTEN);
      },
      run: async () => {
        await start();
        await until(async () => (await countForgettable(database)) === 0);
      },
    },
  ];
  return { operations, stop: () => inbox.stop(60_000) };
}

function orderOperations(database: BenchDatabase): Operated {
  const checkout = openCheckout(database);
  const gateway = openGateway(database);
  const polled = database.store.checkout();
  const handler = operatorHandler({ checkout, authorize: () => true });
  let count = 0;
  const next = () => {
    const number = ++count;
    return { id: `NEW-${number}`, phone: `254${700_000_000 + number}` };
  };
  const initiate = () => {
    const { id, phone } = next();
    const params = { amount: 1, phone, account_reference: id };
    return gateway.mobileMoney.initiate(params, { idempotencyKey: id });
  };
  const now = Date.now();
  const day = { from: new Date(now - DAY_MS / 2), to: new Date(now + DAY_MS / 2) };
  const page = async () => {
    const response = await handler(new Request("http://shop.test/operator"));
    if (!response.ok) throw new Error(await response.text());
  };
  // What reads comes first: an order that was asked for is due some seconds later.
  const all: [name: string, times: number, work: () => Promise<unknown>][] = [
    [POLL, 50, () => polled.due(BATCH)],
    ["get an order", 100, () => checkout.get("GROWN500")],
    ["list, the first page", 20, () => checkout.list()],
    ["list, the paid ones", 20, () => checkout.list({ status: "paid" })],
    ["list, with a review", 20, () => checkout.list({ review: true })],
    ["initiate, with a key", 50, initiate],
    ["pay, a new order", 20, () => checkout.pay({ ...next(), amount: 1 })],
  ];
  const operations = [
    ...all.map(([name, times, work]) => ({ name, times, run: inTurn(work) })),
    { name: "report of a day", times: 1, isPage: true, run: inTurn(() => checkout.report(day)) },
    { name: "the operator's page", times: 5, isPage: true, run: inTurn(page) },
  ];
  return { operations, stop: () => checkout.stop() };
}

/** The median microseconds of an operation in each database. Rounds are interleaved, and begin at another one. */
async function measure(same: readonly Operation[], step: () => void): Promise<number[]> {
  const taken = same.map((): number[] => []);
  for (let round = -1; round < rounds; round++) {
    for (let turn = 0; turn < same.length; turn++) {
      const at = (round + 1 + turn) % same.length;
      const { times, before, run } = same[at] as Operation;
      await before?.();
      const started = performance.now();
      await run(times);
      // The first round is for what is loaded once.
      if (round >= 0) taken[at]?.push(((performance.now() - started) * 1_000) / times);
      step();
    }
  }
  return taken.map(median);
}

interface Grown {
  readonly goals: readonly Goal[];
  readonly disk: string;
}

async function benchEngine({ name, open }: BenchEngine): Promise<Grown> {
  const databases: BenchDatabase[] = [];
  for (const size of sizes) databases.push(await open(`${size}`));
  const disks: Disk[] = [];
  for (const [at, database] of databases.entries()) {
    disks.push(await fill(database, sizes[at] ?? 0));
  }
  const parts = databases.map((one) => [inboxOperations(one), orderOperations(one)]);
  const operations = parts.map((all) => all.flatMap((part) => part.operations));
  const [first = []] = operations;
  const steps = countSteps(name, first.length * sizes.length * (rounds + 1));
  const rows: string[][] = [];
  const goals: Goal[] = [];
  for (const [at, { name: what, isPage }] of first.entries()) {
    const same = operations.map((all) => all[at] as Operation);
    const micros = await measure(same, steps.step);
    const ratio = (micros.at(-1) ?? 0) / (micros[0] ?? 1);
    rows.push([what, ...micros.map((us) => us.toFixed(0)), ratio.toFixed(2)]);
    goals.push(atMost(`${name}: ${what},`, isPage ? MAX_GROWTH_OF_PAGES : MAX_GROWTH, ratio));
    if (what === POLL) {
      goals.push(atMost(`${name}: ${what},`, MAX_POLL_MS, (micros.at(-1) ?? 0) / 1_000, "ms"));
    }
  }
  steps.end();
  for (const part of parts.flat()) await part.stop();
  for (const database of databases) await database.close();
  const columns = ["microseconds of", ...sizes.map((size) => size.toLocaleString("en")), "ratio"];
  console.log(`
${name}, with so many paid orders, and as many keys and processed events
`);
  console.log(textTable(columns, rows));
  const { orderBytes = 0, eventBytes = 0 } = disks.at(-1) ?? {};
  return {
    goals,
    disk: `${name}: ${orderBytes.toFixed(0)} bytes for an order with its key, ${eventBytes.toFixed(0)} for a processed event`,
  };
}

console.log(
  `Medians of ${rounds} interleaved rounds; the ratio is the most rows beside the fewest.`,
);
const found: Grown[] = [];
await onEngines(values.engines, async (engine) => void found.push(await benchEngine(engine)));
console.log();
for (const { disk } of found) console.log(`On the disk of ${disk}`);
const goals = found.flatMap((one) => one.goals);
for (const goal of goals) console.log(goalLine(goal));
process.exitCode = goals.every(({ met }) => met) ? 0 : 1;
process.exit();
