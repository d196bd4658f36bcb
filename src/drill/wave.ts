import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "./bench.ts";
import { CaseRun } from "./case-run.ts";
import { type DrillCase, isOfProcess } from "./cases.ts";
import { brokenPromise, FORGED } from "./promises.ts";

/** Longer than the service waits for the response to a delivery. */
const STOP_MS = 6_000;
/** How long a fault of the process waits for the slowest order of its wave. */
const MAX_HOLD_MS = 6_000;
/** How long a shop may take to respond to an order. */
const MAX_ORDER_MS = 20_000;
const MAX_WAIT_MS = 3_000;
const KILL_INTERVAL_MS = 700;
const POLL_MS = 50;
/** The life of a prompt, then the retry schedule of the deliveries. */
const CLOCK_STEPS = ["61s", "11s", "61s", "301s", "1801s", "7201s"];

/**
 * Runs cases side by side, until the shop had time to find out about each of them.
 *
 * @param kills - How often the shop is killed meanwhile.
 */
export async function runWave(
  bench: Bench,
  cases: readonly DrillCase[],
  kills: number,
): Promise<void> {
  const { sandbox, customers, shop } = bench;
  // Time runs ahead in a wave, when prompts expire and deliveries are retried.
  sandbox.restore({ ...sandbox.snapshot(), now: Date.now() });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const runs = cases.map((one) => new CaseRun(one, bench, released));
  bench.runs.push(...runs);
  bench.active = runs;
  const placed = Promise.all(runs.map((run) => customers.order(run)));
  if (isOfProcess(cases[0]?.fault)) await disturb(bench, placed, release);
  for (let count = 0; count < kills; count++) {
    await sleep(KILL_INTERVAL_MS);
    await bench.survive(shop.kill());
  }
  await placed;
  await waitUntilRight(bench, MAX_WAIT_MS);
  for (const run of runs) await run.atEnd?.();
}

/**
 * Causes the fault of the process, which all cases of a wave have, when each of them waits for it. What
 * waits goes on at `release`, and a case that comes later has no fault.
 */
async function disturb(bench: Bench, placed: Promise<unknown>, release: () => void): Promise<void> {
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
  if (waiting.length > 0 && runs[0]?.case.fault?.kind === "kill") await bench.survive(shop.kill());
  // What waits goes on to a process that does not read it yet.
  else if (waiting.length > 0) await shop.pause(STOP_MS, release);
  release();
  for (const run of waiting) run.happen();
  await expired;
}

/**
 * Runs what a day brings: time for the shop's timers, a restart, the nightly job. Then checks every
 * order.
 *
 * @throws {Error} if the nightly job fails.
 */
export async function finishDay(bench: Bench, quietMs: number): Promise<readonly CaseRun[]> {
  const { shop, customers, runs } = bench;
  bench.active = runs;
  const isRight = await waitUntilRight(bench, quietMs);
  await shop.close();
  await bench.survive(shop.start());
  await customers.runNightly();
  await waitUntilRight(bench, isRight ? MAX_WAIT_MS : quietMs);
  for (const run of runs) {
    const broken = brokenPromise(run);
    // What a forged event has done is not broken a second time.
    if (broken !== undefined && !run.problems.has(FORGED)) run.blame(...broken);
    const shipped = run.effects === undefined ? "" : `, shipments: ${run.effects}`;
    run.note("shop", `says ${run.shown}${shipped}`);
  }
  return runs;
}

/** Lets time pass until the shop shows what is true for every order. Returns false after `maxMs`. */
async function waitUntilRight(bench: Bench, maxMs: number): Promise<boolean> {
  const deadline = performance.now() + maxMs;
  for (;;) {
    await advance(bench, CLOCK_STEPS);
    await Promise.all(bench.active.map((run) => bench.customers.read(run)));
    if (bench.active.every((run) => !run.canAsk || brokenPromise(run) === undefined)) return true;
    if (performance.now() > deadline) return false;
    await sleep(POLL_MS);
  }
}

/** Moves the clock: ignored prompts expire, and deliveries are retried. */
async function advance({ active, sandbox }: Bench, steps: readonly string[]): Promise<void> {
  await until(() => active.every((run) => !run.isAnswering), MAX_HOLD_MS);
  for (const step of steps) {
    const isPending = sandbox.deliveries.all().some(({ state }) => state === "pending");
    if (!isPending && !active.some((run) => run.isPrompted)) return;
    await sandbox.clock.advance(step);
  }
}

/** Waits until a condition holds, at most for a time. */
async function until(condition: () => boolean, maxMs: number): Promise<void> {
  const deadline = performance.now() + maxMs;
  while (!condition() && performance.now() < deadline) await sleep(POLL_MS / 5);
}
