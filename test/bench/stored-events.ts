// What one delivery costs, stored and processed, when many events are stored already in the memory or in a Redis:
// npm run bench -- stored-events [--inboxes memory,redis] [--sizes 10000,100000,1000000]
// Databases are measured by npm run bench -- grow.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startRedis } from "../support/engines/redis.ts";
import { median } from "./rounds.ts";
import { countSteps } from "./steps.ts";
import { goalLine, textTable } from "./table.ts";

/** The limit of the factor by which a delivery at 1,000,000 stored events costs more than at 10,000. */
const MAX_GROWTH = 1.5;

const { values } = parseArgs({
  options: {
    inboxes: { type: "string", default: "memory,redis" },
    sizes: { type: "string", default: "10000,100000,1000000" },
    rounds: { type: "string", default: "9" },
    deliveries: { type: "string", default: "3000" },
  },
});
const inboxes = values.inboxes.split(",");
const sizes = values.sizes.split(",").map(Number);
const [rounds, deliveries] = [Number(values.rounds), Number(values.deliveries)];

/** An inbox in its own process, with a number of stored events. */
interface Candidate {
  readonly inbox: string;
  readonly size: number;
  readonly child: ChildProcess;
  readonly cpuUs: number[];
  readonly wallUs: number[];
}

const program = fileURLToPath(new URL("./stored-events-server.ts", import.meta.url));

/** Has the inbox store and process events. Returns what one of them took, in microseconds. */
async function work({ child }: Pick<Candidate, "child">, count: number) {
  child.send(count);
  const [took] = await once(child, "message");
  return took as { cpuUs: number; wallUs: number };
}

async function filled(inbox: string, store: string, size: number): Promise<Candidate> {
  const child = fork(program, [inbox, store, String(size)]);
  const candidate = { inbox, size, child, cpuUs: [], wallUs: [] };
  await work(candidate, size);
  return candidate;
}

const redis = inboxes.includes("redis") ? await startRedis() : undefined;
const STORES: Readonly<Record<string, string | undefined>> = { memory: "", redis: redis?.url };

const candidates: Candidate[] = [];
for (const inbox of inboxes) {
  for (const size of sizes) {
    const store = STORES[inbox];
    if (store === undefined) console.log(`${inbox}: its engine is not installed here`);
    else candidates.push(await filled(inbox, store, size));
  }
}

const steps = countSteps("stored-events", rounds * candidates.length);
for (let round = 0; round < rounds; round++) {
  for (let step = 0; step < candidates.length; step++) {
    const candidate = candidates[(round + step) % candidates.length] as Candidate;
    const { cpuUs, wallUs } = await work(candidate, deliveries);
    candidate.cpuUs.push(cpuUs);
    candidate.wallUs.push(wallUs);
    steps.step();
  }
}
steps.end();

console.log(
  `${rounds} rounds of ${deliveries} deliveries, stored and processed by one process, interleaved; medians`,
);
console.log(
  textTable(
    ["inbox", "stored events", "CPU us a delivery", "us a delivery"],
    candidates.map(({ inbox, size, cpuUs, wallUs }) => [
      inbox,
      size.toLocaleString("en"),
      median(cpuUs).toFixed(1),
      median(wallUs).toFixed(1),
    ]),
  ),
);
for (const inbox of inboxes) {
  const [first, ...larger] = candidates.filter((one) => one.inbox === inbox);
  const last = larger.at(-1);
  if (first === undefined || last === undefined) continue;
  // Redis works in a process of its own, whose time is not ours.
  const costOf = ({ cpuUs, wallUs }: Candidate) => median(inbox === "redis" ? wallUs : cpuUs);
  const growth = costOf(last) / costOf(first);
  const text = `${inbox}: a delivery at ${last.size.toLocaleString("en")} stored events costs at most ${MAX_GROWTH} times what it costs at ${first.size.toLocaleString("en")} (${growth.toFixed(2)})`;
  console.log(goalLine({ text, met: growth <= MAX_GROWTH }));
}

for (const { child } of candidates) child.kill("SIGKILL");
await redis?.stop();
