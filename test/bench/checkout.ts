// What an order costs beside a bare call, and what many open orders cost.
//
//   npm run bench -- checkout [--orders 100000] [--rounds 15]
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Gateway } from "malipo";
import { createCheckout } from "malipo/checkout";
import { startPostgres } from "../support/engines/postgres.ts";
import { SHOPS, type Shop } from "./checkout/shops.ts";
import { type OrderDatabase, postgresOrders, sqliteOrders } from "./checkout/stored-orders.ts";
import { median, medians } from "./rounds.ts";
import { atMost, type Goal, goalLine, textTable } from "./table.ts";

const { values } = parseArgs({
  options: {
    orders: { type: "string", default: "100000" },
    rounds: { type: "string", default: "15" },
  },
});
const [orders, rounds] = [Number(values.orders), Number(values.rounds)];

const goals: Goal[] = [];
const goal = (met: boolean, text: string) => goals.push({ text, met });

const folder = mkdtempSync(join(tmpdir(), "malipo-bench-"));
const CALLS = 200;
const MAX_PAY_RATIO = 1.5;

/** CPU time of `pay` beside `initiate` with a key, on the same engine. */
async function benchPay({ name, store }: Shop): Promise<void> {
  const server = fork(fileURLToPath(new URL("./call-server.ts", import.meta.url)));
  const [port] = await once(server, "message");
  const options = { apiKey: "sk_bench", baseUrl: `http://127.0.0.1:${port}/api/v1` };
  const gateway = new Gateway({ ...options, idempotency: store });
  const checkout = createCheckout({
    ...{ store, gateway: options, secret: "secret", onPaid: () => {} },
  });
  let count = 0;
  const next = () => {
    const number = ++count;
    return { id: `PAY-${number}`, phone: `254${700_000_000 + number}` };
  };
  const inTurn = (work: () => Promise<unknown>) => async (times: number) => {
    for (let n = 0; n < times; n++) await work();
  };
  const candidates = [
    {
      name: "initiate, with a key",
      run: inTurn(() => {
        const { id, phone } = next();
        const params = { amount: 1_500, phone, account_reference: id };
        return gateway.mobileMoney.initiate(params, { idempotencyKey: id });
      }),
    },
    {
      name: "checkout.pay, a new order",
      run: inTurn(async () => {
        const order = await checkout.pay({ ...next(), amount: 1_500 });
        if (order.status !== "pending") throw new Error(`It was not sent: ${order.message}`);
      }),
    },
  ];
  const how = { what: "pay", rounds, times: CALLS, clock: "cpu" } as const;
  const micros = await medians(candidates, how);
  server.disconnect();
  await checkout.stop();
  const [withKey = 1, pay = 1] = micros;
  const rows = candidates.map((one, at) => {
    const us = micros[at] ?? 0;
    return [one.name, us.toFixed(0), (us / withKey).toFixed(2)];
  });
  console.log(
    `\n${name}: one call over loopback; CPU time of the shop; medians of ${rounds} interleaved rounds of ${CALLS}.\n`,
  );
  console.log(textTable(["what", "us of CPU time", "against initiate with a key"], rows));
  goals.push(atMost(`${name}: pay, beside initiate with a key,`, MAX_PAY_RATIO, pay / withKey));
}

const PAID = 100_000;
const MAX_POLL_MS = 2;
const POLLS = 200;
/** How many orders the worker of a checkout takes at once. */
const BATCH = 32;

/** The poll of a started checkout with nothing due, beside many paid orders: what it asks twice a second. */
async function benchPoll({ name, store, addPaid }: Shop): Promise<void> {
  await store.open();
  const gateway = { apiKey: "sk_bench", baseUrl: "http://127.0.0.1:9/api", fetch: service };
  const checkout = createCheckout({ ...{ store, gateway, secret: "secret", onPaid: () => {} } });
  await checkout.reconcile();
  await addPaid(PAID);
  const polled = store.checkout();
  const tookMs: number[] = [];
  for (let n = 0; n < POLLS; n++) {
    const started = performance.now();
    await polled.due(BATCH);
    tookMs.push(performance.now() - started);
  }
  await checkout.stop();
  const what = `${name}: a poll with nothing due, ${PAID.toLocaleString("en")} paid orders, no statistics, median of ${POLLS},`;
  goals.push(atMost(what, MAX_POLL_MS, median(tookMs), "ms"));
}

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");
const heapInMb = () => {
  collect();
  return process.memoryUsage().heapUsed / 1e6;
};

/** A service that has each payment, pending. */
async function service(url: string, init?: { body?: unknown }): Promise<Response> {
  const { pathname } = new URL(url);
  const { account_reference } = JSON.parse(String(init?.body ?? "{}"));
  const reference =
    account_reference === undefined
      ? (pathname.split("/").at(-1) ?? "")
      : `PAY-${account_reference}`;
  return Response.json({ success: true, data: { reference, status: "pending" } });
}

const DUE = 2_000;
const HOUR_MS = 3_600_000;
/** After this, the next look at a payment is due. */
const LOOK_MS = 6_000;

