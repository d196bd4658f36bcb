import { ConfigurationError } from "../errors/configuration.ts";
import { startClocks } from "../internal/elapsed-time.ts";
import { maskedPhone } from "../phones/phone-number.ts";
import { openAtStart } from "../storage/engine-away.ts";
import type { Checkout, CheckoutOptions, PayParams } from "./checkout-options.ts";
import { type CheckoutReceiver, checkoutReceiver } from "./checkout-receiver.ts";
import { type CheckoutSettings, checkoutSettings } from "./checkout-settings.ts";
import { customerPhone } from "./orders/customer-phone.ts";
import { manageOrders } from "./orders/manage-orders.ts";
import { checkAfter } from "./orders/new-order.ts";
import { Engine, type EngineSettings } from "./orders/order-engine.ts";
import { OrderMaker } from "./orders/order-maker.ts";
import { OrderWaits } from "./orders/order-waits.ts";
import type { LabelledUpdate } from "./orders/payment-updates.ts";
import { Worker } from "./orders/worker.ts";
import { orderStatusHandler, type StatusRoute } from "./page/order-status-handler.ts";
import { type PayPages, payPages } from "./page/pay-page.ts";
import type { Input } from "./rules/inputs.ts";

/** How long `stop` waits for what is under way. It is safe to leave it. */
const STOP_MS = 10_000;

/** How long `start` waits for a store that does not reply. The worker goes on trying. */
const START_MS = 5_000;

const stopped = () =>
  new ConfigurationError(
    "The checkout was stopped, so this call did nothing. Make its calls before checkout.stop(), or create another checkout.",
  );

/** The store of a checkout: opened before its first use, and closed once. */
function storeLife({ store, gateway, onError }: EngineSettings) {
  let isReady = false;
  let isClosed = false;
  /** Before each use, in a process that calls `start` or in one that does not. */
  const open = async (): Promise<void> => {
    if (isClosed) throw stopped();
    if (isReady) return;
    // A key that is not in the store would be free for another process, and after a crash.
    if (!(await gateway.idempotency.isStoredBy(store.idempotency))) {
      throw new ConfigurationError(
        "The gateway of a checkout must remember its idempotency keys in the store of the checkout. Pass the options of the gateway, or give both the same engine: new Gateway({ idempotency: db }) and createCheckout({ store: db, gateway }).",
      );
    }
    await store.open();
    isReady = true;
  };
  return {
    open,
    openAtStart: () => openAtStart(open(), START_MS, onError),
    close: async (): Promise<void> => {
      isClosed = true;
      await store.close();
    },
  };
}

/** The calls of a shop that make orders and ask customers to pay them. */
function askCalls(
  { asked, ...settings }: CheckoutSettings,
  engine: Engine,
  open: () => Promise<void>,
): Pick<Checkout, "pay" | "create"> {
  const maker = new OrderMaker(engine, settings);
  return {
    pay: async (params, { after } = {}) => {
      const elapsed = startClocks();
      const phone = customerPhone("pay", (Object(params) as PayParams).phone, asked);
      const shown = checkAfter(after);
      await open();
      const click = { phone, masked: maskedPhone(phone, asked.country), after: shown, elapsed };
      return maker.withOrder("pay", params, (known) => engine.ask(known, click));
    },
    create: async (order, { transaction } = {}) => {
      await open();
      return maker.create(order, transaction);
    },
  };
}

/** What customers see: how an order goes, and the page on which they pay. */
function customerCalls(
  { asked, prefix, engine: { store }, onError, maxWaits }: CheckoutSettings,
  engine: Engine,
  { pay, get, open }: Pick<Checkout, "pay" | "get"> & { open: () => Promise<void> },
): Pick<Checkout, "wait" | keyof StatusRoute | keyof PayPages> {
  const waits = new OrderWaits(get, maxWaits);
  engine.onWritten((id) => waits.note(id));
  const wait: Checkout["wait"] = (id, { waitMs = 60_000, signal } = {}) =>
    waits.wait(id, waitMs, signal, (value) => ({ value, isOver: value?.status !== "pending" }));
  const statusHandler = orderStatusHandler(waits, onError);
  const read = async (id: string) => {
    await open();
    return store.read(id);
  };
  return {
    ...{ wait, statusHandler },
    ...payPages({ prefix, asked, store: { read }, pay, wait, statusHandler, onError }),
  };
}

/** The books of a day, which only those who ask for them load. */
function bookCalls(
  { prefix, engine: { store, gateway } }: CheckoutSettings,
  engine: Engine,
  open: () => Promise<void>,
): Pick<Checkout, "report"> {
  return {
    report: async (query) => {
      await open();
      const { reportBooks } = await import("./books/day-books.ts");
      const note = (update: LabelledUpdate) => engine.note(update);
      const write = (id: string, input: Input) => engine.write(id, input);
      return reportBooks({ store, gateway, prefix, note, write }, query);
    },
  };
}

/** What runs in a process: the receiver, and the worker that does what is due. */
function runCheckout(
  { store }: EngineSettings,
  { open, openAtStart, close }: ReturnType<typeof storeLife>,
  { receiver, dropStarted }: CheckoutReceiver,
  worker: Worker,
): Pick<Checkout, "start" | "stop" | "reconcile"> {
  return {
    start: async () => {
      await openAtStart();
      dropStarted();
      await receiver.start();
      worker.start();
    },
    stop: async (given = {}) => {
      await worker.stop(given.timeoutMs ?? STOP_MS);
      await receiver.stop(given);
      await close();
    },
    reconcile: async ({ timeoutMs = 10_000 } = {}) => {
      await open();
      dropStarted();
      const processed = await worker.drain(timeoutMs);
      if (store.inbox !== undefined && !worker.isStarted) await receiver.drain({ timeoutMs });
      return { processed };
    },
  };
}

/**
 * An order that is paid once: from "to be paid" to "paid, and the goods given", across crashes, lost
 * responses, late and missing webhooks, several attempts and several processes.
 *
 * @throws {ConfigurationError} for a wrong or missing option.
 *
 * @example
 * ```ts
 * const checkout = createCheckout({
 *   store: sqlite("data/shop.db"),
 *   async onPaid(order, { transaction }) {
 *     await transaction((db) => db.prepare("INSERT INTO tickets (order_id) VALUES (?)").run(order.id));
 *   },
 * });
 * await checkout.start();
 * const order = await checkout.pay({ id: "ORDER-42", amount: 1500, phone: "0712 345 678" });
 * ```
 */
export function createCheckout<Connection>(options: CheckoutOptions<Connection>): Checkout {
  const settings = checkoutSettings(options);
  const { asked, currency, publicMetadata } = settings;
  const { country } = asked;
  const engine = new Engine(settings.engine);
  const life = storeLife(settings.engine);
  const { open } = life;
  const received: CheckoutReceiver = checkoutReceiver(settings, (update) => engine.note(update), {
    start: () => running.start(),
    stopRest: () => worker.stop(STOP_MS),
  });
  const asks = askCalls(settings, engine, async () => {
    await open();
    await received.takeOver();
  });
  const orders = manageOrders(engine, open, { country, currency, publicMetadata });
  const customers = customerCalls(settings, engine, { pay: asks.pay, get: orders.get, open });
  const worker = new Worker(engine);
  const running = runCheckout(settings.engine, life, received, worker);
  return {
    ...{ gateway: settings.engine.gateway, country, receiver: received.receiver },
    ...asks,
    ...orders,
    ...customers,
    ...bookCalls(settings, engine, open),
    ...running,
  };
}
