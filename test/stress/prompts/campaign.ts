import { setTimeout as sleep } from "node:timers/promises";
import type { Options } from "./arguments.ts";
import type { FaultProxy } from "./fault-proxy.ts";
import { countFaults, planFaults } from "./faults.ts";
import { checkHistory, type HistoryVerdict } from "./history/check-history.ts";
import type { HistoryEvent } from "./history/event.ts";
import { createHistory } from "./history/history.ts";
import { type Incident, incidentsFor } from "./incidents/incident.ts";
import { createIncidentRunner, type IncidentRunner } from "./incidents/runner.ts";
import type { CampaignStore } from "./open-store.ts";
import { createPlan, type Plan } from "./plan.ts";
import { createPool, type Pool } from "./pool.ts";
import { showProgress } from "./progress.ts";
import { startService } from "./service.ts";
import { createShop, type Shop } from "./shop.ts";
import { createSimulatedCustomers } from "./simulated-customers.ts";
import { createSleepers } from "./sleepers.ts";
import type { StoreLocation } from "./store.ts";
import { campaignTimeoutMs, endWithinMs } from "./time-limits.ts";
import { createWebhookProxy } from "./webhook-proxy.ts";

/** The result of a campaign. */
export interface Report {
  readonly options: Options;
  readonly store: StoreLocation;
  readonly workers: number;
  readonly verdict: HistoryVerdict;
  readonly history: readonly HistoryEvent[];
  readonly clicks: number;
  readonly reconciled: number;
  readonly resolutions: Shop["resolutions"];
  readonly failures: Shop["failures"];
  readonly faults: ReturnType<typeof countFaults>;
  readonly proxyFaults: FaultProxy["counts"];
  /** Prompts that arrived when their client was gone. */
  readonly latePrompts: number;
  readonly webhooks: Readonly<Record<string, number>>;
  readonly kills: Pool["counts"];
  readonly incidents: IncidentRunner["counts"];
  readonly restarts: number;
  readonly seconds: number;
}

/** How often the service restarts. */
const RESTARTS = 2;
/** One random step of a worker's clock for so many payments. */
const PAYMENTS_PER_CLOCK_STEP = 20;
const MAX_SLEEPERS = 8;
/** How long the faults go on after the last order has begun. */
const LAST_FAULTS_MS = 300;

/** The idempotency key of an order. */
const keyOf = (order: string) => `${order}/1`;

/** Plans what happens in the middle of orders. */
function planOf(options: Options, { location, engine }: CampaignStore): Plan {
  const isShared = location.name !== "memory";
  const { payments, pauses, clockSteps } = options;
  const isPossible = (incident: Incident): boolean => {
    if (incident.act === "clock") return clockSteps;
    if (incident.act === "kill") return isShared && options.kills > 0;
    if (incident.act === "pause") return pauses && (isShared || incident.wake !== "resolved");
    return options.engineFaults && (engine?.faults.includes(incident.fault) ?? false);
  };
  return createPlan(options.seed, {
    payments,
    workers: options.workers,
    kills: isShared ? options.kills : 0,
    clockSteps: clockSteps ? Math.ceil(payments / PAYMENTS_PER_CLOCK_STEP) : 0,
    // In one process all orders sleep together: once for each kind is enough.
    incidents: incidentsFor(isShared ? payments : Math.min(payments, 100), isPossible),
  });
}

