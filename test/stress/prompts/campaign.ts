import type { Options } from "./arguments.ts";
import { type Breach, check, type Verdict } from "./check.ts";
import type { FaultProxy } from "./fault-proxy.ts";
import { countFaults, planFaults } from "./faults.ts";
import { createPlan } from "./plan.ts";
import { createPool, type Pool } from "./pool.ts";
import { startService } from "./service.ts";
import { createShop, type Shop } from "./shop.ts";
import { createSimulatedCustomers } from "./simulated-customers.ts";
import type { StoreLocation } from "./store.ts";
import { campaignTimeoutMs } from "./time-limits.ts";
import { createWebhookProxy } from "./webhook-proxy.ts";

/** The result of a campaign. */
export interface Report {
  readonly options: Options;
  readonly store: StoreLocation;
  readonly workers: number;
  readonly verdict: Verdict;
  readonly clicks: number;
  readonly reconciled: number;
  readonly resolutions: Shop["resolutions"];
  readonly failures: Shop["failures"];
  readonly faults: ReturnType<typeof countFaults>;
  readonly proxyFaults: FaultProxy["counts"];
  readonly webhooks: Readonly<Record<string, number>>;
  readonly kills: Pool["counts"];
  readonly restarts: number;
  readonly seconds: number;
}

/** How often the service restarts. */
const RESTARTS = 2;

/** Runs the shop on one store, and checks the promises. */
export async function runCampaign(options: Options, store: StoreLocation): Promise<Report> {
  const started = performance.now();
  const { payments, seed } = options;
  const isShared = store.name !== "memory";
  const workers = isShared ? options.workers : 1;
  const plan = createPlan(seed, payments, options.workers, isShared ? options.kills : 0);
  const planned = planFaults(seed, payments);
  const signal = AbortSignal.timeout(campaignTimeoutMs(payments));
  const errors: string[] = [];

  const webhookProxy = createWebhookProxy(
    seed,
    () => pool.ports(),
    (prompt) => customers.see(prompt),
  );
  const service = await startService(seed, webhookProxy.deliver, planned);
  const { sandbox, baseUrl } = service;
  const customers = createSimulatedCustomers(sandbox, plan.orders);
  const setup = {
    baseUrl,
    apiKey: sandbox.keys.secret,
    webhookSecret: sandbox.webhookSecret,
    store,
  };
  const pool = createPool(workers, setup, signal, (what) => errors.push(what));
  const shop = createShop(plan.orders, pool, signal);

  async function run(): Promise<void> {
    await pool.ready();
    await shop.sell(scheduleOutages(plan.kills, payments, pool, service.faultProxy));
    // The slow customers act. The prompts that nobody answers expire.
    await customers.idle();
    await sandbox.clock.advance("61s");
    await shop.reconcile();
    // New processes would lose the memory store.
    if (isShared) await pool.replaceAll();
    await shop.payAgain();
  }

  try {
    await Promise.race([run(), pool.failed]);
  } finally {
    webhookProxy.close();
    await pool.close();
    await service.close();
  }

  const verdict = check(shop.records(), service.ledger());
  const unexpected = errors.map((what): Breach => ({ kind: "unexpected", order: "", what }));
  return {
    options,
    store,
    workers,
    verdict: { ...verdict, breaches: [...verdict.breaches, ...unexpected] },
    ...shop.counts,
    resolutions: shop.resolutions,
    failures: shop.failures,
    proxyFaults: service.faultProxy.counts,
    faults: countFaults(planned, service.faultsLeft()),
    webhooks: webhookProxy.counts,
    kills: pool.counts,
    restarts: RESTARTS,
    seconds: (performance.now() - started) / 1000,
  };
}

/** Kills workers and restarts the service while orders begin. */
function scheduleOutages(
  kills: readonly { afterOrders: number; worker: number; delayMs: number }[],
  payments: number,
  pool: Pool,
  faultProxy: FaultProxy,
): (begun: number) => void {
  const downAt = Array.from({ length: RESTARTS }, (_, index) =>
    Math.ceil(((index + 1) * payments) / (RESTARTS + 1)),
  );
  return (begun) => {
    for (const { afterOrders, worker, delayMs } of kills) {
      if (afterOrders === begun) setTimeout(() => pool.kill(worker), delayMs);
    }
    if (downAt.includes(begun)) void faultProxy.restart();
  };
}
