import { createCarrier } from "./carrier.ts";
import { type Breach, check, type Verdict } from "./check.ts";
import { createCustomers } from "./customers.ts";
import { countFaults, planFaults } from "./faults.ts";
import type { Gate } from "./gate.ts";
import type { Options } from "./options.ts";
import { planOf } from "./plan.ts";
import { createPool, type Pool } from "./pool.ts";
import { startService } from "./service.ts";
import { createShop, type Shop } from "./shop.ts";
import type { StorePlace } from "./store.ts";
import { limitMs } from "./times.ts";

/** What a campaign came to. */
export interface Report {
  readonly options: Options;
  readonly store: StorePlace;
  readonly workers: number;
  readonly verdict: Verdict;
  readonly clicks: number;
  readonly reconciled: number;
  readonly looks: Shop["looks"];
  readonly failures: Shop["failures"];
  readonly faults: ReturnType<typeof countFaults>;
  readonly mishaps: Gate["counts"];
  readonly webhooks: Readonly<Record<string, number>>;
  readonly kills: Pool["counts"];
  readonly restarts: number;
  readonly seconds: number;
}

/** How often the service goes down. */
const RESTARTS = 2;

/** Runs the shop on one store, and counts. */
export async function runCampaign(options: Options, store: StorePlace): Promise<Report> {
  const started = performance.now();
  const { payments, seed } = options;
  const isShared = store.name !== "memory";
  const workers = isShared ? options.workers : 1;
  const plan = planOf(seed, payments, options.workers, isShared ? options.kills : 0);
  const planned = planFaults(seed, payments);
  const signal = AbortSignal.timeout(limitMs(payments));
  const broken: string[] = [];

  const carrier = createCarrier(
    seed,
    () => pool.ports(),
    (prompt) => customers.see(prompt),
  );
  const service = await startService(seed, carrier.deliver, planned);
  const { sandbox, baseUrl } = service;
  const customers = createCustomers(sandbox, plan.orders);
  const setup = {
    baseUrl,
    apiKey: sandbox.keys.secret,
    webhookSecret: sandbox.webhookSecret,
    store,
  };
  const pool = createPool(workers, setup, signal, (what) => broken.push(what));
  const shop = createShop(plan.orders, pool, signal);

  async function play(): Promise<void> {
    await pool.ready();
    await shop.sell(mischief(plan.kills, payments, pool, service.gate));
    // The slow customers decide, and the prompts of those who never will go away.
    await customers.settled();
    await sandbox.clock.advance("61s");
    await shop.reconcile();
    // The memory store lives in its process.
    if (isShared) await pool.renew();
    await shop.askAgain();
  }

  try {
    await Promise.race([play(), pool.failed]);
  } finally {
    carrier.close();
    await pool.close();
    await service.close();
  }

  const verdict = check(shop.records(), service.ledger());
  const strange = broken.map((what): Breach => ({ kind: "broken", order: "", what }));
  return {
    options,
    store,
    workers,
    verdict: { ...verdict, breaches: [...verdict.breaches, ...strange] },
    ...shop.counts,
    looks: shop.looks,
    failures: shop.failures,
    mishaps: service.gate.counts,
    faults: countFaults(planned, service.faultsLeft()),
    webhooks: carrier.counts,
    kills: pool.counts,
    restarts: RESTARTS,
    seconds: (performance.now() - started) / 1000,
  };
}

/** Kills workers and takes the service down as orders begin. */
function mischief(
  kills: readonly { afterOrders: number; worker: number; delayMs: number }[],
  payments: number,
  pool: Pool,
  gate: Gate,
): (begun: number) => void {
  const downAt = Array.from({ length: RESTARTS }, (_, index) =>
    Math.ceil(((index + 1) * payments) / (RESTARTS + 1)),
  );
  return (begun) => {
    for (const { afterOrders, worker, delayMs } of kills) {
      if (afterOrders === begun) setTimeout(() => pool.kill(worker), delayMs);
    }
    if (downAt.includes(begun)) void gate.restart();
  };
}