/** Runs the shop on one store, and checks the promises. */
export async function runCampaign(options: Options, campaignStore: CampaignStore): Promise<Report> {
  const started = performance.now();
  const { payments, seed, pauses, clockSteps, sabotage } = options;
  const { location: store, engine } = campaignStore;
  const isShared = store.name !== "memory";
  const workers = isShared ? options.workers : 1;
  const plan = planOf(options, campaignStore);
  const planned = planFaults(seed, payments);
  const signal = AbortSignal.timeout(campaignTimeoutMs(payments));
  const history = createHistory();
  history.note("campaign", {
    what: "start",
    store: store.name,
    payments,
    seed,
    pauses,
    clockSteps,
    engineFaults: (options.engineFaults && engine?.faults) || [],
    endWithinMs: endWithinMs(payments),
  });

  const prompted = new Set<string>();
  const webhookProxy = createWebhookProxy(
    seed,
    () => pool.ports(),
    (prompt) => {
      const { account_reference: order, reference } = prompt;
      // The service delivers the event again if its delivery failed.
      if (!prompted.has(reference)) {
        history.note("service", { what: "prompt", key: keyOf(order), reference });
      }
      prompted.add(reference);
      customers.see(prompt);
    },
  );
  const service = await startService(seed, webhookProxy.deliver, planned);
  const { sandbox, baseUrl, faultProxy } = service;
  const customers = createSimulatedCustomers(sandbox, plan.orders);
  const setup = {
    baseUrl,
    apiKey: sandbox.keys.secret,
    webhookSecret: sandbox.webhookSecret,
    store,
    sabotage,
  };
  const pausesPlanned = [...plan.incidents.values()].filter(({ act }) => act === "pause").length;
  const pool = createPool("worker", workers, setup, history, signal);
  const sleeperCount = isShared ? Math.min(MAX_SLEEPERS, pausesPlanned) : 0;
  const sleeperPool = createPool("sleeper", sleeperCount, setup, history, signal);
  const pools = [pool, sleeperPool];
  const runner = createIncidentRunner(
    history,
    plan.incidents,
    engine,
    {
      wake: async (who) => {
        await Promise.all(pools.map((one) => one.wake(who)));
      },
      kill: (who) => {
        for (const one of pools) one.killNamed(who);
      },
    },
    signal,
  );
  const { orders, incidents } = plan;
  // The only process of the memory store sleeps itself.
  const sleepers = createSleepers(isShared ? sleeperPool : pool);
  const shop = createShop({ orders, incidents, pool, sleepers, runner, signal });
  for (const [key, { at }] of incidents) {
    const order = orders.find(({ idempotencyKey }) => idempotencyKey === key);
    if (at === "retry" && order !== undefined) faultProxy.refuse(order.id);
  }
  let begun = 0;
  let phase = "";
  let faultsLeft: ReturnType<typeof service.faultsLeft> = [];

  /** Resolves when the pauses are over, so that the last orders can begin. */
  async function calmDown(): Promise<void> {
    while (begun < plan.lastIncident && !signal.aborted) await sleep(100);
    await shop.calmDown();
    await runner.idle();
  }

  /** Stops the faults while the last orders are in progress. */
  async function stopFaults(): Promise<void> {
    while (begun < payments && !signal.aborted) await sleep(20);
    await sleep(LAST_FAULTS_MS);
    if (isShared && options.kills > 0) pool.kill(0);
    faultsLeft = service.faultsLeft();
    sandbox.faults.clear();
    faultProxy.stopFaults();
    for (let worker = 0; worker < workers; worker++) pool.stepClock(worker, 0);
    history.note("campaign", { what: "faults_stopped" });
    phase = ", faults stopped";
  }

  async function run(): Promise<void> {
    await Promise.all(pools.map((one) => one.ready()));
    const outages = scheduleOutages(plan, pool, faultProxy);
    const sold = shop.sell((count) => {
      begun = count;
      outages(count);
    }, calmDown());
    await stopFaults();
    await sold;
    // The slow customers act. The prompts that nobody answers expire.
    await customers.idle();
    await sandbox.clock.advance("61s");
    await shop.reconcile();
    history.note("campaign", { what: "all_ended" });
    phase = ", paying again";
    // New processes would lose the memory store.
    if (isShared) await pool.replaceAll();
    await shop.payAgain();
    for (const key of await shop.openKeys()) history.note("store", { what: "open", key });
  }

  const progress = showProgress(
    () =>
      `${store.name}: ${shop.done()} of ${payments} orders, ${runner.sleeping()} workers asleep, ${pool.counts.killed} killed${phase}`,
  );
  try {
    await Promise.race([run(), ...pools.map(({ failed }) => failed)]);
  } finally {
    progress.end();
    webhookProxy.close();
    await Promise.all(pools.map((one) => one.close()));
    await service.close();
  }

  for (const { id, results, atEnd, unexpected } of shop.records()) {
    history.note("shop", { what: "order", key: keyOf(id), results, atEnd, unexpected });
  }
  for (const { account_reference, reference, status } of service.ledger()) {
    history.note("service", {
      what: "payment",
      key: keyOf(account_reference),
      reference,
      status,
    });
  }
  const events = history.events();
  return {
    options,
    store,
    workers,
    verdict: checkHistory(events),
    history: events,
    ...shop.counts,
    resolutions: shop.resolutions,
    failures: shop.failures,
    proxyFaults: faultProxy.counts,
    latePrompts: faultProxy.late(),
    faults: countFaults(planned, faultsLeft),
    webhooks: webhookProxy.counts,
    kills: pool.counts,
    incidents: runner.counts,
    restarts: RESTARTS,
    seconds: (performance.now() - started) / 1000,
  };
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
