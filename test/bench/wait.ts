// Waiting for a payment: how often it is read, how soon its final status is known, what 10,000 waits
// cost. Schedules are measured in virtual time, through a gateway and a sandbox. Memory and timers are real.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createWakeups, Gateway, isKnownEvent, verifyWebhook, type WaitOptions } from "malipo";
import { createSandbox } from "malipo/sandbox";
import { median } from "./rounds.ts";
import { goalLine } from "./table.ts";
import { virtualTime } from "./virtual-time.ts";

interface Figure {
  readonly what: string;
  readonly goal: number;
  readonly found: number;
  readonly unit?: string;
}

/** A shop on a sandbox that responds at once. It counts reads by reference. */
async function shopWith(payments: number) {
  const wakeups = createWakeups();
  const onWebhook = (body: string, headers: Headers) => {
    const event = verifyWebhook({ body, headers, secret: sandbox.webhookSecret });
    if (isKnownEvent(event, "payment.completed")) wakeups.notify(event.data.reference);
  };
  const sandbox = createSandbox({
    auto: "none",
    deliver: async (request) => {
      onWebhook(await request.text(), request.headers);
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

/** The highest number of reads of a payment that stays open, in its first 60 s. */
async function readsInAMinute(waitMs: number): Promise<number> {
  const { gateway, orders, readsOf } = await shopWith(WAITS / 10);
  const time = virtualTime();
  for (const { reference } of orders) {
    gateway.payments.waitFor(reference, { waitMs }).catch(() => {});
  }
  await time.pass(60_000);
  const found = Math.max(...orders.map(({ reference }) => readsOf(reference)));
  await time.pass(waitMs);
  time.end();
  return found;
}

/** For payments that become final in the first 30 s: how long until it is known, after how many reads? */
async function finalOverTime(hints: boolean): Promise<{ lags: number[]; reads: number[] }> {
  const { gateway, orders, readsOf, wake } = await shopWith(WAITS);
  const time = virtualTime();
  const options: WaitOptions = hints ? { wake } : {};
  const [lags, reads]: [number[], number[]] = [[], []];
  const waits = orders.map(async ({ reference }, at) => {
    await gateway.payments.waitFor(reference, options);
    lags.push(time.now() - finalAt(at));
    reads.push(readsOf(reference) - (readsBefore[at] ?? 0));
  });
  const finalAt = (at: number) => 1 + at * (30_000 / WAITS);
  const readsBefore: number[] = [];
  let next = 0;
  await time.pass(60_000, (now) => {
    const first = next;
    for (; next < WAITS && finalAt(next) <= now; next++) {
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

/** For many waits that begin together: the highest number that wake in the same millisecond. */
async function wakingTogether(): Promise<number> {
  const { gateway, orders } = await shopWith(MANY);
  const time = virtualTime();
  for (const { reference } of orders) {
    gateway.payments.waitFor(reference, { waitMs: 6_000 }).catch(() => {});
  }
  await time.pass(5_900);
  const found = time.maxAtOnce();
  await time.pass(200);
  time.end();
  return found;
}

/** Many waits at once, between two reads: the memory and the timers of each. */
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
  // These reads create their own objects first, so that those are not counted for the waits.
  for (const reference of references.slice(0, 200)) await gateway.payments.get(reference);
  const readBefore = references.map(readsOf);
  const [held, timers] = [heldBytes(), timersNow()];

  const { signal, abort } = abortable();
  const machineNow = performance.now;
  for (const reference of references) {
    gateway.payments.waitFor(reference, { wake, signal, waitMs: 600_000 }).catch(() => {});
  }
  // As if the first reads had taken half a minute: now all waits sleep long enough to be measured.
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

const polled = await finalOverTime(false);
const hinted = await finalOverTime(true);
const many = await manyAtOnce();

const figures: readonly Figure[] = [
  { what: "reads in the first 60 s, at most", goal: 10, found: await readsInAMinute(120_000) },
  { what: "the same, of a wait of 60 s", goal: 10, found: await readsInAMinute(60_000) },
  {
    what: "final in the first 30 s, known after (median)",
    goal: 2_000,
    found: median(polled.lags),
    unit: "ms",
  },
  { what: "reads after a wake-up, at most", goal: 1, found: Math.max(...hinted.reads) },
  {
    what: "final with a wake-up, known after (at most)",
    goal: 1,
    found: Math.max(...hinted.lags),
    unit: "ms",
  },
  {
    what: "10,000 waits started together: wake in one millisecond, at most",
    goal: MANY / 100,
    found: await wakingTogether(),
  },
  { what: "10,000 waits at once: memory per wait", goal: 4_096, found: many.bytes, unit: "bytes" },
  { what: "10,000 waits at once: timers per wait", goal: 1, found: many.timers },
];

const formatted = (value: number, unit = "") =>
  `${Number.isInteger(value) ? value : value.toFixed(unit === "" ? 2 : 0)} ${unit}`.trim();

console.log(
  `Virtual time; ${WAITS} payments become final one after another; responses take no time.\n`,
);
for (const { what, goal, found, unit } of figures) {
  const text = `${what}: at most ${formatted(goal, unit)}, found ${formatted(found, unit)}`;
  console.log(goalLine({ text, met: found <= goal }));
}
