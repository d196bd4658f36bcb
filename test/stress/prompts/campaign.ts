import { setTimeout as sleep } from "node:timers/promises";
import { showProgress } from "../../../src/cli/terminal/progress.ts";
import { atCounts, evenly, sellOn } from "../harness/plan.ts";
import { Pool, type Program } from "../harness/processes.ts";
import { createRandom } from "../harness/random.ts";
import type { PlannedFault } from "../harness/service/faults.ts";
import { Stage } from "../harness/stage.ts";
import { countEach, listed, type Row } from "../harness/table.ts";
import { failure, HANG_MS, historyTime, Progress, waitFor } from "../harness/waits.ts";
import { breachesInEvents } from "./history/check-events.ts";
import { lackingOrders } from "./history/hard-states.ts";
import { type Incident, incidentsFor } from "./incidents.ts";
import type { HistoryEvent, Jobs, Machine, Setup } from "./messages.ts";
import { type Asked, askedIn, type PromptGiven } from "./options.ts";
import { type Order, planMore, planOrders } from "./plan.ts";
import { Shop } from "./shop.ts";
import { campaignTimeoutMs } from "./time-limits.ts";

/** How often the service restarts. */
const RESTARTS = 2;
/** How long the faults go on after the last order has begun. */
const LAST_FAULTS_MS = 300;
/** The last orders begin when no worker sleeps any more, and soon the faults stop. */
const LATE_SHARE = 0.1;
/** How far the date is off with which the machine starts: first behind, then ahead. */
const WRONG_DATE_MS = 31 * 24 * 3_600_000;
const PAYMENTS_PER_CLOCK_STEP = 20;
/** In one process all orders sleep together, so there are the incidents of a smaller campaign. */
const MAX_INCIDENT_PAYMENTS_IN_ONE_PROCESS = 500;
const AFTER_THE_CHARGE = ["lostResponse", "truncate"];

const DAY_MS = 24 * 3_600_000;
/** How far a clock is off. From a few seconds to years; a result is remembered for 30 days. */
const CLOCK_OFFSETS_MS = [
  ...[-4_000 * DAY_MS, -31 * DAY_MS, -10_800_000, -60_000, -5_000, 0, 0],
  ...[5_000, 60_000, 10_800_000, 31 * DAY_MS, 4_000 * DAY_MS],
];

/** How often the clock of a worker is stepped, beside those steps at a point. */
const clockStepsOf = ({ clockSteps, payments }: Asked): number =>
  clockSteps ? Math.ceil(payments / PAYMENTS_PER_CLOCK_STEP) : 0;

function ordersOf(seed: string, asked: Asked): Order[] {
  const { isShared, payments, workers, kills, clockSteps, pauses, engineFaults } = asked;
  const isPossible = (incident: Incident): boolean => {
    if (incident.act === "clock") return clockSteps;
    if (incident.act === "kill") return kills > 0;
    // Nothing else would go on while the only process sleeps.
    if (incident.act === "sleep") return pauses && (isShared || incident.until === undefined);
    return engineFaults.includes(incident.fault);
  };
  const incidentPayments = isShared
    ? payments
    : Math.min(payments, MAX_INCIDENT_PAYMENTS_IN_ONE_PROCESS);
  return planOrders(seed, {
    ...{ payments, workers, incidents: incidentsFor(incidentPayments, isPossible) },
  });
}

/** Another process has resolved the attempt. If it was not sent, the customer was prompted by now. */
const hasGoneOn = (key: string, point: string, event: HistoryEvent): boolean =>
  point === "response"
    ? event.what === "resolved" && event.key === key && event.state === "resolved"
    : event.what === "prompt" && event.key === key;

/** The shop, its customers, and what goes wrong, on one store and one service. */
export class Campaign {
  readonly #given: PromptGiven;
  readonly #asked: Asked;
  readonly #orders: readonly Order[];
  readonly #stage: Stage<Order, Jobs>;
  readonly #shop: Shop;
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;
  readonly #begun = new Progress();
  readonly #failure = failure();
  #machine: Machine = { startedAt: 0, offsetMs: 0 };

  private constructor(given: PromptGiven, asked: Asked, stage: Stage<Order, Jobs>) {
    const { history, seed } = given;
    this.#given = given;
    this.#asked = asked;
    this.#stage = stage;
    this.#orders = ordersOf(seed, asked);
    const limit = AbortSignal.timeout(campaignTimeoutMs(asked.payments));
    this.#signal = AbortSignal.any([this.#over.signal, limit]);
    const pool = new Pool<Jobs>(history, {
      ...{ name: "worker", size: asked.workers },
      ...{ program: () => this.#program(), signal: this.#signal },
    });
    stage.pool = pool;
    this.#shop = new Shop({
      pool,
      payApart: (click) =>
        // The only process of the memory store sleeps itself.
        asked.isShared
          ? pool.visit(this.#program(), (visitor) => visitor.run("pay", click, this.#signal))
          : pool.run(0, "pay", click),
      hasHappened: stage.incidents.hasHappened,
      stopped: (key) =>
        history.first(historyTime(), (event) => event.what === "asleep" && event.key === key),
      signal: this.#signal,
    });
  }

