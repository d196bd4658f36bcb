import { setTimeout as sleep } from "node:timers/promises";
import type { ManagedOrders, Order } from "malipo/checkout";
import { signWebhook } from "malipo/webhooks";
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
import { forEachConcurrently, HANG_MS, Progress } from "../harness/waits.ts";
import { isEnded } from "./check.ts";
import { decideAll } from "./deciders.ts";
import type { End, OrderGiven, OrderHistory } from "./history.ts";
import { loseFile } from "./lost-file.ts";
import { type Jobs, type OrderHappening, type Setup, UNDERPAID } from "./messages.ts";
import type { Incident, PlannedOrder } from "./plan.ts";

const PROCESSES = 4;
const AT_ONCE = 10;
const MAX_CLICKS = 4;
/** A fault of the service may end a click before it comes to its incident. */
const MAX_CLICKS_TO_INCIDENT = 12;
/** How long a customer looks at a page before the next click. */
const MAX_LOOK_MS = 20_000;
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
const KILL_EVERY = 6;
/** A process that starts while the file is away would make another one. */
const MAX_STARTING_MS = 8_000;

const LOST = ["lostResponse", "truncate", "reset", "hang"];

/** The webhook of a payment that is less than was asked for, signed as the service does. */
async function underpaid(request: Request, secret: string): Promise<Request> {
  const event = await request.json();
  const body = JSON.stringify({ ...event, data: { ...event.data, amount: UNDERPAID } });
  const headers = new Headers(request.headers);
  headers.set("X-Service-Signature", signWebhook(body, secret));
  headers.delete("content-length");
  return new Request(request.url, { method: "POST", headers, body });
}

/** Sends a webhook to every process at once. */
async function deliverNow(request: Request, ports: readonly number[]): Promise<Response> {
  const body = await request.text();
  const init = { method: "POST", headers: request.headers, body };
  const posts = ports.map((port) => fetch(`http://127.0.0.1:${port}/webhooks`, init));
  await Promise.allSettled(posts);
  return new Response(null, { status: 200 });
}

