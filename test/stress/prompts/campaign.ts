import type { Options } from "./arguments.ts";
import type { FaultProxy } from "./fault-proxy.ts";
import { countFaults } from "./faults.ts";
import { checkHistory, type HistoryResult } from "./history/check-history.ts";
import type { History } from "./history/history.ts";
import type { IncidentRunner } from "./incidents/runner.ts";
import type { CampaignStore } from "./open-store.ts";
import { RESTARTS, runPhases } from "./phases.ts";
import type { Pool } from "./pool.ts";
import type { Shop } from "./shop.ts";
import { keyOf, type Stage, setStage } from "./stage.ts";
import type { StoreLocation } from "./store.ts";
import { campaignTimeoutMs, endWithinMs, MAX_START_MS } from "./time-limits.ts";
import { waitFor } from "./waits.ts";

/** The result of a campaign. */
export interface Report {
  readonly options: Options;
  readonly store: StoreLocation;
  readonly workers: number;
  readonly result: HistoryResult;
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

/**
 * Runs the shop on one store, and checks the promises.
 *
 * @param history - Gets everything that happens, also if the campaign fails.
 */
export async function runCampaign(
  options: Options,
  campaignStore: CampaignStore,
  history: History,
): Promise<Report> {
  const started = performance.now();
  const { location: store, engine } = campaignStore;
  const { payments, seed, pauses, clockSteps } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(campaignTimeoutMs(payments))]);
  const engineFaults = (options.engineFaults && engine?.faults) || [];
  const limits = { pauses, clockSteps, engineFaults, endWithinMs: endWithinMs(payments) };
  history.note("campaign", { what: "start", store: store.name, payments, seed, ...limits });

  const stage = await setStage(options, campaignStore, history, signal);
  const { shop, service, pool, plannedFaults } = stage;
  let faultsLeft: ReturnType<typeof service.faultsLeft> = [];
  try {
    faultsLeft = await runPhases(options, stage, history, signal);
  } catch (error) {
    history.note("campaign", { what: "unexpected", error: `${error}` });
    throw error;
  } finally {
    over.abort();
    const what = () => "the workers and the service to end";
    await waitFor(stage.close(), { what, limitMs: 2 * MAX_START_MS });
  }
  noteEnds(stage, history);

  return {
    options,
    store,
    workers: pool.size,
    result: checkHistory(history.events()),
    ...shop.counts,
    resolutions: shop.resolutions,
    failures: shop.failures,
    proxyFaults: service.faultProxy.counts,
    latePrompts: service.faultProxy.late(),
    faults: countFaults(plannedFaults, faultsLeft),
    webhooks: stage.webhookProxy.counts,
    kills: pool.counts,
    incidents: stage.runner.counts,
    restarts: RESTARTS,
    seconds: (performance.now() - started) / 1000,
  };
}

/** Adds to the history what the shop knows of its orders, and what is in the service's ledger. */
function noteEnds({ shop, service }: Stage, history: History): void {
  for (const { id, results, atEnd, unexpected } of shop.records()) {
    history.note("shop", { what: "order", key: keyOf(id), results, atEnd, unexpected });
  }
  for (const { account_reference, reference, status } of service.ledger()) {
    history.note("service", { what: "payment", key: keyOf(account_reference), reference, status });
  }
}
