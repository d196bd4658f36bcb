// Waiting for a payment: how often it is read, how late its end is known, what 10,000 waits cost.
// Schedules are measured in virtual time, through a gateway and a sandbox; memory and timers are real.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createWakeups, Gateway, isKnownEvent, verifyWebhook, type WaitOptions } from "malipo";
import { createSandbox } from "malipo/sandbox";
import { median } from "./rounds.ts";
import { textTable } from "./table.ts";
import { virtualTime } from "./virtual-time.ts";

interface Figure {
  readonly what: string;
  readonly goal: number;
  readonly found: number;
  readonly unit?: string;
}

/** A shop on a sandbox that answers in no time. Its reads are told to whoever asks. */
async function shopWith(payments: number) {
  const wakeups = createWakeups();
  const heard = (body: string, headers: Headers) => {
    const event = verifyWebhook({ body, headers, secret: sandbox.webhookSecret });
    if (isKnownEvent(event, "payment.completed")) wakeups.notify(event.data.reference);
  };
  const sandbox = createSandbox({
    auto: "none",
    deliver: async (request) => {
      heard(await request.text(), request.headers);
      return new Response("{}");
    },
  });
  const reads = new Map<string, number>();
  const gateway: Gateway = new Gateway({
    apiKey: sandbox.keys.secret,
    baseUrl: sandbox.baseUrl,
    fetch: (url, init) => {
      const reference = url.slice(url.lastIndexOf("/") + 1);
      if (init.method === "GET") reads.set(reference, (reads.get(reference) ?? 0) + 1);
      return sandbox.fetch(url, init);
    },
  });
  const url = "https://shop.test/hook";
  await gateway.webhooks.register({ name: "shop", url, events: ["payment.completed"] });
  const orders: { reference: string; approve: () => void }[] = [];
  for (let at = 0; at < payments; at++) {
    const phone = `2547${String(at).padStart(8, "0")}`;
    const { reference } = await gateway.mobileMoney.initiate({ amount: 100, phone });
    orders.push({ reference, approve: () => sandbox.phone(phone).approve() });
  }
  const readsOf = (reference: string) => reads.get(reference) ?? 0;
  return { gateway, orders, readsOf, wake: wakeups.wake };
}

const WAITS = 3_000;

/** The most reads of any payment that stays open, in its first 60 s. */
async function readsInAMinute(timeoutMs: number): Promise<number> {
  const { gateway, orders, readsOf } = await shopWith(WAITS / 10);
  const time = virtualTime();
  for (const { reference } of orders) {
    gateway.payments.waitFor(reference, { timeoutMs }).catch(() => {});
  }
  await time.pass(60_000);
  const found = Math.max(...orders.map(({ reference }) => readsOf(reference)));
  await time.pass(timeoutMs);
  time.end();
  return found;
}

/** Of payments that are settled at some moment of the first 30 s: how late is it known, after how many reads? */
async function settledOverTime(hints: boolean): Promise<{ lags: number[]; reads: number[] }> {
  const { gateway, orders, readsOf, wake } = await shopWith(WAITS);
  const time = virtualTime();
  const options: WaitOptions = hints ? { wake } : {};
  const [lags, reads]: [number[], number[]] = [[], []];
  const waits = orders.map(async ({ reference }, at) => {
    await gateway.payments.waitFor(reference, options);
    lags.push(time.now() - settledAt(at));
    reads.push(readsOf(reference) - (readsBefore[at] ?? 0));
  });
  const settledAt = (at: number) => 1 + at * (30_000 / WAITS);
  const readsBefore: number[] = [];
  let next = 0;
  await time.pass(60_000, (now) => {
    const first = next;
    for (; next < WAITS && settledAt(next) <= now; next++) {
      readsBefore[next] = readsOf(orders[next]?.reference ?? "");
      orders[next]?.approve();
    }
    return next > first;
  });
  await Promise.all(waits);
  time.end();
  return { lags, reads };
}

const MANY = 10_000;

/** Of many waits that begin together: how many wake in the same millisecond, at the most? */
async function wakingTogether(): Promise<number> {
  const { gateway, orders } = await shopWith(MANY);
  const time = virtualTime();
  for (const { reference } of orders) {
    gateway.payments.waitFor(reference, { timeoutMs: 6_000 }).catch(() => {});
  }
  await time.pass(5_900);
  const found = time.mostAtOnce();
  await time.pass(200);
  time.end();
  return found;
}

/** Many waits at once, asleep between two reads: what each holds, and how many timers there are. */
async function manyAtOnce(): Promise<{ bytes: number; timers: number }> {
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  const heldBytes = () => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const timersNow = () =>
    process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const { gateway, orders, readsOf, wake } = await shopWith(MANY);
  const references = orders.map(({ reference }) => reference);
  // The reads' own objects are there before, so that they are not counted as the waits'.
  for (const reference of references.slice(0, 200)) await gateway.payments.get(reference);
  const readBefore = references.map(readsOf);
  const [held, timers] = [heldBytes(), timersNow()];

  const { signal, abort } = abortable();
  const machineNow = performance.now;
  for (const reference of references) {
    gateway.payments.waitFor(reference, { wake, signal, timeoutMs: 600_000 }).catch(() => {});
  }
  // As if their first reads had taken half a minute: now all sleep long enough to be weighed.
  performance.now = () => machineNow.call(performance) + 31_000;
  const isAsleep = (reference: string, at: number) => readsOf(reference) > (readBefore[at] ?? 0);
  do await new Promise((resolve) => setTimeout(resolve, 200));
  while (!references.every(isAsleep));
  await new Promise((resolve) => setTimeout(resolve, 500));

  const found = { bytes: (heldBytes() - held) / MANY, timers: (timersNow() - timers) / MANY };
  abort();
  performance.now = machineNow;
  return found;
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

const polled = await settledOverTime(false);
const hinted = await settledOverTime(true);
const many = await manyAtOnce();

const figures: readonly Figure[] = [
  { what: "reads in the first 60 s, at most", goal: 10, found: await readsInAMinute(120_000) },
  { what: "the same, of a wait of 60 s", goal: 10, found: await readsInAMinute(60_000) },
  {
    what: "settled in the first 30 s, known after (median)",
    goal: 2_000,
    found: median(polled.lags),
    unit: "ms",
  },
  { what: "reads after a wake-up, at most", goal: 1, found: Math.max(...hinted.reads) },
  {
    what: "settled with a wake-up, known after (at most)",
    goal: 1,
    found: Math.max(...hinted.lags),
    unit: "ms",
  },
  {
    what: "10,000 waits begun together: wake in one millisecond, at most",
    goal: MANY / 100,
    found: await wakingTogether(),
  },
  { what: "10,000 waits at once: memory a wait", goal: 4_096, found: many.bytes, unit: "bytes" },
  { what: "10,000 waits at once: timers a wait", goal: 1, found: many.timers },
];

const isMet = ({ goal, found }: Figure) => found <= goal;
const written = (value: number, unit = "") =>
  `${Number.isInteger(value) ? value : value.toFixed(unit === "" ? 2 : 0)} ${unit}`.trim();

console.log(
  `Virtual time; ${WAITS} payments settled one after another; no answer takes any time.\n`,
);
console.log(
  textTable(
    ["waiting for a payment", "goal", "found", ""],
    figures.map((figure) => [
      figure.what,
      `<= ${written(figure.goal, figure.unit)}`,
      written(figure.found, figure.unit),
      isMet(figure) ? "met" : "MISSED",
    ]),
  ),
);
process.exitCode = figures.every(isMet) ? 0 : 1;
