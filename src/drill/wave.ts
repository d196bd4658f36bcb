import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "./bench.ts";
import { CaseRun } from "./case-run.ts";
import { type DrillCase, type Fault, hasKind, processFault } from "./cases.ts";
import { until } from "./machine-pace.ts";
import { act } from "./people.ts";
import { brokenPromises } from "./promises.ts";

/** Longer than the service waits for the response to a delivery. */
const STOP_MS = 6_000;
/** How long a fault of the process waits for the slowest order of its wave. */
const MAX_HOLD_MS = 6_000;
/** How long the slowest customer takes to answer, at most. */
const MAX_ANSWER_MS = 60_000;
/** How long a shop may take to respond to an order. */
const MAX_ORDER_MS = 20_000;
const MAX_WAIT_MS = 3_000;
const KILL_INTERVAL_MS = 700;
const CONCURRENCY = 8;
/** How long after its return a service may still make phones ring. */
const RING_MS = 15_000;
const POLL_MS = 50;
/** The life of a prompt, then the retry schedule of the deliveries. */
const CLOCK_STEPS = ["61s", "11s", "61s", "301s", "1801s", "7201s"];

const inSeconds = (ms: number) => `${Math.round(ms / 1_000)} s`;

/** What takes the time of a wave. */
function waitOf(cases: readonly DrillCase[], slowMs: number): string {
  const count = `${cases.length} order${cases.length === 1 ? "" : "s"}`;
  const fault = cases.map(processFault).find((one) => one !== undefined);
  if (fault !== undefined) return `${count} (${fault.text})`;
  if (cases.some((one) => hasKind(one, "away"))) return `${count} (the service is away for 2 min)`;
  const isSlow = cases.some((one) => hasKind(one, "slow"));
  return isSlow ? `${count} (the service takes ${inSeconds(slowMs)})` : count;
}

/**
 * Runs cases side by side, until the shop had time to find out about each of them.
 *
 * @param kills - How often the shop is killed meanwhile.
 * @returns Whether the shop shows what is true for every order, as far as it is known now.
 */
export async function runWave(
  bench: Bench,
  cases: readonly DrillCase[],
  kills: number,
): Promise<boolean> {
  const { sandbox, customers, shop } = bench;
  // Time runs ahead in a wave, when prompts expire and deliveries are retried.
  sandbox.restore({ ...sandbox.snapshot(), now: Date.now() });
  bench.awayUntil = 0;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const runs = cases.map((one) => new CaseRun(one, bench, released));
  bench.runs.push(...runs);
  bench.active = runs;
  bench.waitsFor = waitOf(cases, bench.settings.slowMs);
  const placed = Promise.all(
    runs.map(async (run) => {
      run.askOther = () => askOther(bench, run);
      await Promise.all([customers.order(run), act({ scene: bench, customers, run })]);
    }),
  );
  const fault = cases.map(processFault).find((one) => one !== undefined);
  if (fault) await disturb(bench, fault, placed, release);
  for (let count = 0; count < kills && bench.down === undefined; count++) {
    await sleep(KILL_INTERVAL_MS);
    if (!bench.isEnding) await bench.survive(shop.kill());
  }
  await placed;
  if (bench.isEnding) return false;
  // A shop may answer its customer first, and ask the service afterwards.
  if (cases.some((one) => hasKind(one, "away"))) {
    await until(() => bench.awayUntil > 0, MAX_ORDER_MS);
  }
  if (bench.awayUntil > 0) await sleep(bench.awayUntil - performance.now() + RING_MS);
  const isRight = await waitUntilRight(bench, MAX_WAIT_MS);
  for (const run of runs) await run.atEnd?.();
  return isRight && runs.every(({ problems }) => problems.size === 0);
}

/** The same order reaches another process of the shop, and its customer looks at it there. */
async function askOther({ customers, shops }: Bench, run: CaseRun): Promise<void> {
  await Promise.all([
    customers.click(run, { shop: shops[1] }),
    ...[1, 2, 3].map(() => customers.watch(run)),
  ]);
}

/**
 * Causes the fault of the process, which all cases of a wave have, when each of them waits for it. What
 * waits goes on at `release`, and a case that comes later has no fault.
 */