  static async open(given: PromptGiven): Promise<Campaign> {
    const { history, seed, engine } = given;
    const [start] = history.all("start");
    if (start === undefined) throw new Error("The history has no start.");
    const asked = askedIn(start);
    const stage = await Stage.open<Order, Jobs>({
      ...{ seed, count: asked.payments, engine, history },
      isUntil: (_, { key, point }, event) => hasGoneOn(key, point, event),
    });
    return new Campaign(given, asked, stage);
  }

  #program(): Program {
    const { sandbox, baseUrl } = this.#stage.service;
    const keys = { apiKey: sandbox.keys.secret, webhookSecret: sandbox.webhookSecret };
    const { engine, file } = this.#given;
    const setup: Setup = { baseUrl, ...keys, place: engine.place, machine: this.#machine };
    return { file, setup };
  }

  /** Takes orders, and prepares the service for what happens in them. */
  #sell(orders: readonly Order[]): Promise<void> {
    const { faultProxy, sandbox } = this.#stage.service;
    for (const order of orders) {
      this.#stage.orders.set(order.id, order);
      if (order.hasNoMoney) sandbox.phone(order.phone).setBalance("0.00");
      if (order.isLate) faultProxy.hold(order.id);
      // What happens before a retry needs one.
      if (order.incident?.at === "retry") faultProxy.reject(order.id);
    }
    const what = () =>
      `every order to have a final status or a reference: ${this.#shop.done()} have`;
    // The time limit of the campaign ends the work on orders. This one is for orders that it did not end.
    const limitMs = campaignTimeoutMs(this.#asked.payments) + HANG_MS;
    return waitFor(
      this.#shop.sell(orders, () => this.#begun.add()),
      what,
      limitMs,
    );
  }

