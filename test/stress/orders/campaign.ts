import { setTimeout as sleep } from "node:timers/promises";
import type { BooksReport, ManagedOrders, Order } from "malipo/checkout";
import type { CheckoutStore } from "../../../src/checkout/orders/checkout-store.ts";
import { manageOrders } from "../../../src/checkout/orders/manage-orders.ts";
import { OrderWriter } from "../../../src/checkout/orders/write-order.ts";
import { TIMES } from "../../../src/checkout/rules/inputs.ts";
import { DATABASES, type OwnTables, type Place } from "../harness/databases.ts";
import { ENGINES } from "../harness/engines.ts";
import { atCounts, evenly } from "../harness/plan.ts";
import { Pool, type Program } from "../harness/processes.ts";
import { createRandom, type Random } from "../harness/random.ts";
import { Stage } from "../harness/stage.ts";
import { failure, forEachConcurrently, HANG_MS, Progress } from "../harness/waits.ts";
import { isEnded } from "./check.ts";
import { decideAll } from "./deciders.ts";
import { deliver } from "./deliveries.ts";
import type { End, OrderGiven, OrderHistory } from "./history.ts";
import { loseFile } from "./lost-file.ts";
import {
  awake,
  cancel,
  isUpdated,
  type Office,
  payBackAll,
  payByHand,
  update,
} from "./merchant.ts";
import type { Jobs, OrderHappening, Setup } from "./messages.ts";
import type { Incident, PlannedOrder } from "./plan.ts";

const PROCESSES = 4;
const AT_ONCE = 20;
const MAX_CLICKS = 4;
/** A fault of the service may end a click before it comes to its incident. */
const MAX_CLICKS_TO_INCIDENT = 12;
/** How long a customer looks at a page before the next click. */
const MAX_LOOK_MS = 20_000;
/** A click that has started no attempt may be made again. */
const ANSWERED_MS = 1_000;
/** After this time without an event, nothing more will happen: a prompt waits for a minute. */
const QUIET_MS = 120_000;
/** A process that has slept finds out what became of its order. */
const AWAKE_MS = 1_000;
/** How often the people look at the list of reviews. */
const DECIDE_EVERY_MS = 400;
/** How often the SQLite file is moved away in a round, and how often the service restarts. */
const LOSSES = 2;
const RESTARTS = 2;
/** A process is killed for this many customers that come and go. */
const KILL_EVERY = 10;
/** A process that starts while the file is away would make another one. */
const MAX_STARTING_MS = 8_000;

const AMOUNT = 100;
const LOST = ["lostResponse", "truncate", "reset", "hang"];

/** Whether a process that takes a click comes to an incident, and not one that does what is due. */
const isInClick = ({ at }: Incident) => !["paid", "goods", "refused"].includes(at);

/** The orders of a place, as the people of the shop see them. */
async function openOrders(place: Place): Promise<ManagedOrders> {
  const store = (await DATABASES[place.engine].stores(place)).checkout?.() as CheckoutStore;
  await store.open();
  return manageOrders(
    new OrderWriter({
      ...{ store, times: TIMES, onReview: () => {}, onError: () => {} },
      limits: { prompts: 1, withinMs: 1, openMs: 1 },
    }),
  );
}

/** The customers, the processes of the shop and what happens to both, on one store and one service. */
export class Campaign {
  readonly #given: OrderGiven;
  readonly #history: OrderHistory;
  readonly #place: Place;
  readonly #tables: OwnTables;
  readonly #orders: ManagedOrders;
  readonly #stage: Stage<PlannedOrder, Jobs>;
  readonly #random: Random;
  readonly #office: Office;
  readonly #startedAt: string = new Date().toISOString();
  /** Orders whose customer was prompted. */
  readonly #prompted = new Set<string>();
  readonly #failure = failure();
  /** Clicks without an answer. Their customers may have given up. */
  readonly #clicks = new Set<Promise<void>>();
  #rounds = 0;
  /** Orders whose customer has paid or has given up. */
  #served = 0;
  /** Processes that start may open the file, which is not moved meanwhile. */
  #fileIsThere: Promise<void> = Promise.resolve();
  #isOver = true;

