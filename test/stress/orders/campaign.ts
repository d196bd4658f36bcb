import { setTimeout as sleep } from "node:timers/promises";
import type { Order } from "malipo/checkout";
import { createRandom } from "../prompts/random.ts";
import type { Service } from "../prompts/service.ts";
import { type End, isEnded, type LedgerPayment } from "./check.ts";
import { decideAll } from "./deciders.ts";
import { changedByOther, type History } from "./history.ts";
import { loseFile } from "./lost-file.ts";
import type { Report, Setup } from "./messages.ts";
import type { Act, PlannedOrder } from "./plan.ts";
import { type ShopProcess, startShop } from "./shops.ts";
import type { OpenStore } from "./store.ts";

const PROCESSES = 4;
const AT_ONCE = 10;
const MAX_CLICKS = 4;
/** A fault of the service may end a click before it comes to its incident. */
const MAX_CLICKS_TO_INCIDENT = 12;
const MAX_STARTS = 60;
/** How long a customer looks at a page before the next click. */
const MAX_WAIT_MS = 20_000;
/** How long everything may take to end after the last click: a prompt waits for a minute. */
const quietMs = (count: number) => 120_000 + count * 50;
/** A process that has slept finds out what became of its order. */
const AWAKE_MS = 1_000;
/** How often the people look at the list of reviews. */
const DECIDE_EVERY_MS = 400;
/** How often the SQLite file is moved away in a round, and how long it is there before. */
const LOSSES = 2;
const FILE_THERE_MS = 5_000;
/** A process that starts while the file is away would make another one. */
const MAX_STARTING_MS = 8_000;

/** What happens in a campaign, while it runs. */
class Notes implements History {
  readonly reports: { report: Report; shop: object; at: number }[] = [];
  readonly incidents: History["incidents"][number][] = [];
  readonly killed: History["killed"][number][] = [];
  readonly harms: History["harms"][number][] = [];
  readonly decided: History["decided"][number][] = [];
  readonly withoutFile: History["withoutFile"][number][] = [];
  readonly canceled: string[] = [];
  readonly answered = new Set<string>();
  readonly counts: Record<string, number> = {};
  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}

/** The customers, the processes of the shop and what happens to both, on one store and one service. */
export class Campaign {
  readonly notes = new Notes();
  /** The bundle of the shop. */
  readonly #shop: string;
  readonly #place: OpenStore;
  readonly #service: Service;
  readonly #planned = new Map<string, PlannedOrder>();
  readonly #pool: ShopProcess[] = [];
  readonly #random;
  readonly #happened = new Set<string>();
  /** Those that stand at their points: only what is planned happens to them. */
  readonly #paused = new Set<ShopProcess>();
  readonly #canceled = new Set<string>();
  /** The process that a click of this order may use. It is there for one incident. */
  readonly #visitors = new Set<ShopProcess>();
  /** The prompts that customers have seen, and how many those of each order are. */
  readonly #prompts = new Set<string>();
  readonly #seen = new Map<string, number>();
  /** One fault of the engine at a time. */
  #engineIsWell: Promise<void> = Promise.resolve();
  /** Processes that start may open the file, which is not moved meanwhile. */
  #fileIsThere: Promise<void> = Promise.resolve();
  readonly #starting = new Set<Promise<unknown>>();
  #isOver = true;

  constructor(seed: string, shop: string, place: OpenStore, service: Service) {
    this.#shop = shop;
    this.#place = place;
    this.#service = service;
    this.#random = createRandom(`${seed} campaign of orders`);
  }

  order = (id: string) => this.#planned.get(id);
  ports = () => this.#pool.map(({ port }) => port);