/** A third of the orders waits for a first click, the others for an end that no webhook tells. */
async function fill(database: OrderDatabase, size: number) {
  const { store } = database;
  const gateway = { apiKey: "sk_bench", baseUrl: "http://127.0.0.1:9/api", fetch: service };
  const checkout = createCheckout({
    ...{ store, gateway, secret: "secret", onPaid: () => {} },
  });
  await checkout.reconcile();
  const expiresAt = new Date(Date.now() + HOUR_MS);
  await checkout.create({ id: "OPEN", amount: 1, expiresAt });
  const ids = ["WAITS", "DUE"];
  for (const [at, id] of ids.entries()) {
    await checkout.pay({ id, amount: 1, phone: `25471234567${at}` });
  }
  const digestOf = (at: number) => store.idempotency.digest(`25471234567${at}`);
  const third = Math.floor(size / 3);
  const due = Math.min(DUE, third);
  await database.copy("OPEN", ["OPEN"], third);
  await database.copy("WAITS", ["WAITS", digestOf(0)], size - third - due);
  await database.putOff("WAITS%", HOUR_MS);
  await database.copy("DUE", ["DUE", digestOf(1)], due);
  await database.putOff("DUE%", LOOK_MS);
  return checkout;
}

/** What is done with the stored orders again and again. */
const workOf = (checkout: Awaited<ReturnType<typeof fill>>) => ({
  "reconcile, nothing due": () => checkout.reconcile(),
  "list, the first page": () => checkout.list(),
  "list, the open ones": () => checkout.list({ status: "open" }),
  "list, with a review": () => checkout.list({ review: true }),
});

async function microsOf(work: () => Promise<unknown>, times: number): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const started = performance.now();
    for (let n = 0; n < times; n++) await work();
    taken.push(((performance.now() - started) * 1_000) / times);
  }
  return median(taken);
}

/** Walks through all pages. Returns the number of orders. */
async function walk(checkout: Awaited<ReturnType<typeof fill>>): Promise<number> {
  let count = 0;
  for (let after: string | undefined; ; ) {
    const page = await checkout.list({ after });
    count += page.items.length;
    after = page.next;
    if (after === undefined) return count;
  }
}

async function benchOrders(
  name: string,
  open: (size: number) => Promise<OrderDatabase>,
): Promise<void> {
  const sizes = [Math.max(100, Math.floor(orders / 100)), orders];
  const times: Record<string, number>[] = [];
  const heaps: number[] = [];
  let scans: string[] = [];
  let perDue = 0;
  for (const size of sizes) {
    const database = await open(size);
    const checkout = await fill(database, size);
    const work = workOf(checkout);
    times.push({});
    for (const [what, run] of Object.entries(work)) {
      await run();
      Object.assign(times.at(-1) ?? {}, { [what]: await microsOf(run, 20) });
    }
    const statements = await database.record(async () => {
      for (const run of Object.values(work)) await run();
      const { next } = await checkout.list({ limit: 10 });
      await checkout.list({ after: next });
      await checkout.reviews.list();
      await new Promise((resolve) => setTimeout(resolve, 2 * LOOK_MS));
      const started = performance.now();
      const { processed } = await checkout.reconcile({ timeoutMs: 600_000 });
      perDue = ((performance.now() - started) * 1_000) / processed;
    });
    const found = await walk(checkout);
    if (found !== size + 3) throw new Error(`${name}: ${found} orders are there.`);
    heaps.push(heapInMb());
    if (size === orders) {
      for (const statement of statements) {
        const ofStatement = await database.scans(statement);
        scans = scans.concat(ofStatement.map((scan) => `${scan}: ${statement.text.trim()}`));
      }
    }
    await checkout.stop();
    await database.close();
  }
  const [few = {}, many = {}] = times;
  console.log(`\n${name}, open orders; medians of ${rounds} rounds of 20, in microseconds.\n`);
  console.log(
    textTable(
      ["what", ...sizes.map((size) => `${size.toLocaleString("en")} orders`), "ratio"],
      Object.keys(few).map((what) => {
        const [a = 1, b = 1] = [few[what], many[what]];
        return [what, a.toFixed(0), b.toFixed(0), (b / a).toFixed(2)];
      }),
    ),
  );
  console.log(`reconcile, for each of ${DUE} orders that are due: ${perDue.toFixed(0)} us`);
  for (const scan of scans) console.log(`a scan: ${scan}`);
  goal(scans.length === 0, `${name}: no statement of reconcile and list reads a whole table`);
  const [before = 0, after = 0] = heaps;
  const more = `${(after - before).toFixed(1)} MB`;
  goal(
    after - before <= 5,
    `${name}: reading ${orders.toLocaleString("en")} orders leaves at most 5 MB more on the heap than ${sizes[0]?.toLocaleString("en")}: ${more}`,
  );
}

for (const open of SHOPS) {
  const shop = await open(folder);
  if (shop === undefined) continue;
  await benchPoll(shop);
  await benchPay(shop);
  await shop.close();
}
await benchOrders("SQLite", (size) => sqliteOrders(folder, size));
const engine = await startPostgres();
if (engine === undefined) console.log("PostgreSQL: NOT RUN, there is no engine for it here");
else {
  await benchOrders("PostgreSQL", (size) => postgresOrders(engine.url, size));
  await engine.stop();
}
rmSync(folder, { recursive: true, force: true });
console.log();
for (const one of goals) console.log(goalLine(one));
process.exitCode = goals.every(({ met }) => met) ? 0 : 1;
