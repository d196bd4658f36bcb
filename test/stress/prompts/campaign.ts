import { setTimeout as sleep } from "node:timers/promises";
import { showProgress } from "../../../src/cli/terminal/progress.ts";
import { bundle } from "../harness/bundle.ts";
import type { History } from "../harness/history.ts";
import { EngineFaults, Incidents } from "../harness/incidents.ts";
import { evenly, MAX_MORE_ROUNDS } from "../harness/plan.ts";
import { Pool } from "../harness/processes.ts";
import { Customers, type Prompt } from "../harness/service/customers.ts";
import { countFaults, planFaults } from "../harness/service/faults.ts";
import { type Service, startService } from "../harness/service/service.ts";
import { createWebhookProxy } from "../harness/service/webhook-proxy.ts";
import { countEach, listed, type Row } from "../harness/table.ts";
import { historyTime, Progress, waitFor } from "../harness/waits.ts";
import { breachesInEvents } from "./history/check-events.ts";
import type { HistoryEvent, PromptHappening } from "./history/event.ts";
import { lackingOrders } from "./history/hard-states.ts";
import { type Incident, incidentsFor } from "./incidents.ts";
import type { Jobs, Machine, Setup } from "./messages.ts";
import type { CampaignStore } from "./open-store.ts";
import { createPlan, keyOf, type Order, type Plan, planMore } from "./plan.ts";
import { Shop } from "./shop.ts";
import type { PromptOptions } from "./subject.ts";
import { campaignTimeoutMs, endWithinMs } from "./time-limits.ts";

/** How often the service restarts. */
const RESTARTS = 2;
/** How long the faults go on after the last order has begun. */
const LAST_FAULTS_MS = 300;
/** The last orders begin when no worker sleeps any more, and soon the faults stop. */
const LATE_SHARE = 0.1;
/** How far the date is off with which the machine starts: first behind, then ahead. */
const WRONG_DATE_MS = 31 * 24 * 3_600_000;
const PAYMENTS_PER_CLOCK_STEP = 20;
const PAYMENTS_PER_KILL = 50;
/** In one process all orders sleep together, so there are the incidents of a smaller campaign. */
const MAX_INCIDENT_PAYMENTS_IN_ONE_PROCESS = 500;
const AFTER_THE_CHARGE = ["lostResponse", "truncate"];

function planOf(options: PromptOptions, { location, engine }: CampaignStore): Plan {
  const isShared = location.name !== "memory";
  const { payments, pauses } = options;
  const kills = isShared ? (options.kills ?? Math.ceil(payments / PAYMENTS_PER_KILL)) : 0;
  const isPossible = (incident: Incident): boolean => {
    if (incident.act === "clock") return options["clock-steps"];
    if (incident.act === "kill") return kills > 0;
    // Nothing else would go on while the only process sleeps.
    if (incident.act === "sleep") return pauses && (isShared || incident.until === undefined);
    return options["engine-faults"] && (engine?.faults.includes(incident.fault) ?? false);
  };
  const incidentPayments = isShared
    ? payments
    : Math.min(payments, MAX_INCIDENT_PAYMENTS_IN_ONE_PROCESS);
  return createPlan(options.seed, {
    ...{ payments, workers: options.workers, kills },
    clockSteps: options["clock-steps"] ? Math.ceil(payments / PAYMENTS_PER_CLOCK_STEP) : 0,
    incidents: incidentsFor(incidentPayments, isPossible),
  });
}

/** The shop, its customers, and what goes wrong, on one store and one service. */
export class Campaign {
  readonly #options: PromptOptions;
  readonly #store: CampaignStore;
  readonly #history: History<PromptHappening>;
  readonly #plan: Plan;
  readonly #file: string;
  readonly #orders = new Map<string, Order>();
  readonly #plannedFaults: ReturnType<typeof planFaults>;
  readonly #webhooks: ReturnType<typeof createWebhookProxy>;
  readonly #service: Service;
  readonly #customers: Customers<Order>;
  readonly #faults: EngineFaults;
  readonly #incidents: Incidents<Incident>;
  readonly #pool: Pool<Jobs>;
  readonly #shop: Shop;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  readonly #begun = new Progress();
  readonly #isShared: boolean;
  #machine: Machine = { startedAt: 0, offsetMs: 0 };
  #faultsLeft: ReturnType<Service["faultsLeft"]> = [];