  async #start(works: boolean): Promise<ShopProcess> {
    const { sandbox, baseUrl } = this.#service;
    // A process that works may stand in onPaid; one that takes a click may stand in that.
    const stops = [...this.#planned.values()].flatMap(({ id, incident }) => {
      const isInEffect = incident?.at === "paid" || incident?.at === "goods";
      return incident !== undefined && isInEffect === works ? [[id, incident.at]] : [];
    });
    const setup: Setup = {
      store: this.#place.url,
      ...{ baseUrl, apiKey: sandbox.keys.secret, secret: sandbox.webhookSecret },
      stops: Object.fromEntries(stops),
      wrong: Object.fromEntries(
        [...this.#planned.values()].flatMap(({ id, wrong }) => (wrong ? [[id, wrong]] : [])),
      ),
      underpaid: [...this.#planned.values()].filter((one) => one.isUnderpaid).map(({ id }) => id),
      works,
    };
    const listeners: Parameters<typeof startShop>[2] = {
      onReport: (report, shop) => this.notes.reports.push({ report, shop, at: Date.now() }),
      onStands: (order, shop) => void this.#happen(this.#planned.get(order), shop),
      onDeath: (shop) => {
        this.notes.count("deaths");
        void this.#kill(shop);
      },
    };
    for (let tries = 1; ; tries++) {
      try {
        await this.#fileIsThere;
        const starting = startShop(this.#shop, setup, listeners);
        this.#starting.add(starting);
        const ended = () => this.#starting.delete(starting);
        starting.then(ended, ended);
        return await starting;
      } catch (error) {
        // A shop that starts while its engine is away ends, and is started again.
        if (tries === MAX_STARTS) throw error;
        await sleep(500);
      }
    }
  }

  /** Starts the processes of the shop once more, since they know at which orders to stop. */
  async #startPool(): Promise<void> {
    await Promise.all(this.#pool.splice(0).map((shop) => shop.kill()));
    for (let at = 0; at < PROCESSES; at++) this.#pool.push(await this.#start(true));
  }

  async #kill(shop: ShopProcess): Promise<void> {
    const at = this.#pool.indexOf(shop);
    this.notes.killed.push({ shop, at: Date.now() });
    await shop.kill();
    if (at >= 0 && !this.#isOver) this.#pool[at] = await this.#start(true);
  }

  /** A process stands at its point. What is planned happens once; the next process just goes on. */
  async #happen(order: PlannedOrder | undefined, shop: ShopProcess): Promise<void> {
    const { incident } = order ?? {};
    if (order === undefined || incident === undefined || this.#happened.has(order.id)) {
      return shop.goOn();
    }
    this.#happened.add(order.id);
    this.#paused.add(shop);
    const from = Date.now();
    if (incident.act === "sleep") {
      await sleep(incident.ms);
      const { until } = incident;
      const hasCome = () =>
        until === undefined || changedByOther(this.notes, order.id, until, { shop, from });
      // It takes longer on a busy machine.
      for (const end = Date.now() + MAX_WAIT_MS; !hasCome() && Date.now() < end; ) await sleep(100);
    }
    if (incident.act === "engine") await this.#harm(incident.fault);
    this.notes.incidents.push({ order, incident, shop, from, until: Date.now() });
    this.#paused.delete(shop);
    if (incident.act === "kill") await this.#kill(shop);
    else shop.goOn();
  }

  async #harm(fault: Parameters<OpenStore["engine"]["inject"]>[0]): Promise<void> {
    const { engine } = this.#place;
    const from = Date.now();
    const injected = this.#engineIsWell.then(() => engine.inject(fault));
    this.#engineIsWell = injected.then(({ over }) => over).catch(() => {});
    await injected.catch(() => this.notes.count(`engine ${fault}: failed`));
    void this.#engineIsWell.then(() => this.notes.harms.push({ from, until: Date.now() }));
  }

  /** Moves the SQLite file away, and puts it back. */
  async #loseFile(times: number): Promise<void> {
    const { url } = this.#place;
    const from = Date.now();
    const secret = this.#service.sandbox.webhookSecret;
    const started = Promise.allSettled([...this.#starting]).then(() => true);
    if (!(await Promise.race([started, sleep(MAX_STARTING_MS, false)]))) return;
    const asked = this.#pool.filter((one) => one.port > 0 && !this.#paused.has(one));
    const name = `AWAY-${this.#planned.size}-${times}`;
    this.notes.withoutFile.push(...(await loseFile(url, asked, { secret, name })));
    this.notes.harms.push({ from, until: Date.now() });
  }

  async #loseFiles(): Promise<void> {
    if (this.#place.url.startsWith("postgres")) return;
    for (let times = 0; times < LOSSES && !this.#isOver; times++) {
      await sleep(FILE_THERE_MS);
      // One thing at a time: what locks the file would open another one.
      this.#fileIsThere = this.#engineIsWell.then(() => this.#loseFile(times));
      this.#engineIsWell = this.#fileIsThere;
      await this.#fileIsThere;
    }
  }

  /** Resolves with whether two people have decided something. */
  #decide(): Promise<boolean> {
    const office: Parameters<typeof decideAll>[0] = {
      ...{ orders: this.#place.orders, random: this.#random, planned: this.order },
      pool: () => this.#pool,
      goods: () => this.#place.rows("goods"),
      onDecided: (one) => this.notes.decided.push(one),
    };
    return decideAll(office).catch(() => false);
  }

  async #decideAll(): Promise<void> {
    for (; !this.#isOver; await sleep(DECIDE_EVERY_MS)) await this.#decide();
  }

  /** A customer sees a prompt. */
  see({ account_reference, reference }: { account_reference: string; reference: string }): void {
    const order = this.#planned.get(account_reference);
    if (order === undefined || this.#prompts.has(reference)) return;
    this.#prompts.add(reference);
    const seen = (this.#seen.get(order.id) ?? 0) + 1;
    this.#seen.set(order.id, seen);
    const act = order.acts[Math.min(seen, order.acts.length) - 1] ?? "approve";
    void this.#answer(order, reference, act);
  }

  async #answer(order: PlannedOrder, reference: string, act: Act): Promise<void> {
    await sleep(order.afterMs);
    for (let waits = 0; order.isCanceled && !this.#canceled.has(order.id) && waits < 200; waits++) {
      await sleep(100);
    }
    const phone = this.#service.sandbox.phone(order.phone);
    if (phone.prompt?.reference === reference) phone[act]();
  }

  async #read(id: string): Promise<Order | undefined> {
    // The engine may be away.
    return this.#place.orders.get(id).catch(() => undefined);
  }

  /** A click goes to any process; one with an incident goes to its own, which is there for that. */
  async #click(order: PlannedOrder, path: string, body: unknown): Promise<void> {
    const { incident, id } = order;
    const isInClick = incident !== undefined && incident.at !== "paid" && incident.at !== "goods";
    if (!isInClick || this.#happened.has(id)) {
      const answer = await this.#random.pick(this.#pool).post(path, body);
      if (answer !== undefined) this.notes.answered.add(id);
      return;
    }
    const visitor = await this.#start(false);
    this.#visitors.add(visitor);
    if ((await visitor.post(path, body)) !== undefined) this.notes.answered.add(id);
    await visitor.kill();
    this.#visitors.delete(visitor);
  }

  async #makeCart(order: PlannedOrder): Promise<boolean> {
    const { id, cart, incident } = order;
    const isKilled = incident?.at === "created";
    if (cart === "none" && !isKilled) return true;
    const isRolledBack = cart === "rolled_back";
    // A transaction that met a fault of the engine has left nothing: the merchant tries again.
    for (let tries = 0; tries < 20; tries++) {
      await this.#click(order, "/carts", { id, isRolledBack });
      if (isKilled || isRolledBack) break;
      if ((await this.#place.rows("carts").catch((): readonly string[] => [])).includes(id))
        return true;
      await sleep(500);
    }
    if (isRolledBack) this.notes.count("carts rolled back");
    return !isKilled && !isRolledBack;
  }

  async #customer(order: PlannedOrder): Promise<void> {
    if (!(await this.#makeCart(order))) return;
    const { id, phone, isClickedTwice } = order;
    const params = { id, amount: 100, phone };
    const mayClick = (clicks: number) =>
      clicks < MAX_CLICKS ||
      (order.incident && !this.#happened.has(id) && clicks < MAX_CLICKS_TO_INCIDENT);
    for (let clicks = 0; mayClick(clicks); clicks++) {
      const after = (await this.#read(id))?.attempts.length ?? 0;
      const click = () => this.#click(order, "/pay", { params, after });
      const clicking = [click(), ...(isClickedTwice ? [click()] : [])];
      if (isClickedTwice) this.notes.count("double clicks");
      const clicked = Promise.all(clicking);
      if (order.isCanceled) await this.#cancel(id);
      if (await this.#watch(id)) return void (await clicked);
      await clicked;
    }
  }

  async #cancel(id: string): Promise<void> {
    for (const end = Date.now() + MAX_WAIT_MS; Date.now() < end; await sleep(50)) {
      const order = await this.#read(id);
      const isAsked = order?.attempts.some(({ reference }) => reference !== undefined);
      if (!isAsked) continue;
      const canceled = await this.#place.orders.cancel(id).catch(() => undefined);
      if (canceled?.status === "canceled") this.notes.canceled.push(id);
      this.#canceled.add(id);
      return;
    }
  }

  /** Looks at an order until it can be paid again. Resolves with whether nothing more is to be done. */
  async #watch(id: string): Promise<boolean> {
    const end = Date.now() + MAX_WAIT_MS;
    for (; Date.now() < end; await sleep(150)) {
      const order = await this.#read(id);
      if (order !== undefined && !["open", "pending"].includes(order.status)) return true;
      // Money that is under review.
      if (order !== undefined && order.payments.length > 0) return true;
      if (order?.canPay && order.attempts.length > 0) return false;
    }
    return false;
  }

  /** Kills a process of the pool, wherever it is, again and again. */
  async #killAnywhere(): Promise<void> {
    const everyMs = Math.max(1_000, Math.min(4_000, 40_000 / AT_ONCE));
    while (!this.#isOver) {
      await sleep(this.#random.between(everyMs / 2, everyMs * 1.5));
      const shop = this.#random.pick(this.#pool.filter((one) => !this.#paused.has(one)));
      if (this.#isOver) return;
      if (shop === undefined) continue;
      await this.#kill(shop);
      this.notes.count("kills");
    }
  }

  async #restartService(): Promise<void> {
    for (let times = 0; times < 2 && !this.#isOver; times++) {
      await sleep(3_000);
      await this.#service.faultProxy.restart();
      this.notes.count("service restarts");
    }
  }

  async #allOrders(): Promise<Order[]> {
    const orders: Order[] = [];
    for (let after: string | undefined; ; ) {
      const page = await this.#place.orders.list({ limit: 1_000, after });
      orders.push(...page.items);
      after = page.next;
      if (after === undefined) return orders;
    }
  }

  /** Waits until everything has ended by itself. */
  async #quiet(): Promise<Order[]> {
    for (const end = Date.now() + quietMs(this.#planned.size); Date.now() < end; ) {
      const hasDecided = await this.#decide();
      const orders = await this.#allOrders();
      // What a process does when it wakes up belongs to the campaign.
      if (!hasDecided && orders.every(isEnded) && this.#paused.size === 0) break;
      await sleep(500);
    }
    await sleep(AWAKE_MS);
    return this.#allOrders();
  }

  /** Sells these orders. Resolves with all that is there when they and those before have ended. */
  async sell(orders: readonly PlannedOrder[]): Promise<End> {
    for (const order of orders) this.#planned.set(order.id, order);
    await this.#startPool();
    this.#isOver = false;
    const waiting = [...orders].reverse();
    const work = async () => {
      for (let order = waiting.pop(); order !== undefined; order = waiting.pop()) {
        await this.#customer(order);
      }
    };
    const harm = [
      ...[this.#killAnywhere(), this.#restartService(), this.#loseFiles(), this.#decideAll()],
    ];
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    this.#isOver = true;
    await Promise.all(harm);
    return {
      ...{ planned: [...this.#planned.values()], orders: await this.#quiet() },
      ledger: this.#service.ledger() as unknown as readonly LedgerPayment[],
      goods: await this.#place.rows("goods"),
      carts: await this.#place.rows("carts"),
    };
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#pool, ...this.#visitors].map((shop) => shop.kill()));
  }
}
