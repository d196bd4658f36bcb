// A sale that starts: 500 customers want 100 seats at one moment, of three processes of a shop. The shop of the
// examples, beside one that is written by hand: npm run bench -- sale [--engines sqlite,postgres,mysql] [--rounds 5]
import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type BenchDatabase, type BenchEngine, onEngines } from "./databases.ts";
import { median } from "./rounds.ts";
import { countSteps } from "./steps.ts";
import { atMost, type Goal, goalLine, textTable } from "./table.ts";

const { values } = parseArgs({
  options: {
    engines: { type: "string" },
    rounds: { type: "string", default: "5" },
  },
});
const rounds = Number(values.rounds);

const [CUSTOMERS, SEATS, PROCESSES] = [500, 100, 3];
/** The shops of the examples have so many seats by themselves. */
const OWN_SEATS = 50;
const MAX_WAIT_MS = 60_000;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const EXAMPLES: Readonly<Record<string, string>> = {
  sqlite: "server",
  postgres: "postgres",
  mysql: "mysql",
};

interface Candidate {
  readonly name: string;
  readonly program: (engine: string) => readonly [path: string, ...args: string[]];
}

const CANDIDATES: readonly Candidate[] = [
  {
    name: "malipo, the tickets of the examples",
    program: (engine) => [here(`../../examples/tickets/${EXAMPLES[engine]}.ts`)],
  },
  { name: "by hand, one transaction", program: (engine) => [here("./sale/by-hand.ts"), engine] },
];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const urlOf = (port: number) => `http://127.0.0.1:${port}/orders`;

async function started(port: number): Promise<void> {
  for (;;) {
    const isThere = await fetch(`${urlOf(port)}/none`).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What one sale gave. */
interface Sale {
  /** Until the last customer has an answer. */
  readonly lastMs: number;
  readonly asked: number;
  readonly soldOut: number;
  /** Errors, and no response within a minute. */
  readonly unanswered: number;
  readonly seats: number;
}

async function buy(port: number, number: number): Promise<number> {
  const sent = { order: randomUUID(), item: "concert", phone: `254${712_000_000 + number}` };
  const response = await fetch(urlOf(port), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(sent),
    signal: AbortSignal.timeout(MAX_WAIT_MS),
  });
  await response.text();
  return response.status;
}

async function sell(
  program: readonly [string, ...string[]],
  database: BenchDatabase,
  gateway: number,
): Promise<Sale> {
  const [path, ...args] = program;
  const ports: number[] = [];
  const children: ChildProcess[] = [];
  for (let n = 0; n < PROCESSES; n++) {
    const port = await freePort();
    const env = {
      ...{ ...process.env, PORT: `${port}`, DATABASE_URL: database.url },
      ...{ DATA: dirname(database.url), MALIPO_BASE_URL: `http://127.0.0.1:${gateway}/api/v1` },
      ...{ MALIPO_API_KEY: "sk_bench", MALIPO_WEBHOOK_SECRET: "secret" },
    };
    children.push(fork(path, args, { env, stdio: ["ignore", "ignore", "inherit", "ipc"] }));
    await started(port);
    ports.push(port);
  }
  const isOfExamples = await database.count("SELECT count(*) FROM seats");
  const first = isOfExamples === OWN_SEATS ? OWN_SEATS : 0;
  const seats = Array.from({ length: SEATS - first }, (_, at) => `(${first + at + 1})`);
  await database.exec(`INSERT INTO seats (seat) VALUES ${seats.join(", ")}`);
  const startedAt = performance.now();
  const statuses = await Promise.all(
    Array.from({ length: CUSTOMERS }, (_, at) =>
      buy(ports[at % PROCESSES] as number, at).catch(() => 0),
    ),
  );
  const lastMs = performance.now() - startedAt;
  const count = (status: number) => statuses.filter((one) => one === status).length;
  const [asked, soldOut] = [count(200), count(409)];
  const held = await database.count("SELECT count(*) FROM seats WHERE order_id IS NOT NULL");
  for (const child of children) child.kill("SIGKILL");
  return { lastMs, asked, soldOut, unanswered: CUSTOMERS - asked - soldOut, seats: held };
}

async function benchEngine(key: string, engine: BenchEngine, gateway: number): Promise<Goal[]> {
  const sales = CANDIDATES.map((): Sale[] => []);
  const steps = countSteps(engine.name, rounds * CANDIDATES.length);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < CANDIDATES.length; turn++) {
      const at = (round + turn) % CANDIDATES.length;
      const database = await engine.open(`sale_${round}_${at}`);
      const program = (CANDIDATES[at] as Candidate).program(key);
      sales[at]?.push(await sell(program, database, gateway));
      await database.close();
      steps.step();
    }
  }
  steps.end();
  const most = (all: readonly Sale[], figure: keyof Sale) =>
    Math.max(...all.map((one) => one[figure]));
  const lasts = sales.map((all) => median(all.map(({ lastMs }) => lastMs)));
  console.log(`\n${engine.name}\n`);
  console.log(
    textTable(
      ["shop", "ms until the last answer", "no answer", "seats"],
      CANDIDATES.map(({ name }, at) => {
        const all = sales[at] ?? [];
        const [last = 0] = [lasts[at]];
        return [name, last.toFixed(0), `${most(all, "unanswered")}`, `${most(all, "seats")}`];
      }),
    ),
  );
  const [own = []] = sales;
  const [ours = 0, byHand = 1] = lasts;
  console.log(`The last answer beside that of the shop by hand: ${(ours / byHand).toFixed(2)}`);
  const isExact = own.every(({ asked, seats }) => asked === SEATS && seats === SEATS);
  const goals = [
    atMost(`${engine.name}: answers that are no answer,`, 0, most(own, "unanswered"), "", 0),
    { text: `${engine.name}: ${SEATS} seats are held by as many customers`, met: isExact },
  ];
  return goals;
}

console.log(
  `${CUSTOMERS} customers at one moment, ${SEATS} seats, ${PROCESSES} processes of the shop, all on this machine; medians, or the worst, of ${rounds} interleaved rounds.`,
);
const service = fork(here("./call-server.ts"));
const [gateway] = await once(service, "message");
const goals: Goal[] = [];
await onEngines(values.engines, async (engine, name) => {
  goals.push(...(await benchEngine(name, engine, gateway)));
});
service.disconnect();
console.log();
for (const goal of goals) console.log(goalLine(goal));
process.exitCode = goals.every(({ met }) => met) ? 0 : 1;