/** Whether a process that takes a click comes to an incident, and not one that does what is due. */
const isInClick = ({ at }: Incident) => at !== "paid" && at !== "goods";

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
  /** Orders that are to be canceled, as long as they are not. */
  readonly #canceling = new Map<string, () => void>();
  #rounds = 0;
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
      mayAct: (order) => (campaign ? campaign.#mayAct(order) : Promise.resolve()),
      deliver: async (request, order, byChance) => {
        if (order.losesWebhooks) return new Response(null, { status: 200 });
        const isDirect = order.incident?.name === "webhook before the response";
        if (isDirect) return deliverNow(request, stage.pool.ports());
        const secret = stage.service.sandbox.webhookSecret;
        return byChance(order.isUnderpaid ? await underpaid(request, secret) : request);
      },
    });
    campaign = new Campaign(given, orders, stage);
    return campaign;
  }

  /** What a process runs that stops for these orders. */
  #program(works: boolean, stopping: readonly PlannedOrder[]): Program {
    const { sandbox, baseUrl } = this.#stage.service;
    const planned = [...this.#stage.orders.values()];
    const stops = stopping.flatMap(({ id, incident }) => (incident ? [[id, incident.at]] : []));
    const setup: Setup = {
      place: this.#place,
      ...{ baseUrl, apiKey: sandbox.keys.secret, secret: sandbox.webhookSecret },
      stops: Object.fromEntries(stops),
      wrong: Object.fromEntries(planned.flatMap(({ id, wrong }) => (wrong ? [[id, wrong]] : []))),
      underpaid: planned.filter((one) => one.isUnderpaid).map(({ id }) => id),
      works,
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
    const asked = this.#stage.pool.processes.filter(
      ({ who }) => !this.#stage.incidents.isStanding(who),
    );
    const name = `AWAY-${this.#history.all("engine").length}`;
    const secret = this.#stage.service.sandbox.webhookSecret;
    this.#history.note("engine", { what: "engine", fault: "file away" });
    await loseFile(this.#place.url, asked, this.#history, { secret, name });
    this.#history.note("engine", { what: "engine_back", fault: "file away" });
  }

  /** Resolves with whether two people have decided something. */
  #decide(): Promise<boolean> {
    return decideAll({
      ...{
        orders: this.#orders,
        random: this.#random,
        planned: (id) => this.#stage.orders.get(id),
      },
      ...{ history: this.#history, pool: () => this.#stage.pool.processes },
      goods: () => this.#tables.rows("goods"),
    }).catch(() => false);
  }

  async #decideAll(): Promise<void> {
    for (; !this.#isOver; await sleep(DECIDE_EVERY_MS)) await this.#decide();
  }

  /** The customer of an order that is canceled acts after that. */
  async #mayAct({ id, isCanceled }: PlannedOrder): Promise<void> {
    if (!isCanceled || this.#history.all("canceled").some(({ order }) => order === id)) return;
    const canceled = new Promise<void>((resolve) => {
      this.#canceling.set(id, resolve);
    });
    await Promise.race([canceled, sleep(MAX_LOOK_MS)]);
  }

  async #read(id: string): Promise<Order | undefined> {
    // The engine may be away.
    return this.#orders.inspect(id).catch(() => undefined);
  }

  /** A click goes to any process; one with an incident goes to its own, which is there for that. */
  async #click<Name extends "makeCart" | "pay">(
    order: PlannedOrder,
    job: Name,
    input: Parameters<Jobs[Name]>[0],
  ): Promise<void> {
    const { incident, id } = order;
    const click = (shop: Pool<Jobs>["processes"][number]) => shop.run(job, input as never);
    const isOwn = incident && isInClick(incident) && !this.#stage.incidents.hasHappened(id);
    const answer = isOwn
      ? await this.#stage.pool.visit(this.#program(false, [order]), click)
      : await click(this.#random.pick(this.#stage.pool.processes));
    if (answer !== undefined) this.#history.note("campaign", { what: "answered", order: id });
  }

  async #makeCart(order: PlannedOrder): Promise<boolean> {
    const { id, cart, incident } = order;
    const isKilled = incident?.at === "created";
    if (cart === "none" && !isKilled) return true;
    const isRolledBack = cart === "rolled_back";
    // A transaction that met a fault of the engine has left nothing: the merchant tries again.
    for (let tries = 0; tries < 20; tries++) {
      await this.#click(order, "makeCart", { id, isRolledBack });
      if (isKilled || isRolledBack) break;
      if ((await this.#tables.rows("carts").catch((): readonly string[] => [])).includes(id))
        return true;
      await sleep(500);
    }
    if (isRolledBack) this.#history.note("campaign", { what: "cart_rolled_back", order: id });
    return !isKilled && !isRolledBack;
  }

  async #customer(order: PlannedOrder): Promise<void> {
    if (!(await this.#makeCart(order))) return;
    const { id, phone, isClickedTwice, incident } = order;
    const params = { id, amount: 100, phone };
    const mayClick = (clicks: number) =>
      clicks < MAX_CLICKS ||
      (incident && !this.#stage.incidents.hasHappened(id) && clicks < MAX_CLICKS_TO_INCIDENT);
    for (let clicks = 0; mayClick(clicks); clicks++) {
      const after = (await this.#read(id))?.attempts.length ?? 0;
      const click = () => this.#click(order, "pay", { params, after });
      const clicked = Promise.all([click(), ...(isClickedTwice ? [click()] : [])]);
      if (isClickedTwice) this.#history.note("campaign", { what: "double_click", order: id });
      if (order.isCanceled) await this.#cancel(id);
      if (await this.#watch(id)) return void (await clicked);
      await clicked;
    }
  }

  async #cancel(id: string): Promise<void> {
    for (const end = Date.now() + MAX_LOOK_MS; Date.now() < end; await sleep(50)) {
      const order = await this.#read(id);
      if (!order?.attempts.some(({ reference }) => reference !== undefined)) continue;
      const canceled = await this.#orders.cancel(id).catch(() => undefined);
      if (canceled?.status === "canceled") {
        this.#history.note("campaign", { what: "canceled", order: id });
      }
      return this.#canceling.get(id)?.();
    }
  }

  /** Looks at an order until it can be paid again. Resolves with whether nothing more is to be done. */
  async #watch(id: string): Promise<boolean> {
    const end = Date.now() + MAX_LOOK_MS;
    for (; Date.now() < end; await sleep(150)) {
      const order = await this.#read(id);
      if (order !== undefined && !["open", "pending"].includes(order.status)) return true;
      // Money that is under review.
      if (order !== undefined && order.payments.length > 0) return true;
      if (order?.canPay && order.attempts.length > 0) return false;
    }
    return false;
  }

  /** Kills a process of the pool, wherever it is; not one that stands at its point. */
  async #killAnywhere(): Promise<void> {
    const { processes } = this.#stage.pool;
    await this.#stage.pool.kill(
      this.#random.pick(processes.filter(({ who }) => !this.#stage.incidents.isStanding(who))),
    );
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

  /** Waits until everything has ended by itself, or nothing happens any more. */
  async #quiet(): Promise<Order[]> {
    let seen = 0;
    const end = Date.now() + HANG_MS;
    for (let since = Date.now(); Date.now() < Math.min(end, since + QUIET_MS); await sleep(500)) {
      const changes = this.#history.all("changed").length;
      if (changes > seen) since = Date.now();
      seen = changes;
      const hasDecided = await this.#decide();
      const orders = await this.#allOrders();
      // What a process does when it wakes up belongs to the campaign.
      if (!hasDecided && orders.every(isEnded) && this.#stage.incidents.standing === 0) break;
    }
    await sleep(AWAKE_MS);
    return this.#allOrders();
  }

  /** Sells these orders. Notes all that is there when they and those before have ended. */
  async sell(orders: readonly PlannedOrder[]): Promise<void> {
    const stage = this.#stage;
    for (const order of orders) stage.orders.set(order.id, order);
    this.#rounds++;
    await stage.pool.close();
    stage.pool = this.#openPool(PROCESSES);
    const { failed } = stage;
    await Promise.race([stage.pool.ready(), failed]);
    this.#isOver = false;
    const progress = new Progress();
    const harm = [this.#harm(progress, 2 * orders.length), this.#decideAll()];
    const sold = forEachConcurrently(orders, AT_ONCE, async (order) => {
      progress.add();
      await this.#customer(order);
      progress.add();
    });
    await Promise.race([sold, failed]);
    this.#isOver = true;
    progress.end();
    await Promise.race([Promise.all(harm), failed]);
    const end: End = {
      planned: [...stage.orders.values()],
      orders: await Promise.race([this.#quiet(), failed]),
      ledger: stage.service.ledger(),
      goods: await this.#tables.rows("goods"),
      carts: await this.#tables.rows("carts"),
      responsesLost: stage.service.faultsMet().filter(({ name }) => LOST.includes(name)).length,
    };
    this.#history.note("campaign", { what: "end", ...end });
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await this.#stage.close();
  }
}
