import { Gateway } from "../client/gateway.ts";
import { callingCodeOf } from "../contract/countries.ts";
import { EVENT_KINDS } from "../contract/events.ts";
import { maskedPhone } from "../contract/phone-number.ts";
import { ConfigurationError } from "../errors/configuration.ts";
import {
  checkFunction,
  checkMilliseconds,
  checkText,
  checkWholeNumber,
  ownOptions,
  wrongOption,
} from "../internal/check-options.ts";
import { startClocks } from "../internal/elapsed-time.ts";
import { allowedEnvironmentVariable } from "../internal/environment.ts";
import { isObject } from "../internal/is-object.ts";
import { createErrorLog } from "../webhooks/receiver/error-log.ts";
import { createWebhookReceiver } from "../webhooks/receiver/receiver.ts";
import {
  CHECKOUT_OPTIONS,
  type Checkout,
  type CheckoutOptions,
  type PayParams,
} from "./checkout-options.ts";
import { type CheckoutStore, storeClosed } from "./checkout-store.ts";
import { checkCountry, customerPhone } from "./customer-phone.ts";
import { type Input, TIMES } from "./inputs.ts";
import { manageOrders } from "./manage-orders.ts";
import { checkAfter } from "./new-order.ts";
import { Engine } from "./order-engine.ts";
import { OrderMaker } from "./order-maker.ts";
import { orderStatusHandler } from "./order-status-handler.ts";
import { OrderWaits } from "./order-waits.ts";
import { payPages } from "./page/pay-page.ts";
import { checkoutInbox, isReport, type LabelledReport } from "./reports.ts";
import { Worker } from "./worker.ts";

const STARTED_EVENT = "payment.initiated";
const PHONE_WITHIN_MS = 600_000;
/** How long `stop` waits for what is under way. It is safe to leave it. */
const STOP_MS = 10_000;
/** A customer waits. An attempt whose process dies is unknown only when its time is over. */
const TOTAL_TIMEOUT_MS = 15_000;

const logUnhandled = (kind: string) =>
  // biome-ignore lint/suspicious/noConsole: without it, the user would not learn why an event waits
  console.info(
    `malipo checkout: no handler for ${JSON.stringify(kind)}. Such events are kept until a process has one: checkout.receiver.on(${JSON.stringify(kind)}, handler).`,
  );

/** A log that fails must not hide what became of a prompt. */
const harmless =
  (onError: (error: unknown) => unknown) =>
  (error: unknown): void => {
    // A function of the user may throw before it returns a promise.
    void (async () => onError(error))().catch(() => {});
  };

/** In a shop whose goods are no rows, it would be said of each order. */
const tellOnce = (onError: (error: unknown) => void) => {
  let hasTold = false;
  return () => {
    if (!hasTold) onError(new Error(WROTE_NOTHING));
    hasTold = true;
  };
};
const WROTE_NOTHING =
  "The transaction of onPaid has written no row, and the order says that its goods were given. If it was to write one, an `await` or a call that runs the statement is missing. This is reported once.";

/** A drill waits for less than ten minutes, and its sandbox lists a payment at once. */
function notSentAfterMsOfDrill(): number | undefined {
  const name = "MALIPO_NOT_SENT_AFTER_MS";
  const text = allowedEnvironmentVariable(name);
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw wrongOption(name, "a number of milliseconds", text);
  return Number(text);
}