  /** The machine starts again, with a date that is so far from the right one. */
  async #startMachine(offsetMs: number): Promise<void> {
    this.#machine = { startedAt: historyTime(), offsetMs };
    this.#given.history.note("campaign", { what: "machine_started", offsetMs });
    await this.#stage.pool.replaceAll();
  }

  #stepClock(worker: number, offsetMs: number): void {
    void this.#stage.pool.run(worker, "stepClock", offsetMs);
  }

  #setClocksRight(): void {
    this.#machine = { ...this.#machine, offsetMs: 0 };
    this.#given.history.note("campaign", { what: "clocks_right" });
    for (let worker = 0; worker < this.#stage.pool.size; worker++) this.#stepClock(worker, 0);
  }

  /** Kills workers, steps clocks and restarts the service while orders begin. */
  async #harm(): Promise<void> {
    const { pool } = this.#stage;
    const { payments, kills, workers } = this.#asked;
    const { seed } = this.#given;
    const [killing, stepping] = [createRandom(`${seed} kills`), createRandom(`${seed} clocks`)];
    const times = (count: number, work: () => unknown) =>
      atCounts(this.#begun, evenly(count, payments), work);
    await Promise.all([
      times(kills, async () => {
        await sleep(killing.between(0, 60));
        await pool.kill(pool.at(killing.between(0, workers - 1)));
      }),
      times(clockStepsOf(this.#asked), () =>
        this.#stepClock(stepping.between(0, workers - 1), stepping.pick(CLOCK_OFFSETS_MS)),
      ),
      times(RESTARTS, () => this.#stage.restartService()),
    ]);
  }

  /** The orders that lead to hard states which have not come. What is broken needs no more proof. */
  async #lacking() {
    await this.#stage.incidents.idle();
    const events = this.#given.history.events();
    return this.#signal.aborted || breachesInEvents(events).length > 0 ? [] : lackingOrders(events);
  }

  /** Stops the faults while the last orders are in progress. */
  async #stopFaults(count: number): Promise<void> {
    await this.#begun.reached(count);
    await sleep(LAST_FAULTS_MS);
    const { pool, service } = this.#stage;
    if (this.#asked.kills > 0) void pool.kill(pool.at(0));
    service.stopFaults();
    // A machine that started with a wrong date keeps it until the last keys have succeeded.
    if (!this.#startsWithWrongDates) this.#setClocksRight();
    this.#given.history.note("campaign", { what: "faults_stopped" });
  }

  /** How many orders are sold, those included that are sold until each hard state has come. */
  get #total(): number {
    return Math.max(this.#asked.payments, this.#stage.orders.size);
  }

  get #startsWithWrongDates(): boolean {
    return this.#asked.isShared && this.#asked.clockSteps;
  }

  async #runPhases(): Promise<void> {
    const { pool, customers, service, incidents } = this.#stage;
    await pool.ready();
    const orders = this.#orders;
    const firstLate = Math.floor(orders.length * (1 - LATE_SHARE));
    const harm = this.#harm();
    harm.catch(this.#failure.reject);
    await this.#sell(orders.slice(0, firstLate));
    await sellOn(
      () => this.#lacking(),
      (round, kinds) => this.#sell(planMore(this.#given.seed, round, kinds)),
    );
    await incidents.idle();
    if (this.#startsWithWrongDates) await this.#startMachine(-WRONG_DATE_MS);
    const late = orders.slice(firstLate);
    const count = this.#begun.count + late.length;
    await Promise.all([this.#stopFaults(count), this.#sell(late)]);
    this.#begun.end();
    await waitFor(harm, () => "the last kill, clock step or restart of the service to end");
    this.#setClocksRight();
    // The slow customers act. The prompts without an answer expire.
    await waitFor(customers.idle(), () => "the customers to act");
    await waitFor(
      service.sandbox.clock.advance("61s"),
      () => "the prompts without an answer to expire",
    );
    await this.#shop.reconcile();
    this.#given.history.note("campaign", { what: "all_ended" });
    // At the end new processes pay for every order once more. They would lose the memory store.
    if (this.#asked.isShared) {
      await this.#startMachine(this.#startsWithWrongDates ? WRONG_DATE_MS : 0);
    }
    await this.#shop.payAgain();
    this.#setClocksRight();
    for (const key of await this.#shop.openKeys()) {
      this.#given.history.note("store", { what: "open", key });
    }
  }

  /** Adds to the history what the shop knows of its orders, and what is in the service's ledger. */
  #noteEnds(): void {
    const { history } = this.#given;
    for (const known of this.#shop.records()) history.note("shop", { what: "order", ...known });
    for (const { account_reference: key, reference, status } of this.#stage.service.ledger()) {
      history.note("service", { what: "payment", key, reference, status });
    }
  }

  /**
   * Runs the shop. First orders come in while everything goes wrong. Then the faults stop, and every order reaches its
   * answer. At the end every order is paid once more.
   */
  async run(): Promise<readonly Row[]> {
    const began = performance.now();
    const { pool, incidents, failed } = this.#stage;
    const progress = showProgress({
      output: process.stderr,
      line: () =>
        `${this.#asked.engine}: ${this.#shop.done()} of ${this.#total} orders, ${incidents.standing} workers stand, ${pool.counts.killed} killed`,
      share: () => this.#shop.done() / this.#total,
    });
    try {
      await Promise.race([this.#runPhases(), failed, this.#failure.promise]);
    } catch (error) {
      this.#given.history.note("campaign", { what: "unexpected", error: `${error}` });
      throw error;
    } finally {
      progress.end();
      this.#over.abort();
      await this.#stage.close();
    }
    this.#noteEnds();
    return this.#rows((performance.now() - began) / 1_000);
  }

  #rows(seconds: number): Row[] {
    const { counts, failures, resolutions } = this.#shop;
    const { found, not_sent, too_early } = resolutions;
    const { pool, service, webhooks } = this.#stage;
    const isPrompt = ({ endpoint }: PlannedFault) => endpoint === "mobileMoney.initiate";
    const isAfter = ({ name }: PlannedFault) => AFTER_THE_CHARGE.includes(name);
    const met = (fits: (fault: PlannedFault) => boolean) =>
      countEach(
        service
          .faultsMet()
          .filter(fits)
          .map(({ name }) => name),
      );
    const before = met((fault) => isPrompt(fault) && !isAfter(fault));
    const after = [
      ...met((fault) => isPrompt(fault) && isAfter(fault)),
      ...Object.entries(service.faultProxy.counts),
    ];
    const reads = met((fault) => !isPrompt(fault));
    const { killed, jobsLost } = pool.counts;
    const looked = `found ${found}, not sent ${not_sent}, rejected as too early ${too_early}`;
    return [
      ["clicks", counts.clicks, "double clicks and retries included"],
      ["errors the shop saw", "", listed([...failures].sort())],
      ["looked up and resolved", found + not_sent, looked],
      ["pending, reconciled", counts.reconciled],
      ["faults before the charge", "", listed(before)],
      ["faults after the charge", "", listed(after)],
      ["prompts that came late", service.faultProxy.late(), "forwarded when the client was gone"],
      ["faults of reads", "", listed(reads)],
      ["webhooks", "", listed(Object.entries(webhooks.counts))],
      ["workers", pool.size, pool.size > 1 ? "sharing one store" : ""],
      ["workers killed", killed, killed > 0 ? `${jobsLost} jobs died with them` : ""],
      ["time", "", `${seconds.toFixed(1)} s`],
    ];
  }
}