  private constructor(given: OrderGiven, orders: ManagedOrders, stage: Stage<PlannedOrder, Jobs>) {
    this.#given = given;
    this.#history = given.history;
    this.#place = given.engine.place;
    this.#tables = given.engine.tables;
    this.#orders = orders;
    this.#stage = stage;
    this.#random = createRandom(`${given.seed} campaign of orders`);
    this.#office = { orders, stage, history: given.history, random: this.#random };
    stage.pool = this.#openPool(0);
  }

  static async open(given: OrderGiven): Promise<Campaign> {
    const { seed, engine, history, options } = given;
    const orders = await openOrders(engine.place);
    let campaign: Campaign | undefined;
    const stage: Stage<PlannedOrder, Jobs> = await Stage.open<PlannedOrder, Jobs>({
      ...{ seed, count: options.orders, engine, history },
      isUntil: (by, { key }, event: Partial<OrderHappening>) =>
        event.what === "changed" && event.order === key && event.by === by,
      // A webhook may be faster than the response, after which a process stands.
      since: ({ key, who, at }) =>
        history.all("sending").findLast((one) => one.order === key && one.who === who)?.at ?? at,
      mayAct: async (order) => (campaign ? campaign.#besidePrompt(order) : undefined),
      deliver: (request, order, byChance) => {
        const secret = stage.service.sandbox.webhookSecret;
        return deliver(request, order, { secret, ports: stage.pool.ports, byChance });
      },
    });
    campaign = new Campaign(given, orders, stage);
    return campaign;
  }

  /** What a process runs that stops for these orders. */
  #program(works: boolean, stopping: readonly PlannedOrder[]): Program {
    const { sandbox, baseUrl } = this.#stage.service;
    const stops = stopping.flatMap(({ id, incident }) => (incident ? [[id, incident.at]] : []));
    const setup: Setup = {
      place: this.#place,
      ...{ baseUrl, apiKey: sandbox.keys.secret, secret: sandbox.webhookSecret },
      stops: Object.fromEntries(stops),
      ...{ orders: [...this.#stage.orders.values()], works },
    };
    return { file: this.#given.file, setup };
  }

  /** Opens the processes that do what is due. They know at which orders to stop in `onPaid`. */
  #openPool(size: number): Pool<Jobs> {
    const isDue = ({ incident }: PlannedOrder) => incident && !isInClick(incident);
    const program = this.#program(true, [...this.#stage.orders.values()].filter(isDue));
    return new Pool<Jobs>(this.#history, {
      ...{ name: `shop ${this.#rounds}.`, size, program: () => program },
      ...{ mayFailToStart: true, mayStart: () => this.#fileIsThere },
    });
  }

  /** Moves the SQLite file away, and puts it back. */
  async #loseFile(): Promise<void> {
    const started = this.#stage.pool.ready().then(() => true);
    if (!(await Promise.race([started, sleep(MAX_STARTING_MS, false)]))) return;
    const asked = awake(this.#office);
    const name = `AWAY-${this.#history.all("engine").length}`;
    const secret = this.#stage.service.sandbox.webhookSecret;
    this.#history.note("engine", { what: "engine", fault: "file away" });
    await loseFile(this.#place.url, asked, this.#history, { secret, name });
    this.#history.note("engine", { what: "engine_back", fault: "file away" });
  }

  /** Resolves with whether people have decided something, or paid something back. */
  async #decide(): Promise<boolean> {
    const done = [
      decideAll(this.#office, () => this.#tables.rows("goods")),
      payBackAll(this.#office),
    ];
    // The engine may be away.
    return (await Promise.all(done.map((one) => one.catch(() => true)))).some(Boolean);
  }

  async #decideAll(): Promise<void> {
    for (; !this.#isOver; await sleep(DECIDE_EVERY_MS)) await this.#decide();
  }

  /** What happens to an order while its customer is asked for the first time. He acts after that. */
  async #besidePrompt(order: PlannedOrder): Promise<void> {
    const { id, becomes: amount, cancelsFor } = order;
    if (this.#prompted.has(id)) return;
    this.#prompted.add(id);
    if (cancelsFor !== undefined) await cancel(this.#office, order);
    if (amount !== undefined) await update(this.#office, { id, amount });
    await payByHand(this.#office, order, "beside");
  }

  async #read(id: string): Promise<Order | undefined> {
    // The engine may be away.
    return this.#orders.inspect(id).catch(() => undefined);
  }

  /** A click goes to any process; one with an incident goes to its own, which is there for that. */
  async #click<Name extends "makeCart" | "create" | "pay">(
    order: PlannedOrder,
    job: Name,
    input: Parameters<Jobs[Name]>[0],
  ): Promise<void> {
    const { incident, id } = order;
    const click = (shop: Pool<Jobs>["processes"][number]) => shop.run(job, input as never);
    const isOwn = incident && isInClick(incident) && !this.#stage.incidents.hasHappened(id);
    const answer = isOwn
      ? await this.#stage.pool.visit(this.#program(false, [order]), click)
      : await click(this.#random.pick(awake(this.#office)) ?? this.#stage.pool.at(0));
    if (answer !== undefined) this.#history.note("campaign", { what: "answered", order: id });
  }

  /** Makes an order before its customer clicks. Resolves with whether there is one, or it comes with the click. */
  async #makeOrder(order: PlannedOrder): Promise<boolean> {
    const { id, cart, incident, byHand } = order;
    const isKilled = incident?.at === "created";
    const hasCart = cart !== "none" || isKilled;
    if (!hasCart && !byHand.some(({ when }) => when === "before")) return true;
    const isRolledBack = cart === "rolled_back";
    // A transaction that met a fault of the engine has left nothing: the merchant tries again.
    for (let tries = 0; tries < 20; tries++) {
      if (hasCart) await this.#click(order, "makeCart", { id, isRolledBack });
      else await this.#click(order, "create", { id, amount: AMOUNT });
      if (isRolledBack || (isKilled && this.#stage.incidents.hasHappened(id))) break;
      if (!isKilled && (await this.#read(id))) return true;
      await sleep(500);
    }
    if (isRolledBack) this.#history.note("campaign", { what: "cart_rolled_back", order: id });
    return false;
  }

  async #customer(order: PlannedOrder): Promise<void> {
    if (!(await this.#makeOrder(order))) return;
    await payByHand(this.#office, order, "before");
    const { id, phone, isClickedTwice, incident } = order;
    const mayClick = (clicks: number) =>
      clicks < MAX_CLICKS ||
      (incident && !this.#stage.incidents.hasHappened(id) && clicks < MAX_CLICKS_TO_INCIDENT);
    for (let clicks = 0; mayClick(clicks); clicks++) {
      const { becomes } = order;
      if (becomes !== undefined && this.#prompted.has(id) && !isUpdated(this.#office, order)) {
        await update(this.#office, { id, amount: becomes });
      }
      const shown = await this.#read(id);
      const params = { id, amount: shown?.amount ?? AMOUNT, phone };
      const after = shown?.attempts.length ?? 0;
      const click = () => this.#track(this.#click(order, "pay", { params, after }));
      if (isClickedTwice) this.#history.note("campaign", { what: "double_click", order: id });
      if (isClickedTwice) click();
      if (await this.#watch(order, after, click())) return;
    }
  }

  /** A process that stands at its point answers when it goes on: no customer waits for that. */
  #track(click: Promise<void>): Promise<void> {
    const tracked = click.catch(this.#failure.reject).finally(() => this.#clicks.delete(tracked));
    this.#clicks.add(tracked);
    return tracked;
  }

  /**
   * Looks at an order until it can be paid again. Resolves with whether nothing more is to be done.
   *
   * @param after - How many attempts it had before the click.
   */
  async #watch({ id, byHand }: PlannedOrder, after: number, click: Promise<void>) {
    const isAnswered = click.then(() => sleep(ANSWERED_MS)).then(() => true);
    const end = Date.now() + MAX_LOOK_MS;
    for (; Date.now() < end; await sleep(150)) {
      const order = await this.#read(id);
      if (order === undefined) continue;
      const { status, payments, canPay, attempts } = order;
      if (!["open", "pending"].includes(status)) return true;
      // Money of an attempt that is under review.
      if (payments.length > byHand.length) return true;
      if (!canPay || attempts.length === 0) continue;
      if (attempts.length > after || (await Promise.race([isAnswered, false]))) return false;
    }
    return false;
  }

  /** Kills a process of the pool, wherever it is; not one that stands at its point. */
  #killAnywhere(): Promise<void> {
    return this.#stage.pool.kill(this.#random.pick(awake(this.#office)));
  }

  async #loseFileNow(): Promise<void> {
    if (!ENGINES[this.#place.engine].isFile) return;
    // One thing at a time: what locks the file would open another one.
    this.#fileIsThere = this.#stage.faults.alone(() => this.#loseFile());
    await this.#fileIsThere;
  }

  /** What goes wrong while customers come and go. */
  #harm(progress: Progress, total: number): Promise<unknown> {
    const plan = [
      [Math.max(4, Math.ceil(total / KILL_EVERY)), () => this.#killAnywhere()],
      [RESTARTS, () => this.#stage.restartService()],
      [LOSSES, () => this.#loseFileNow()],
    ] as const;
    return Promise.all(plan.map(([times, work]) => atCounts(progress, evenly(times, total), work)));
  }

  async #allOrders(): Promise<Order[]> {
    const orders: Order[] = [];
    for (let after: string | undefined; ; ) {
      const page = await this.#orders.list({ limit: 1_000, after });
      orders.push(...page.items);
      after = page.next;
      if (after === undefined) return orders;
    }
  }

  /** The payments that belong to no order. */
  async #strays(): Promise<string[]> {
    const reviews = await this.#orders.reviews.list();
    return reviews.filter(({ kind }) => kind === "unmatched").flatMap((one) => one.references);
  }

  /** The books, as soon as they can be read whole. What they find of money that no webhook told of is written. */
  async #books(): Promise<BooksReport> {
    for (const end = Date.now() + HANG_MS; Date.now() < end; await sleep(500)) {
      const books = await awake(this.#office)[0]?.run("report", this.#startedAt);
      if (books?.isComplete) return books;
    }
    throw new Error("The books could not be read whole.");
  }

  /** Waits until everything has ended by itself, or nothing happens any more. */
  async #quiet(): Promise<Pick<End, "orders" | "books">> {
    let seen = 0;
    const end = Date.now() + HANG_MS;
    for (let since = Date.now(); Date.now() < Math.min(end, since + QUIET_MS); await sleep(500)) {
      const changes = this.#history.all("changed").length;
      if (changes > seen) since = Date.now();
      seen = changes;
      const hasDecided = await this.#decide();
      const orders = await this.#allOrders();
      // What a process does when it wakes up belongs to the campaign.
      if (hasDecided || !orders.every(isEnded) || this.#stage.incidents.standing > 0) continue;
      await sleep(AWAKE_MS);
      const books = await this.#books();
      const after = await this.#allOrders();
      if (JSON.stringify(after) === JSON.stringify(orders)) return { orders, books };
    }
    const books = await this.#books();
    return { books, orders: await this.#allOrders() };
  }

  /** Sells these orders. Notes all that is there when they and those before have ended. */
  async sell(orders: readonly PlannedOrder[]): Promise<void> {
    const stage = this.#stage;
    for (const order of orders) stage.orders.set(order.id, order);
    this.#rounds++;
    await stage.pool.close();
    stage.pool = this.#openPool(PROCESSES);
    const failed = Promise.race([stage.failed, this.#failure.promise]);
    await Promise.race([stage.pool.ready(), failed]);
    this.#isOver = false;
    const progress = new Progress();
    const harm = Promise.all([this.#harm(progress, 2 * orders.length), this.#decideAll()]);
    harm.catch(this.#failure.reject);
    const sold = forEachConcurrently(orders, AT_ONCE, async (order) => {
      progress.add();
      await this.#customer(order);
      this.#served++;
      progress.add();
    });
    await Promise.race([sold, failed]);
    await Promise.race([Promise.all(this.#clicks), failed]);
    this.#isOver = true;
    progress.end();
    await Promise.race([harm, failed]);
    const end: End = {
      planned: [...stage.orders.values()],
      ...(await Promise.race([this.#quiet(), failed])),
      ledger: stage.service.ledger(),
      goods: await this.#tables.rows("goods"),
      carts: await this.#tables.rows("carts"),
      refused: await this.#tables.rows("effects"),
      strays: await this.#strays(),
      responsesLost: stage.service.faultsMet().filter(({ name }) => LOST.includes(name)).length,
    };
    this.#history.note("campaign", { what: "end", ...end });
  }

  /** How far it is, for the one who waits. */
  progress(): string {
    const { orders, incidents } = this.#stage;
    return `${this.#place.engine}: ${this.#served} of ${orders.size} customers have left, ${incidents.standing} processes stand`;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#stage.close();
  }
}