async function disturb(
  bench: Bench,
  fault: Fault,
  placed: Promise<unknown>,
  release: () => void,
): Promise<void> {
  const { active: runs, shop } = bench;
  const isFull = () => runs.every(({ held }) => held !== undefined);
  await Promise.race([placed, until(isFull, MAX_ORDER_MS)]);
  const isAnswered = () => runs.every((run) => run.payments.length > 0 && !run.isAnswering);
  await until(() => isFull() || isAnswered(), MAX_HOLD_MS);
  // Prompts that the customers ignore expire. The clock waits for the deliveries, which wait here.
  const isNone = runs.every(({ held }) => held === undefined);
  const expired = isNone ? advance(bench, CLOCK_STEPS.slice(0, 1)) : undefined;
  await Promise.race([expired, until(isFull, MAX_HOLD_MS)]);
  await until(isFull, MAX_HOLD_MS / 6);
  const waiting = runs.filter(({ held }) => held !== undefined);
  const steps = waiting.flatMap(({ held }) => held?.step ?? []);
  if (steps.length > 0) release();
  await Promise.all(steps);
  if (bench.isEnding) return release();
  if (waiting.length > 0 && fault.kind === "kill") await bench.survive(shop.kill());
  // What waits goes on to a process that does not read it yet.
  else if (waiting.length > 0) await shop.pause(STOP_MS, release);
  release();
  for (const run of waiting) run.happen(processFault(run.case));
  await expired;
}

/**
 * Runs what a day brings: time for the shop's timers, a restart, the nightly job. Then checks every
 * order.
 *
 * @throws {Error} if the nightly job fails.
 */
export async function finishDay(bench: Bench, quietMs: number): Promise<readonly CaseRun[]> {
  const { shops, customers, runs } = bench;
  bench.isEnding = true;
  bench.active = runs;
  bench.waitsFor = `the shop's timers at the end of the day, at most ${inSeconds(quietMs)}`;
  const isRight = bench.down === undefined && (await waitUntilRight(bench, quietMs));
  if (bench.down === undefined) {
    bench.waitsFor = "the restart at the end of the day";
    await Promise.all(shops.map((shop) => shop.close()));
    for (const shop of shops) await bench.survive(shop.start());
  }
  if (bench.down !== undefined) {
    // One order is blamed for it: what became of the others cannot be asked.
    for (const run of runs) run.skipped ??= "the shop did not come back";
    return runs;
  }
  bench.waitsFor = "the nightly job";
  await customers.runNightly();
  const maxMs = isRight ? MAX_WAIT_MS : quietMs;
  bench.waitsFor = `the shop after its restart, at most ${inSeconds(maxMs)}`;
  await waitUntilRight(bench, maxMs);
  bench.active = [];
  // On a busy machine a response takes long: what came to nothing is asked for once more, in peace.
  await readAll(
    bench,
    runs.filter(({ look }) => look.shown.startsWith("nothing")),
  );
  for (const run of runs) {
    const { shown, effects } = run.look;
    run.note("shop", `says ${shown}${effects === undefined ? "" : `, goods: ${effects}`}`);
    for (const broken of brokenPromises(run)) run.blame(...broken);
  }
  return runs;
}

/** Reads orders, a few at a time: hundreds at once would slow down the shop, and be read as its fault. */
async function readAll({ customers }: Bench, runs: readonly CaseRun[]): Promise<void> {
  const queue = runs.values();
  const work = async () => {
    for (const run of queue) await customers.read(run);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}

/** Lets time pass until the shop shows what is true for every order. Resolves with false after `maxMs`. */
async function waitUntilRight(bench: Bench, maxMs: number): Promise<boolean> {
  const isRight = async () => {
    await advance(bench, CLOCK_STEPS);
    await readAll(bench, bench.active);
    return bench.active.every((run) => brokenPromises(run).length === 0);
  };
  return await until(isRight, maxMs, POLL_MS);
}

/** Moves the clock: ignored prompts expire, and deliveries are retried. */
async function advance({ active, sandbox }: Bench, steps: readonly string[]): Promise<void> {
  for (const step of steps) {
    // A prompt must not expire while its customer is about to answer it.
    await until(() => active.every((run) => !run.isAnswering), MAX_ANSWER_MS);
    const isPending = sandbox.deliveries.all().some(({ state }) => state === "pending");
    if (!isPending && !active.some((run) => run.isPrompted)) return;
    await sandbox.clock.advance(step);
  }
}