  private constructor(
    { options, store, history, file }: Given,
    service: Service,
    webhooks: ReturnType<typeof createWebhookProxy>,
    plannedFaults: ReturnType<typeof planFaults>,
  ) {
    this.#options = options;
    this.#store = store;
    this.#history = history;
    this.#file = file;
    this.#service = service;
    this.#webhooks = webhooks;
    this.#plannedFaults = plannedFaults;
    this.#plan = planOf(options, store);
    this.#isShared = store.location.name !== "memory";
    const limit = AbortSignal.timeout(campaignTimeoutMs(options.payments));
    this.#signal = AbortSignal.any([this.#over.signal, limit]);
    this.#customers = new Customers(
      () => service.sandbox,
      (id) => this.#orders.get(keyOf(id)),
    );
    this.#faults = new EngineFaults(history, store.engine);
    this.#incidents = new Incidents<Incident>({
      ...{ history, faults: this.#faults },
      planned: (key) => this.#orders.get(key)?.incident,
      // Another process has resolved the attempt. If it was not sent, the customer was prompted by now.
      isUntil: (_, { key, point }, event: HistoryEvent) =>
        point === "response"
          ? event.what === "resolved" && event.key === key && event.state === "resolved"
          : event.what === "prompt" && event.key === key,
      kill: (who) => this.#pool.kill(this.#pool.named(who)),
      goOn: (who, told) => this.#pool.named(who)?.goOn(told),
    });
    this.#pool = new Pool<Jobs>(history, {
      ...{ name: "worker", size: this.#isShared ? options.workers : 1 },
      ...{ program: () => this.#program(), signal: this.#signal },
    });
    this.#shop = new Shop({
      pool: this.#pool,
      payApart: (click) =>
        // The only process of the memory store sleeps itself.
        this.#isShared
          ? this.#pool.visit(this.#program(), (visitor) => visitor.run("pay", click, this.#signal))
          : this.#pool.run(0, "pay", click),
      hasHappened: this.#incidents.hasHappened,
      stopped: (key) =>
        history.first(historyTime(), (event) => event.what === "asleep" && event.key === key),
      signal: this.#signal,
    });
  }

  static async open(given: Omit<Given, "file">): Promise<Campaign> {
    const { options, history } = given;
    const { seed, payments, sabotage } = options;
    const faults = planFaults(seed, payments);
    let campaign: Campaign | undefined;
    const ports = () => (campaign === undefined ? [] : campaign.#pool.ports());
    const onPrompt = (prompt: Prompt) => {
      if (campaign === undefined || !campaign.#customers.see(prompt)) return;
      const { account_reference, reference } = prompt;
      history.note("service", { what: "prompt", key: keyOf(account_reference), reference });
    };
    const webhooks = createWebhookProxy(seed, ports, onPrompt);
    const file = await bundle("prompts/worker.ts", sabotage && [sabotage]);
    const service = await startService(seed, webhooks.deliver, faults);
    campaign = new Campaign({ ...given, file }, service, webhooks, faults);
    return campaign;
  }

  #program() {
    const { sandbox, baseUrl } = this.#service;
    const keys = { apiKey: sandbox.keys.secret, webhookSecret: sandbox.webhookSecret };
    const setup: Setup = { baseUrl, ...keys, store: this.#store.location, machine: this.#machine };
    return { file: this.#file, setup };
  }

  /** Takes orders, and prepares the service for what happens in them. */
  #sell(orders: readonly Order[]): Promise<void> {
    const { faultProxy, sandbox } = this.#service;
    for (const order of orders) {
      this.#orders.set(order.idempotencyKey, order);
      if (order.hasNoMoney) sandbox.phone(order.phone).setBalance("0.00");
      if (order.isLate) faultProxy.hold(order.id);
      // What happens before a retry needs one.
      if (order.incident?.at === "retry") faultProxy.reject(order.id);
    }
    const what = () =>
      `every order to have a final status or a reference: ${this.#shop.done()} have`;
    // The time limit of the campaign ends the work on orders. This one is for orders that it did not end.
    const limitMs = 2 * campaignTimeoutMs(this.#options.payments);
    return waitFor(
      this.#shop.sell(orders, () => this.#begun.add()),
      what,
      limitMs,
    );
  }

  /** The machine starts again, with a date that is so far from the right one. */
  async #startMachine(offsetMs: number): Promise<void> {
    this.#machine = { startedAt: historyTime(), offsetMs };
    this.#history.note("campaign", { what: "machine_started", offsetMs });
    await this.#pool.replaceAll();
  }

  #stepClock(worker: number, offsetMs: number): void {
    void this.#pool.run(worker, "stepClock", offsetMs);
  }

  #setClocksRight(): void {
    this.#machine = { ...this.#machine, offsetMs: 0 };
    this.#history.note("campaign", { what: "clocks_right" });
    for (let worker = 0; worker < this.#pool.size; worker++) this.#stepClock(worker, 0);
  }

  /** Kills workers, steps clocks and restarts the service while orders begin. */
  async #harm(): Promise<void> {
    const { kills, clockSteps } = this.#plan;
    const at = async (count: number, work: () => unknown) => {
      if (await this.#begun.reached(count)) await work();
    };
    const restart = async () => {
      await this.#service.faultProxy.restart();
      this.#history.note("service", { what: "service_restarted" });
    };
    await Promise.all([
      ...kills.map(({ afterOrders, worker, delayMs }) =>
        at(afterOrders, () => sleep(delayMs).then(() => this.#pool.kill(this.#pool.at(worker)))),
      ),
      ...clockSteps.map(({ afterOrders, worker, offsetMs }) =>
        at(afterOrders, () => this.#stepClock(worker, offsetMs)),
      ),
      ...evenly(RESTARTS, this.#options.payments).map((count) => at(count, restart)),
    ]);
  }

  /** Sells on until each hard state has come that an order leads to. */
  async #sellOn(): Promise<void> {
    for (let round = 1; round <= MAX_MORE_ROUNDS && !this.#signal.aborted; round++) {
      await this.#incidents.idle();
      const events = this.#history.events();
      const kinds = lackingOrders(events);
      // What is broken needs no more proof.
      if (kinds.length === 0 || breachesInEvents(events).length > 0) break;
      await this.#sell(planMore(this.#options.seed, round, kinds));
    }
    await this.#incidents.idle();
  }

  /** Stops the faults while the last orders are in progress. */
  async #stopFaults(count: number): Promise<void> {
    await this.#begun.reached(count);
    await sleep(LAST_FAULTS_MS);
    if (this.#plan.kills.length > 0) void this.#pool.kill(this.#pool.at(0));
    const { sandbox, faultProxy } = this.#service;
    this.#faultsLeft = this.#service.faultsLeft();
    sandbox.faults.clear();
    faultProxy.stopFaults();
    // A machine that started with a wrong date keeps it until the last keys have succeeded.
    if (!this.#startsWithWrongDates) this.#setClocksRight();
    this.#history.note("campaign", { what: "faults_stopped" });
  }

  /** How many orders are sold, those included that are sold until each hard state has come. */
  get #total(): number {
    return Math.max(this.#options.payments, this.#orders.size);
  }

  get #startsWithWrongDates(): boolean {
    return this.#isShared && this.#options["clock-steps"];
  }

  async #runPhases(): Promise<void> {
    await this.#pool.ready();
    const { orders } = this.#plan;
    const firstLate = Math.floor(orders.length * (1 - LATE_SHARE));
    const harm = this.#harm();
    await this.#sell(orders.slice(0, firstLate));
    await this.#sellOn();
    if (this.#startsWithWrongDates) await this.#startMachine(-WRONG_DATE_MS);
    const late = orders.slice(firstLate);
    const count = this.#begun.count + late.length;
    await Promise.all([this.#stopFaults(count), this.#sell(late)]);
    this.#begun.end();
    await harm;
    this.#setClocksRight();
    // The slow customers act. The prompts without an answer expire.
    await waitFor(this.#customers.idle(), () => "the customers to act");
    await this.#service.sandbox.clock.advance("61s");
    await this.#shop.reconcile();
    this.#history.note("campaign", { what: "all_ended" });
    // At the end new processes pay for every order once more. They would lose the memory store.
    if (this.#isShared) await this.#startMachine(this.#startsWithWrongDates ? WRONG_DATE_MS : 0);
    await this.#shop.payAgain();
    this.#setClocksRight();
    for (const key of await this.#shop.openKeys()) {
      this.#history.note("store", { what: "open", key });
    }
  }

  /** Adds to the history what the shop knows of its orders, and what is in the service's ledger. */
  #noteEnds(): void {
    for (const { id, results, atEnd, unexpected } of this.#shop.records()) {
      this.#history.note("shop", { what: "order", key: keyOf(id), results, atEnd, unexpected });
    }
    for (const { account_reference, reference, status } of this.#service.ledger()) {
      const payment = { key: keyOf(account_reference), reference, status };
      this.#history.note("service", { what: "payment", ...payment });
    }
  }

  /**
   * Runs the shop. First orders come in while everything goes wrong. Then the faults stop, and every order reaches its
   * answer. At the end every order is paid once more.
   */
  async run(): Promise<readonly Row[]> {
    const began = performance.now();
    const { payments, seed, pauses } = this.#options;
    const { location, engine } = this.#store;
    const engineFaults = (this.#options["engine-faults"] && engine?.faults) || [];
    const faults = { pauses, clockSteps: this.#options["clock-steps"], engineFaults };
    const limit = { endWithinMs: endWithinMs(payments), kills: this.#plan.kills.length };
    const start = { what: "start", store: location.name, payments, seed } as const;
    this.#history.note("campaign", { ...start, ...faults, ...limit });
    const progress = showProgress({
      output: process.stderr,
      line: () =>
        `${location.name}: ${this.#shop.done()} of ${this.#total} orders, ${this.#incidents.standing} workers stand, ${this.#pool.counts.killed} killed`,
      share: () => this.#shop.done() / this.#total,
    });
    try {
      const failed = [this.#incidents.failed, this.#pool.failed];
      await Promise.race([this.#runPhases(), ...failed]);
    } catch (error) {
      this.#history.note("campaign", { what: "unexpected", error: `${error}` });
      throw error;
    } finally {
      progress.end();
      this.#over.abort();
      this.#webhooks.close();
      await this.#pool.close();
      await this.#service.close();
    }
    this.#noteEnds();
    return this.#rows((performance.now() - began) / 1_000);
  }

  #rows(seconds: number): Row[] {
    const { counts, failures, resolutions } = this.#shop;
    const { found, not_sent, too_early } = resolutions;
    const { faultProxy } = this.#service;
    const faults = countFaults(this.#plannedFaults, this.#faultsLeft);
    const ofPrompts = [...(faults.get("mobileMoney.initiate") ?? [])];
    const ofReads = (["payments.get", "payments.list"] as const).flatMap((endpoint) => [
      ...(faults.get(endpoint) ?? []),
    ]);
    const reads = countEach(ofReads.flatMap(([name, count]) => Array<string>(count).fill(name)));
    const isAfter = ([name]: readonly [string, number]) => AFTER_THE_CHARGE.includes(name);
    const after = [...ofPrompts.filter(isAfter), ...Object.entries(faultProxy.counts)];
    const { killed, jobsLost } = this.#pool.counts;
    const incidents = countEach(this.#history.all("incident").map(({ name }) => name));
    const size = this.#pool.size;
    const before = ofPrompts.filter((row) => !isAfter(row));
    const looked = `found ${found}, not sent ${not_sent}, rejected as too early ${too_early}`;
    return [
      ["clicks", counts.clicks, "double clicks and retries included"],
      ["errors the shop saw", "", listed([...failures].sort())],
      ["looked up and resolved", found + not_sent, looked],
      ["pending, reconciled", counts.reconciled],
      ["faults before the charge", "", listed(before)],
      ["faults after the charge", "", listed(after)],
      ["prompts that came late", faultProxy.late(), "forwarded when the client was gone"],
      ["faults of reads", "", listed(reads)],
      ["webhooks", "", listed(Object.entries(this.#webhooks.counts))],
      ["service restarts", this.#history.all("service_restarted").length],
      ["workers", size, size > 1 ? "sharing one store" : ""],
      ["workers killed", killed, killed > 0 ? `${jobsLost} jobs died with them` : ""],
      ["incidents inside a call", "", listed([...incidents].sort())],
      ["time", "", `${seconds.toFixed(1)} s`],
    ];
  }
}

/** What a campaign needs. */
interface Given {
  readonly options: PromptOptions;
  readonly store: CampaignStore;
  /** Gets everything that happens, also if the campaign fails. */
  readonly history: History<PromptHappening>;
  /** What workers run. */
  readonly file: string;
}
