import type { Deliver } from "malipo/sandbox";
import type { OpenEngine } from "./engines.ts";
import type { Event, History } from "./history.ts";
import { EngineFaults, Incidents, type Stopped } from "./incidents.ts";
import type { SoldOrder } from "./plan.ts";
import type { JobsOf, Pool } from "./processes.ts";
import { Customers } from "./service/customers.ts";
import { planFaults } from "./service/faults.ts";
import { type Service, startService } from "./service/service.ts";
import { createWebhookProxy, type WebhookProxy } from "./service/webhook-proxy.ts";
import { waitFor } from "./waits.ts";

/** What a campaign that sells is on. */
export interface StageSetup<Order extends SoldOrder> {
  readonly seed: string;
  /** How many orders are planned: the service has faults for so many. */
  readonly count: number;
  readonly engine: OpenEngine;
  readonly history: object;
  /** Whether an event is what a process sleeps for. */
  readonly isUntil: (until: string, stopped: Stopped, event: Event<never>) => boolean;
  /** Since when that may have come. Default: since the process stands. */
  readonly since?: (stopped: Stopped) => number;
  /** Resolves when the customer of an order may act. Default: at once. */
  readonly mayAct?: (order: Order) => Promise<unknown>;
  /** What becomes of a webhook. Default: what the proxy does by chance. `order`: that of its label, if there is one. */
  readonly deliver?: (
    request: Request,
    order: Order | undefined,
    byChance: Deliver,
  ) => Promise<Response>;
}

/** Where something is sold: the service behind its proxies, the customers, the processes of the shop, its engine. */
export class Stage<Order extends SoldOrder, Jobs extends JobsOf<Jobs>> {
  /** Everything that was sold until now. */
  readonly orders = new Map<string, Order>();
  readonly faults: EngineFaults;
  readonly incidents: Incidents;
  readonly webhooks: WebhookProxy;
  readonly customers: Customers<Order>;
  #service: Service | undefined;
  #pool: Pool<Jobs> | undefined;
  readonly #history: History;

  private constructor(setup: StageSetup<Order>) {
    const { seed, engine, isUntil, since } = setup;
    this.#history = setup.history as History;
    this.faults = new EngineFaults(this.#history, engine.faulty);
    this.incidents = new Incidents({
      ...{ history: this.#history, faults: this.faults, isUntil, since },
      planned: (id) => this.orders.get(id)?.incident,
      kill: (who) => this.pool.kill(this.pool.named(who)),
      goOn: (who, told) => this.pool.named(who)?.goOn(told),
    });
    this.customers = new Customers(
      () => this.service.sandbox,
      (id) => this.orders.get(id),
      setup.mayAct,
    );
    this.webhooks = createWebhookProxy(seed, () => this.#pool?.ports() ?? []);
  }

  static async open<Order extends SoldOrder, Jobs extends JobsOf<Jobs>>(
    setup: StageSetup<Order>,
  ): Promise<Stage<Order, Jobs>> {
    const stage = new Stage<Order, Jobs>(setup);
    const deliver: Deliver = (request) => stage.#deliver(request, setup.deliver);
    const { seed, count } = setup;
    stage.#service = await startService(seed, deliver, planFaults(seed, count));
    return stage;
  }

  async #deliver(request: Request, own: StageSetup<Order>["deliver"]): Promise<Response> {
    const { event, data } = await request.clone().json();
    const { account_reference: key, reference } = data;
    if (event === "payment.initiated" && this.customers.see(data)) {
      this.#history.note("service", { what: "prompt", key, reference });
    }
    const byChance = this.webhooks.deliver;
    return own ? own(request, this.orders.get(key), byChance) : byChance(request);
  }

  get service(): Service {
    if (this.#service === undefined) throw new Error("The service has not started.");
    return this.#service;
  }

  get pool(): Pool<Jobs> {
    if (this.#pool === undefined) throw new Error("There are no processes yet.");
    return this.#pool;
  }

  set pool(pool: Pool<Jobs>) {
    this.#pool = pool;
  }

  /** Rejects when the campaign proves nothing any more. */
  get failed(): Promise<never> {
    return Promise.race([this.incidents.failed, this.pool.failed]);
  }

  async restartService(): Promise<void> {
    await waitFor(this.service.faultProxy.restart(), () => "the service to restart");
    this.#history.note("service", { what: "service_restarted" });
  }

  async close(): Promise<void> {
    this.webhooks.close();
    await this.#pool?.close();
    await waitFor(this.service.close(), () => "the service to close");
  }
}
