import type { Options } from "./arguments.ts";
import { planFaults } from "./faults.ts";
import { historyTime } from "./history/event.ts";
import type { History } from "./history/history.ts";
import { type Incident, incidentsFor } from "./incidents/incident.ts";
import { createIncidentRunner, type IncidentRunner } from "./incidents/runner.ts";
import type { Machine } from "./messages.ts";
import type { CampaignStore } from "./open-store.ts";
import { createPlan, type Plan } from "./plan.ts";
import { createPool, type Pool } from "./pool.ts";
import { type Service, startService } from "./service.ts";
import { createShop, type Shop } from "./shop.ts";
import { createSimulatedCustomers, type SimulatedCustomers } from "./simulated-customers.ts";
import { createSleepers } from "./sleepers.ts";
import { createWebhookProxy, type WebhookProxy } from "./webhook-proxy.ts";

/** Everything that takes part in a campaign. */
export interface Stage {
  readonly plan: Plan;
  readonly plannedFaults: ReturnType<typeof planFaults>;
  readonly service: Service;
  readonly webhookProxy: WebhookProxy;
  readonly customers: SimulatedCustomers;
  readonly storeName: string;
  /** Whether several workers share the store. */
  readonly isShared: boolean;
  readonly pool: Pool;
  /** `pool`, and the one of the workers that are put to sleep. */
  readonly pools: readonly Pool[];
  readonly runner: IncidentRunner;
  readonly shop: Shop;
  /** The machine starts again, with a date that is so far from the right one. */
  startMachine(offsetMs: number): Promise<void>;
  /** Sets every wall clock right. */
  setClocksRight(): void;
  close(): Promise<void>;
}

const PAYMENTS_PER_CLOCK_STEP = 20;
const MAX_SLEEPERS = 8;
/** In one process all orders sleep together, so there are the incidents of a smaller campaign. */
const MAX_INCIDENT_PAYMENTS_IN_ONE_PROCESS = 500;

/** The idempotency key of an order. */
export const keyOf = (order: string): string => `${order}/1`;

function planOf(options: Options, { location, engine }: CampaignStore): Plan {
  const isShared = location.name !== "memory";
  const { payments, pauses, clockSteps, engineFaults } = options;
  const isPossible = (incident: Incident): boolean => {
    if (incident.act === "clock") return clockSteps;
    if (incident.act === "kill") return isShared && options.kills > 0;
    if (incident.act === "pause") return pauses && (isShared || incident.wake !== "resolved");
    return engineFaults && (engine?.faults.includes(incident.fault) ?? false);
  };
  const incidentPayments = isShared
    ? payments
    : Math.min(payments, MAX_INCIDENT_PAYMENTS_IN_ONE_PROCESS);
  return createPlan(options.seed, {
    payments,
    workers: options.workers,
    kills: isShared ? options.kills : 0,
    clockSteps: clockSteps ? Math.ceil(payments / PAYMENTS_PER_CLOCK_STEP) : 0,
    incidents: incidentsFor(incidentPayments, isPossible),
  });
}

/** Has the proxy reject what an incident needs: the first request of a retry. */
function rejectFirst({ orders, incidents }: Plan, { faultProxy }: Service): void {
  for (const { id, idempotencyKey } of orders) {
    if (incidents.get(idempotencyKey)?.at === "retry") faultProxy.reject(id);
  }
}

/** Records each prompt once, and shows it to the customer. */
function createPromptObserver(history: History, customers: () => SimulatedCustomers) {
  const prompted = new Set<string>();
  return (prompt: { readonly account_reference: string; readonly reference: string }) => {
    const { account_reference: order, reference } = prompt;
    // The service delivers the event again if its delivery failed.
    if (!prompted.has(reference)) {
      history.note("service", { what: "prompt", key: keyOf(order), reference });
    }
    prompted.add(reference);
    customers().see(prompt);
  };
}

/** Starts the service, the workers and the shop on a store. */
export async function setStage(
  options: Options,
  store: CampaignStore,
  history: History,
  signal: AbortSignal,
): Promise<Stage> {
  const { payments, seed, sabotage } = options;
  const isShared = store.location.name !== "memory";
  const plan = planOf(options, store);
  const plannedFaults = planFaults(seed, payments);
  const webhookProxy = createWebhookProxy(
    seed,
    () => pool.ports(),
    createPromptObserver(history, () => customers),
  );
  const service = await startService(seed, webhookProxy.deliver, plannedFaults);
  rejectFirst(plan, service);
  const { sandbox, baseUrl } = service;
  const customers = createSimulatedCustomers(sandbox, plan.orders);
  const keys = { apiKey: sandbox.keys.secret, webhookSecret: sandbox.webhookSecret };
  let machine: Machine = { startedAt: 0, offsetMs: 0 };
  const setup = () => ({ baseUrl, ...keys, store: store.location, sabotage, machine });

  const pauses = [...plan.incidents.values()].filter(({ act }) => act === "pause").length;
  const pool = createPool("worker", isShared ? options.workers : 1, setup, history, signal);
  const sleeperCount = isShared ? Math.min(MAX_SLEEPERS, pauses) : 0;
  const sleeperPool = createPool("sleeper", sleeperCount, setup, history, signal);
  const pools = [pool, sleeperPool];
  const hands = {
    wakerOf: (who: string) => {
      const wakers = pools.map((one) => one.wakerOf(who));
      return async () => {
        await Promise.all(wakers.map((wake) => wake?.()));
      };
    },
    kill: (who: string) => {
      for (const one of pools) one.killNamed(who);
    },
  };
  const { orders, incidents } = plan;
  const runner = createIncidentRunner(history, incidents, store.engine, hands);
  // The only process of the memory store sleeps itself.
  const sleepers = createSleepers(isShared ? sleeperPool : pool);
  const shop = createShop({ orders, incidents, pool, sleepers, runner, signal });

  return {
    plan,
    plannedFaults,
    service,
    webhookProxy,
    customers,
    storeName: store.location.name,
    isShared,
    pool,
    pools,
    runner,
    shop,
    startMachine: async (offsetMs) => {
      machine = { startedAt: historyTime(), offsetMs };
      history.note("campaign", { what: "machine_started", offsetMs });
      await Promise.all(pools.map((one) => one.replaceAll()));
    },
    setClocksRight: () => {
      machine = { ...machine, offsetMs: 0 };
      history.note("campaign", { what: "clocks_right" });
      for (const one of pools) {
        for (let worker = 0; worker < one.size; worker++) one.stepClock(worker, 0);
      }
    },
    close: async () => {
      webhookProxy.close();
      await Promise.all(pools.map((one) => one.close()));
      await service.close();
    },
  };
}
