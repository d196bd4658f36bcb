import { maskedPhone } from "../contract/phone-number.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import { startClocks } from "../internal/elapsed-time.ts";
import { openAtStart } from "../storage/engine-away.ts";
import type { Checkout, CheckoutOptions, PayParams } from "./checkout-options.ts";
import { checkoutReceiver } from "./checkout-receiver.ts";
import { checkoutSettings } from "./checkout-settings.ts";
import { customerPhone } from "./customer-phone.ts";
import type { Input } from "./inputs.ts";
import { manageOrders } from "./manage-orders.ts";
import { checkAfter } from "./new-order.ts";
import { Engine, type EngineSettings } from "./order-engine.ts";
import { OrderMaker } from "./order-maker.ts";
import { orderStatusHandler } from "./order-status-handler.ts";
import { OrderWaits } from "./order-waits.ts";
import { payPages } from "./page/pay-page.ts";
import type { LabelledUpdate } from "./payment-updates.ts";
import { Worker } from "./worker.ts";

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

/** What runs in a process: the receiver, and the worker that does what is due. */
function runCheckout(
  { store }: EngineSettings,
  { open, openAtStart, close }: ReturnType<typeof storeLife>,
  { receiver, dropStarted }: ReturnType<typeof checkoutReceiver>,
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
  const { country, prefix } = settings;
  const { gateway, store, onError } = settings.engine;
  const engine = new Engine(settings.engine);
  const maker = new OrderMaker(engine, settings);
  const worker = new Worker(engine);
  const life = storeLife(settings.engine);
  const { open } = life;
  const orders = manageOrders(engine, open, country);
  const waits = new OrderWaits(orders.get, settings.maxWaits);
  engine.onWritten((id) => waits.note(id));
  const note = (update: LabelledUpdate) => engine.note(update);
  const received = checkoutReceiver(settings, note);

  const pay: Checkout["pay"] = async (params, { after } = {}) => {
    const elapsed = startClocks();
    const phone = customerPhone("pay", (Object(params) as PayParams).phone, country);
    const shown = checkAfter(after);
    await open();
    const click = { phone, masked: maskedPhone(phone, country), after: shown, elapsed };
    return maker.withOrder("pay", params, (known) => engine.ask(known, click));
  };
  const wait: Checkout["wait"] = (id, { waitMs = 60_000, signal } = {}) =>
    waits.wait(id, waitMs, signal, (value) => ({ value, isOver: value?.status !== "pending" }));
  const statusHandler = orderStatusHandler(waits, onError);
  const read = async (id: string) => {
    await open();
    return store.read(id);
  };
  return {
    ...{ gateway, country, pay, wait, statusHandler },
    ...orders,
    ...payPages({ prefix, country, store: { read }, pay, wait, statusHandler, onError }),
    ...runCheckout(settings.engine, life, received, worker),
    receiver: received.receiver,
    create: async (order, { transaction } = {}) => {
      await open();
      return maker.create(order, transaction);
    },
    report: async (query) => {
      await open();
      const { reportBooks } = await import("./books/day-books.ts");
      const write = (id: string, input: Input) => engine.write(id, input);
      return reportBooks({ store, gateway, prefix, note, write }, query);
    },
  };
}