function gatewayFor(given: CheckoutOptions["gateway"], store: CheckoutStore): Gateway {
  if (given instanceof Gateway) return given;
  const totalTimeoutMs = given?.totalTimeoutMs ?? TOTAL_TIMEOUT_MS;
  return new Gateway({ ...given, totalTimeoutMs, idempotency: store.idempotency });
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
 *   store: sqliteCheckout("data/shop.db"),
 *   async onPaid(order, { transaction }) {
 *     await transaction((db) => db.prepare("INSERT INTO tickets (order_id) VALUES (?)").run(order.id));
 *   },
 * });
 * await checkout.start();
 * const order = await checkout.pay({ id: "ORDER-42", amount: 1500, phone: "0712 345 678" });
 * ```
 */
export function createCheckout<Connection>(options: CheckoutOptions<Connection>): Checkout {
  const own = ownOptions(options, CHECKOUT_OPTIONS, "createCheckout");
  const {
    store,
    onPaid,
    onReview,
    onError = createErrorLog("malipo checkout"),
    prefix = "",
    secret,
  } = own;
  const {
    promptWithinMs = TIMES.promptWithinMs,
    phoneLimit = 3,
    attemptLimit = 3,
    currency = "KES",
    maxWaits = 1_000,
  } = own;
  const { notSentAfterMs = notSentAfterMsOfDrill() ?? TIMES.notSentAfterMs } = own;
  if (!isObject(store)) throw wrongOption("store", "a store, such as sqliteCheckout(path)", store);
  checkFunction("onPaid", onPaid);
  if (onReview !== undefined) checkFunction("onReview", onReview);
  if (own.onChange !== undefined) checkFunction("onChange", own.onChange);
  checkFunction("onError", onError);
  checkText(
    "prefix",
    prefix,
    /^[0-9A-Z-]{0,4}$/,
    "at most 4 upper-case letters, digits and dashes",
  );
  checkMilliseconds("promptWithinMs", promptWithinMs);
  checkMilliseconds("notSentAfterMs", notSentAfterMs);
  checkWholeNumber("phoneLimit", phoneLimit, 1, 1_000);
  checkWholeNumber("attemptLimit", attemptLimit, 1, 1_000);
  checkWholeNumber("maxWaits", maxWaits, 1, 1_000_000);
  checkText("currency", currency, /^[A-Z]{3}$/, "a currency code such as KES");
  const country = own.country === undefined ? callingCodeOf(currency) : checkCountry(own.country);

  // It leaves some time after the click.
  const openMs = promptWithinMs + TIMES.promptLifeMs;
  const limits = { prompts: phoneLimit, withinMs: PHONE_WITHIN_MS, openMs };
  const gateway = gatewayFor(own.gateway, store);
  const times = { ...TIMES, promptWithinMs, notSentAfterMs };
  const engine = new Engine({
    store,
    gateway,
    times,
    limits,
    prefix,
    onPaid,
    onReview: onReview ?? (() => {}),
    onOrderChange: own.onChange,
    onError: harmless(onError),
    onEmpty: tellOnce(harmless(onError)),
  });
  let isReady = false;
  let isStopped = false;
  /** Before the first use, in a process that calls `start` or in one that does not. */
  const makeReady = async () => {
    if (isStopped) throw storeClosed();
    if (isReady) return;
    // A key that is not in the store would be free for another process, and after a crash.
    if (!(await gateway.idempotency.isStoredBy(store.idempotency))) {
      throw new ConfigurationError(
        "The gateway of a checkout must remember its idempotency keys in the store of the checkout. Pass the options of the gateway, or create it with `idempotency: store.idempotency`.",
      );
    }
    await store.open();
    isReady = true;
  };
  const note = (report: LabelledReport) => engine.note(report);
  const inbox = checkoutInbox(store.inbox, note, engine.settings.onError);
  const inner = createWebhookReceiver({
    ...{ inbox, onError, hooks: own.hooks },
    onUnhandled: (kind) => {
      // Nothing waits for a handler in a store that keeps no other events.
      if (store.inbox !== undefined) logUnhandled(kind);
    },
    ...(secret !== undefined && { secret }),
  });
  // The checkout takes them before they are in an inbox: none waits for a handler.
  for (const kind of EVENT_KINDS.filter(isReport)) inner.on(kind, () => {});
  // `pay` knows that it has asked. Without a handler for it, it is dropped.
  let takesStarted = store.inbox === undefined;
  const dropStarted = () => {
    if (!takesStarted) inner.on(STARTED_EVENT, () => {});
    takesStarted = true;
  };
  const worker = new Worker(engine);

  const orders = manageOrders(engine, makeReady, country);
  const waits = new OrderWaits(orders.get, maxWaits);
  const maker = new OrderMaker(engine, { prefix, currency, attemptLimit });
  const checkout: Checkout = {
    gateway,
    country,
    pay: async (params, { after } = {}) => {
      const elapsed = startClocks();
      const phone = customerPhone("pay", (Object(params) as PayParams).phone, country);
      const shown = checkAfter(after);
      await makeReady();
      const click = { phone, masked: maskedPhone(phone, country), after: shown, elapsed };
      return maker.withOrder("pay", params, (known) => engine.ask(known, click));
    },
    create: async (order, { transaction } = {}) => {
      await makeReady();
      return maker.create(order, transaction);
    },
    ...orders,
    wait: (id, { waitMs = 60_000, signal } = {}) =>
      waits.wait(id, waitMs, signal, (value) => ({ value, isOver: value?.status !== "pending" })),
    receiver: {
      ...inner,
      on: (kind, handler) => {
        if (isReport(kind)) {
          throw new ConfigurationError(`The checkout handles ${kind} itself. Use onPaid.`);
        }
        checkOthers();
        takesStarted ||= kind === STARTED_EVENT;
        inner.on(kind, handler);
      },
      onOther: (handler) => {
        checkOthers();
        takesStarted = true;
        inner.onOther(handler);
      },
    },
    statusHandler: orderStatusHandler(waits, engine.settings.onError),
    ...payPages({
      ...{ prefix, country },
      store: {
        read: async (id) => {
          await makeReady();
          return store.read(id);
        },
      },
      pay: (params, given) => checkout.pay(params, given),
      wait: (id, given) => checkout.wait(id, given),
      statusHandler: (given) => checkout.statusHandler(given),
      onError: harmless(onError),
    }),
    report: async (query) => {
      await makeReady();
      const { reportBooks } = await import("./books/day-books.ts");
      const change = (id: string, input: Input) => engine.change(id, input);
      return reportBooks({ store, gateway, prefix, note, change }, query);
    },
    start: async () => {
      await makeReady();
      dropStarted();
      await inner.start();
      worker.start();
    },
    stop: async (given = {}) => {
      await worker.stop(given.timeoutMs ?? STOP_MS);
      await inner.stop(given);
      isStopped = true;
      await store.close();
    },
    reconcile: async ({ timeoutMs = 10_000 } = {}) => {
      await makeReady();
      dropStarted();
      const processed = await worker.drain(timeoutMs);
      if (store.inbox !== undefined && !worker.isStarted) await inner.drain({ timeoutMs });
      return { processed };
    },
  };

  const checkOthers = () => {
    if (store.inbox !== undefined) return;
    throw new ConfigurationError(
      "This store keeps no events other than those of payments. Pass it an inbox: postgresCheckout({ inbox: pgBossInbox(...) }).",
    );
  };
  engine.onChange = (id, isDue) => {
    waits.note(id);
    worker.note(isDue);
  };
  return checkout;
}
