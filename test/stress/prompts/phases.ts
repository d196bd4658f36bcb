import { setTimeout as sleep } from "node:timers/promises";
import { showProgress } from "../../../src/cli/terminal/progress.ts";
import type { Options } from "./arguments.ts";
import type { FaultProxy } from "./fault-proxy.ts";
import type { History } from "./history/history.ts";
import type { Plan } from "./plan.ts";
import type { Pool } from "./pool.ts";
import type { Service } from "./service.ts";
import type { Stage } from "./stage.ts";
import { campaignTimeoutMs, MAX_START_MS } from "./time-limits.ts";
import { waitFor, waitUntil } from "./waits.ts";

/** How often the service restarts. */
export const RESTARTS = 2;

/** How long the faults go on after the last order has begun. */
const LAST_FAULTS_MS = 300;

/** How far the date is off with which the machine starts: first behind, then ahead. */
const WRONG_DATE_MS = 31 * 24 * 3_600_000;

/** The faults that hit no request, when they stopped. */
type FaultsLeft = ReturnType<Service["faultsLeft"]>;

/**
 * Runs a campaign. First orders come in while everything goes wrong. Then the faults stop, and every
 * order reaches its answer. At the end new processes pay for every order once more.
 */
export async function runPhases(
  options: Options,
  stage: Stage,
  history: History,
  signal: AbortSignal,
): Promise<FaultsLeft> {
  const { service, shop, pool, pools, runner, customers, isShared } = stage;
  const { payments } = options;
  const { sandbox, faultProxy } = service;
  const limitMs = campaignTimeoutMs(payments);
  const restarts = isShared && options.clockSteps;
  let begun = 0;
  let phase = "";

  /** Resolves when that many orders have begun. */
  const haveBegun = (count: number) =>
    waitUntil(() => begun >= count || signal.aborted, {
      what: () => `order ${count} of ${payments} to begin: ${begun} have`,
      limitMs,
      intervalMs: 20,
    });

  const allSold = {
    what: () => `every order to have a final status or a reference: ${shop.done()} have`,
    // The time limit of the campaign ends the work on orders. This one is for orders that it did not end.
    limitMs: limitMs + MAX_START_MS,
  };

  /** Resolves when the pauses are over, so that the last orders can begin. */
  async function calmDown(): Promise<void> {
    await haveBegun(stage.plan.lastIncident);
    await shop.calmDown();
    await runner.idle();
    if (restarts) await stage.startMachine(-WRONG_DATE_MS);
  }

  /** Stops the faults while the last orders are in progress. */
  async function stopFaults(): Promise<FaultsLeft> {
    await haveBegun(payments);
    await sleep(LAST_FAULTS_MS);
    if (isShared && options.kills > 0) pool.kill(0);
    const left = service.faultsLeft();
    sandbox.faults.clear();
    faultProxy.stopFaults();
    // A machine that started with a wrong date keeps it until the last keys have succeeded.
    if (!restarts) stage.setClocksRight();
    history.note("campaign", { what: "faults_stopped" });
    phase = ", faults stopped";
    return left;
  }

  async function run(): Promise<FaultsLeft> {
    await Promise.all(pools.map((one) => one.ready()));
    const outages = scheduleOutages(stage.plan, pool, faultProxy);
    const calm = calmDown();
    const sold = shop.sell((count) => {
      begun = count;
      outages(count);
    }, calm);
    // What fails first is reported first.
    const [left] = await Promise.all([stopFaults(), waitFor(sold, allSold), calm]);
    stage.setClocksRight();
    // The slow customers act. The prompts without an answer expire.
    await waitFor(customers.idle(), { what: () => "the customers to act", limitMs });
    await sandbox.clock.advance("61s");
    await shop.reconcile();
    history.note("campaign", { what: "all_ended" });
    phase = ", paying again";
    // New processes would lose the memory store.
    if (isShared) await stage.startMachine(restarts ? WRONG_DATE_MS : 0);
    await shop.payAgain();
    stage.setClocksRight();
    for (const key of await shop.openKeys()) history.note("store", { what: "open", key });
    return left;
  }

  const progress = showProgress({
    output: process.stderr,
    line: () => {
      const sleeping = `${runner.sleeping()} workers asleep, ${pool.counts.killed} killed`;
      return `${stage.storeName}: ${shop.done()} of ${payments} orders, ${sleeping}${phase}`;
    },
    share: () => shop.done() / payments,
  });
  try {
    return await Promise.race([run(), runner.failed, ...pools.map(({ failed }) => failed)]);
  } finally {
    progress.end();
  }
}

/** Kills workers, steps clocks and restarts the service while orders begin. */
function scheduleOutages(
  { kills, clockSteps, orders }: Plan,
  pool: Pool,
  faultProxy: FaultProxy,
): (begun: number) => void {
  const downAt = Array.from({ length: RESTARTS }, (_, index) =>
    Math.ceil(((index + 1) * orders.length) / (RESTARTS + 1)),
  );
  return (begun) => {
    for (const { afterOrders, worker, delayMs } of kills) {
      if (afterOrders === begun) setTimeout(() => pool.kill(worker), delayMs);
    }
    for (const { afterOrders, worker, offsetMs } of clockSteps) {
      if (afterOrders === begun) pool.stepClock(worker, offsetMs);
    }
    if (downAt.includes(begun)) void faultProxy.restart();
  };
}
