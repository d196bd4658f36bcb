// The process that runs a merchant's `onPaid`: what is killed and stopped must not be the drill itself.
import { pathToFileURL } from "node:url";
import type { Checkout, CheckoutOptions, PayParams } from "../checkout/checkout-options.ts";
import type { CountryCode } from "../contract/countries.ts";
import { describeError } from "../internal/describe-error.ts";
import { isObject } from "../internal/is-object.ts";
import type { GoodsEnd, GoodsTraits } from "./goods-cases.ts";
import { FaultyTry, type OnPaid, type PlannedFault } from "./goods-faults.ts";

/** The variable that tells the command line to be such a process. */
export const GOODS_CHILD = "MALIPO_DRILL_GOODS";

/** What a child is started with. */
interface GoodsSetup {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly secret: string;
  readonly country: string;
}

/** A webhook, as text. */
export interface GoodsDelivery {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** What the drill asks of a child: arguments and result. */
export interface GoodsCalls {
  open: (setup: GoodsSetup) => { readonly foreign: string | undefined };
  /** Begins to do what is due. */
  start: () => void;
  plan: (ids: readonly string[], fault: PlannedFault) => void;
  pay: (order: { readonly id: string; readonly phone: string }) => string;
  deliver: (request: GoodsDelivery) => { readonly status: number; readonly body: string };
  look: (id: string) => GoodsEnd;
  traits: () => GoodsTraits | undefined;
}

export type GoodsCall = {
  [Name in keyof GoodsCalls]: {
    readonly id: number;
    readonly call: Name;
    readonly given: Parameters<GoodsCalls[Name]>;
  };
}[keyof GoodsCalls];

/** What a child says: the response to a call, or news. */
export type GoodsMessage =
  | { readonly id: number; readonly value?: unknown; readonly error?: string }
  | { readonly news: "happened" | "failed"; readonly text: string };

/** What the merchant's module exports. */
interface GoodsModule {
  readonly store: CheckoutOptions["store"];
  readonly onPaid: OnPaid;
  readonly count: (orderId: string) => unknown;
  readonly order?: Partial<PayParams>;
}

/** The orders of the drill begin with it. */
export const GOODS_PREFIX = "drill-";

const EXPORTS =
  "It must export `store` (an engine, such as sqlite(path)), `onPaid` and `count`, a function that resolves with how many goods an order id has.";

async function load(path: string): Promise<GoodsModule> {
  const found: unknown = await import(pathToFileURL(path).href);
  const { store, onPaid, count } = found as Partial<GoodsModule>;
  const isRight = isObject(store) && typeof onPaid === "function" && typeof count === "function";
  if (!isRight) throw new Error(`${path} does not export what the drill needs. ${EXPORTS}`);
  return found as GoodsModule;
}

/** The id of an order that no drill has made. */
async function foreignOrder({ list }: Checkout): Promise<string | undefined> {
  for (let after: string | undefined; ; ) {
    const { items, next } = await list({ limit: 100, after });
    const found = items.find(({ id }) => !id.startsWith(GOODS_PREFIX));
    if (found !== undefined || next === undefined) return found?.id;
    after = next;
  }
}

class GoodsShop implements Record<keyof GoodsCalls, unknown> {
  readonly #path: string;
  readonly #tell: (message: GoodsMessage) => void;
  readonly #planned = new Map<string, PlannedFault>();
  #module: GoodsModule | undefined;
  #checkout: Checkout | undefined;
  #dry: FaultyTry | undefined;

  constructor(path: string, tell: (message: GoodsMessage) => void) {
    this.#path = path;
    this.#tell = tell;
  }

  async open({ baseUrl, apiKey, secret, country }: GoodsSetup) {
    const module = await load(this.#path);
    // The entry of the package, as a shop imports it: the command line has no second copy of it.
    const { createCheckout } = await import("malipo/checkout");
    this.#module = module;
    const currency = module.order?.currency;
    const killed = new Set<string>();
    this.#checkout = createCheckout({
      store: module.store,
      onPaid: (order, context) => this.#onPaid(module.onPaid, order, context, killed),
      gateway: { apiKey, baseUrl },
      secret,
      country: country as CountryCode,
      currency,
      phoneLimit: 1_000,
      notSentAfterMs: 30_000,
      onChange: ({ order: { id, effect } }) => {
        if (effect === "done" && killed.has(id)) process.kill(process.pid, "SIGKILL");
      },
      onError: (error) => this.#tell({ news: "failed", text: describeError(error) }),
    });
    // Before anything of the store is worked on: a shop's own orders would be looked for in the sandbox.
    return { foreign: await foreignOrder(this.#checkout) };
  }

  #onPaid(
    onPaid: OnPaid,
    ...[order, context, killed]: [...Parameters<OnPaid>, killed: Set<string>]
  ): unknown {
    const { id } = order;
    const fault = this.#planned.get(id);
    this.#planned.delete(id);
    if (fault === undefined) return onPaid(order, context);
    if (fault.kind === "killDone") killed.add(id);
    const attempt = new FaultyTry(fault, () => this.#tell({ news: "happened", text: id }));
    if (fault.kind === "none") this.#dry = attempt;
    return attempt.run(onPaid, order, context);
  }

  get #open(): readonly [Checkout, GoodsModule] {
    if (this.#checkout === undefined || this.#module === undefined) throw new Error("not open");
    return [this.#checkout, this.#module];
  }

  start = () => this.#open[0].start();

  plan(ids: readonly string[], fault: PlannedFault): void {
    for (const id of ids) this.#planned.set(id, fault);
  }

  async pay(order: { readonly id: string; readonly phone: string }): Promise<string> {
    const [checkout, module] = this.#open;
    const paid = await checkout.pay({ amount: 100, ...module.order, ...order }, { after: 0 });
    return `${paid.status}: ${paid.message}`;
  }

  async deliver({ method, headers, body }: GoodsDelivery) {
    const request = { method, headers, body: new TextEncoder().encode(body) };
    const reply = await this.#open[0].receiver.handle(request);
    return { status: reply.status, body: String(reply.body) };
  }

  async look(id: string): Promise<GoodsEnd> {
    const [checkout, { count }] = this.#open;
    const order = await checkout.inspect(id);
    if (order === undefined) {
      throw new Error(
        "another process does not find the order: `store` is in memory, or a file of each process. Use the store of the shop",
      );
    }
    const goods = await count(id);
    const isCount = typeof goods === "bigint" || (Number.isInteger(goods) && Number(goods) >= 0);
    if (!isCount) throw new Error(`count must resolve with a whole number; got ${typeof goods}`);
    const reviews = order.reviews.map(({ kind }) => kind);
    return { goods: Number(goods), effect: order.effect, reviews };
  }

  traits(): GoodsTraits | undefined {
    const seen = this.#dry?.traits;
    return seen && { ...seen, isFile: "database" in this.#open[1].store };
  }
}

/** Serves the drill until it ends. */
export function serveGoods(path: string): Promise<never> {
  const tell = (message: GoodsMessage) => void process.send?.(message);
  const shop = new GoodsShop(path, tell);
  process.on("message", async ({ id, call, given }: GoodsCall) => {
    try {
      const method = shop[call] as (...all: unknown[]) => unknown;
      tell({ id, value: await method.apply(shop, [...given]) });
    } catch (error) {
      tell({ id, error: describeError(error) });
    }
  });
  // The folder of the drill is for this user only, and so are the files that the module makes in it.
  process.umask(0o077);
  process.on("disconnect", () => process.exit());
  tell({ id: 0 });
  return new Promise(() => {});
}
