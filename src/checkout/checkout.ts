import { Gateway } from "../client/gateway.ts";
import type { GatewayOptions } from "../client/options.ts";
import type { PaymentWaiter } from "../client/status/shared-wait.ts";
import { statusHandler } from "../client/status/status-handler.ts";
import { accountReferenceFor } from "../contract/account-reference.ts";
import { EVENT_KINDS } from "../contract/events.ts";
import type { Payment } from "../contract/payment.ts";
import { maskedPhone, normalizePhone } from "../contract/phone-number.ts";
import { ConfigurationError, InvalidParamsError } from "../errors/configuration.ts";
import { OrderConflictError } from "../errors/order.ts";
import { PaymentPendingError } from "../errors/payment.ts";
import { isStorable } from "../idempotency/store-options.ts";
import { canonicalJson } from "../internal/canonical-json.ts";
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
import type { WebhookReceiverOptions } from "../webhooks/receiver/receiver-options.ts";
import type { WebhookReceiver } from "../webhooks/receiver/webhook-receiver.ts";
import type { BooksReport, ReportQuery } from "./books/day-books.ts";
import { type CheckoutStore, labelOf } from "./checkout-store.ts";
import { type Input, TIMES } from "./inputs.ts";
import { type ManagedOrders, manageOrders } from "./manage-orders.ts";
import { amountText, type OrderState } from "./order.ts";
import type { OrderChange } from "./order-change.ts";
import { Engine, type PaidContext } from "./order-engine.ts";
import type { Order, Review } from "./order-types.ts";
import { type PayPages, payPages } from "./page/pay-page.ts";
import { checkoutInbox, isReport, type LabelledReport } from "./reports.ts";
import { orderView } from "./view.ts";
import { Worker } from "./worker.ts";
import type { Changed, Known } from "./write-order.ts";

/** How a checkout is set up. */
export interface CheckoutOptions<Connection = unknown> {
  /** The store of everything: `sqliteCheckout`, `postgresCheckout`, or `memoryCheckout` in tests. */
  store: CheckoutStore<Connection>;
  /**
   * Hands over the goods. It is called after the money was recorded, and again until it has committed: use
   * `transaction`, so that it commits once. If it throws, the order stays `paid` and its effect `due`.
   */
  onPaid: (order: Order, context: PaidContext<Connection>) => unknown;
  /**
   * The client of the service, or its options. A `Gateway` must have been made with
   * `idempotency: store.idempotency`.
   *
   * @default a gateway with the environment variables `MALIPO_API_KEY` and `MALIPO_BASE_URL`. The
   * `totalTimeoutMs` of a gateway that the checkout makes is 15_000, since a customer waits.
   */
  gateway?: Gateway | Omit<GatewayOptions, "idempotency"> | undefined;
  /**
   * The secret that signs webhooks.
   *
   * @default the environment variable `MALIPO_WEBHOOK_SECRET`
   */
  secret?: WebhookReceiverOptions["secret"] | undefined;
  /** Called with each review as it begins. `reviews.list()` has it, too. */
  onReview?: ((review: Review) => unknown) | undefined;
  /**
   * Called with each change of an order that this process has written and that a merchant can see. Its
   * `line` is a line for a log: `onChange: ({ line }) => console.log(line)`. For metrics and traces:
   * `otelCheckout()` of `malipo/otel`.
   *
   * @default none
   */
  onChange?: ((change: OrderChange) => unknown) | undefined;
  /**
   * Functions that are called as the receiver takes a webhook, and as it processes an event that is not
   * of a payment, such as `otelWebhookHooks()`.
   *
   * @default none
   */
  hooks?: WebhookReceiverOptions["hooks"];
  /** @default `console.error`, with one line a minute for equal errors */
  onError?: ((error: unknown) => void) | undefined;
  /**
   * What every account reference begins with, and the only payments that are matched: at most 4
   * upper-case letters, digits and dashes. Set it if another shop, or anything else whose customers choose
   * their references, uses the merchant account: otherwise a payment of theirs pays the order of that name.
   * No prefix may be the beginning of another one.
   *
   * @default ""
   */
  prefix?: string | undefined;
  /**
   * How long after a customer's click a prompt may be sent, in milliseconds.
   *
   * @default 60_000
   */
  promptWithinMs?: number | undefined;
  /**
   * After how long a new payment is in the list of your service for certain, in milliseconds. An attempt
   * whose process died before it knew the response ends as `not_sent` if it is older than that and the
   * list has no payment like it; until then the order is `pending`. Set it lower if you know that your
   * service lists payments at once, so that such a customer may try again earlier. If it is too low, a
   * customer may be asked again whose first payment is still on its way, and pay twice: a review then
   * says `overpaid`.
   *
   * @default the environment variable `MALIPO_NOT_SENT_AFTER_MS`, which `malipo drill` sets for its sandbox; otherwise
   * 600_000 (10 minutes)
   */
  notSentAfterMs?: number | undefined;
  /**
   * How many prompts one phone gets in 10 minutes, over all orders. In a day, it gets at most twice as many that
   * nobody approves: a stranger's phone must not ring all night. Beyond it, `canPay` is `false`, and `message`
   * says when the phone can be asked again. Set it higher if you ask one phone for many customers.
   *
   * @default 3 (and 6 in a day)
   */
  phoneLimit?: number | undefined;
  /**
   * How many times the customer is asked for one order, also by strangers who know its address. Then `canPay` is
   * `false`. To allow more, cancel the order and make a new one: an order keeps its limit. What was never sent does not count.
   *
   * @default 3
   */
  attemptLimit?: number | undefined;
  /**
   * The currency of orders, which is that of your account at the service.
   *
   * @default "KES"
   */
  currency?: string | undefined;
}

/** An order that is to be paid. */
export interface NewOrder {
  /**
   * Your id. It names the order for ever, also in the idempotency keys of its attempts: if you delete the row
   * of an order whose customer was asked, its id cannot be used again.
   */
  id: string;
  /** The whole amount: a number with at most two decimals, or `"1500.00"`. */
  amount: number | string;
  /** Only that of the checkout: the service charges no other one. */
  currency?: string | undefined;
  /** What the customer sees beside the amount. */
  description?: string | undefined;
  /** The label of its payments, at most 12 characters. Default: one that is made from the id. */
  accountReference?: string | undefined;
  /** Your own data, such as what is bought. It is a part of the order, also of what a page gets, and never changes. */
  metadata?: Readonly<Record<string, unknown>> | undefined;
  /** When the order can no longer be paid. An attempt that is under way then may still end. */
  expiresAt?: Date | string | undefined;
}

/** An order, and the phone that is to be asked. */
export interface PayParams extends NewOrder {
  phone: string;
}

/** An order system that is paid once. See {@link createCheckout}. */
export interface Checkout extends ManagedOrders, PayPages {
  /**
   * The one call for "pay", for a double click, and for "pay again". Resolves with the order, whatever
   * becomes of the prompt.
   *
   * @param options - `after`: the number of the last attempt that the page showed, 0 for none. Two tabs
   * with one `after` make one attempt.
   * @throws {InvalidParamsError} for wrong parameters.
   * @throws {OrderConflictError} for another amount, currency, `metadata` or `accountReference` under a known id, and for the id of an order
   * that was deleted after its customer was asked.
   */
  pay(params: PayParams, options?: { after?: number | undefined }): Promise<Order>;
  /**
   * Makes an order without asking anyone.
   *
   * @param options - `transaction`: your own open transaction on the store's database. If it is rolled
   * back, nothing is left.
   */
  create(order: NewOrder, options?: { transaction?: unknown }): Promise<Order>;
  /** Resolves with the order as soon as nothing is under way, or after `waitMs` (60,000). */
  wait(
    id: string,
    options?: { waitMs?: number | undefined; signal?: AbortSignal | undefined },
  ): Promise<Order | undefined>;
  /** For `nodeHandler`, `fetchHandler`, Fastify and Lambda. `on` takes handlers of other events. */
  readonly receiver: WebhookReceiver;
  /**
   * The route for `followPayment` and `usePayment`.
   *
   * @param options - `order`: returns the id of the order that the page may see. Default: the query
   * parameter `order`, else the last part of the path.
   */
  statusHandler(options?: {
    order?: (request: Request) => string | undefined | Promise<string | undefined>;
  }): (request: Request) => Promise<Response>;
  /** Begins to do what is due. Any number of processes may do it on one store. */
  start(): Promise<void>;
  /** Ends that, and closes the store. */
  stop(options?: { timeoutMs?: number | undefined }): Promise<void>;
  /**
   * Compares the payments that the service lists for a time with the orders, and opens a review for each that
   * differs. It reads the whole list, so it takes seconds to minutes.
   *
   * @throws {ConfigurationError} for a wrong time.
   *
   * @example
   * ```ts
   * const { summary, isComplete } = await checkout.report({
   *   from: "2026-11-23T00:00:00+03:00",
   *   to: "2026-11-24T00:00:00+03:00",
   * });
   * ```
   */
  report(query: ReportQuery): Promise<BooksReport>;
  /** Does what is due now, and returns: for functions and cron. Resolves with how many orders there were. */
  reconcile(options?: { timeoutMs?: number | undefined }): Promise<{ processed: number }>;
}

const OPTIONS = [
  "store",
  "onPaid",
  "gateway",
  "secret",
  "onReview",
  "onChange",
  "hooks",
  "onError",
  "prefix",
  "promptWithinMs",
  "notSentAfterMs",
  "phoneLimit",
  "attemptLimit",
  "currency",
];

const STARTED_EVENT = "payment.initiated";
const PHONE_WITHIN_MS = 600_000;
/** How long `stop` waits for what is under way. It is safe to leave it. */
const STOP_MS = 10_000;
const MAX_ID = 200;
/** An order is written whole at each change. */
const MAX_METADATA = 50_000;
/** A customer waits. An attempt whose process dies is unknown only when its time is over. */
const TOTAL_TIMEOUT_MS = 15_000;

const invalid = (call: string, field: string, message: string) =>
  new InvalidParamsError(`${call}: \`${field}\` is invalid: ${message}. Nothing was sent.`, [
    { path: [field], message },
  ]);

function checkOrder(call: string, params: NewOrder, currency: string) {
  if (!isObject(params)) throw invalid(call, "order", "expected an object");
  const { id, description, metadata = {}, expiresAt } = params;
  const isId = typeof id === "string" && id !== "" && id.length <= MAX_ID && isStorable(id);
  if (!isId) throw invalid(call, "id", `expected a string of 1 to ${MAX_ID} characters`);
  const amount = amountText(params.amount);
  const isExact = amount !== undefined && Number(amount).toFixed(2) === amount;
  if (!isExact || Number(amount) <= 0) {
    throw invalid(call, "amount", "expected an amount above 0 with at most two decimals");
  }
  if (description !== undefined && typeof description !== "string") {
    throw invalid(call, "description", "expected a string");
  }
  if (!isObject(metadata)) throw invalid(call, "metadata", "expected an object");
  const isDate =
    expiresAt === undefined || typeof expiresAt === "string" || expiresAt instanceof Date;
  if (!isDate) throw invalid(call, "expiresAt", "expected a Date or a string");
  const expires = expiresAt === undefined ? undefined : new Date(expiresAt).getTime();
  if (Number.isNaN(expires)) throw invalid(call, "expiresAt", "expected a date");
  const code = String(params.currency ?? currency).toUpperCase();
  if (code !== currency) throw invalid(call, "currency", `expected ${currency}`);
  return {
    id,
    amount,
    currency,
    metadata: copyOf(call, metadata),
    ...(description !== undefined && { description }),
    ...(expires !== undefined && { expiresAt: expires }),
  };
}

function copyOf(call: string, metadata: object): Record<string, unknown> {
  let text: string | undefined;
  try {
    text = JSON.stringify(metadata);
  } catch {
    // The error of an object that contains itself says nothing more.
  }
  if (text === undefined || text.length > MAX_METADATA) {
    throw invalid(call, "metadata", `expected JSON of at most ${MAX_METADATA} characters`);
  }
  return JSON.parse(text);
}

/** A log that fails must not hide what became of a prompt. */
const harmless =
  (onError: (error: unknown) => unknown) =>
  (error: unknown): void => {
    // A function of the user may throw before it returns a promise.
    void (async () => onError(error))().catch(() => {});
  };

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
  const own = ownOptions(options, OPTIONS, "createCheckout");
  const { store, onPaid, onReview, onError = createErrorLog(), prefix = "", secret } = own;
  const {
    promptWithinMs = TIMES.promptWithinMs,
    phoneLimit = 3,
    attemptLimit = 3,
    currency = "KES",
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
  checkText("currency", currency, /^[A-Z]{3}$/, "a currency code such as KES");

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
  });
  let isReady = false;
  /** Before the first use, in a process that calls `start` or in one that does not. */
  const makeReady = async () => {
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
    ...(secret !== undefined && { secret }),
  });
  // The checkout takes them before they are in an inbox: none waits for a handler.
  for (const kind of EVENT_KINDS.filter(isReport)) inner.on(kind, () => {});
  // `pay` knows that it has asked. If nobody wants to hear of it again, it waits for no handler.
  let takesStarted = store.inbox === undefined;
  const dropStarted = () => {
    if (!takesStarted) inner.on(STARTED_EVENT, () => {});
    takesStarted = true;
  };
  const worker = new Worker(engine);

  const orders = manageOrders(engine, makeReady);
  const { get: read } = orders;
  /** The order as it is stored, or else a new one. @throws {OrderConflictError} */
  const find = async (
    call: string,
    params: NewOrder,
    salt: number,
    transaction?: unknown,
  ): Promise<Known> => {
    const order = checkOrder(call, params, currency);
    const { now, stored } = await store.read(order.id, transaction);
    if (stored === undefined) {
      const accountReference = referenceFor(call, params, prefix, salt);
      const made = newOrder(order, accountReference, attemptLimit, now);
      return { now, stored: { version: 0, order: made } };
    }
    const { id, amount, currency: code } = stored.order;
    const differs = differenceOf(params, stored.order);
    if (amount === order.amount && code === order.currency && differs === undefined)
      return { now, stored };
    const sum = `is of ${amount} ${code}, not of ${order.amount} ${order.currency}`;
    throw new OrderConflictError(
      `${call}: the order ${JSON.stringify(id)} ${differs === undefined ? sum : `has another \`${differs}\``}. Nothing was sent. Use a new id for another order.`,
      id,
    );
  };

  /** Does something with an order that is there or new, until no other process is faster. */
  const withOrder = async (
    call: string,
    params: NewOrder,
    work: (known: Known) => Promise<Changed>,
    transaction?: unknown,
  ): Promise<Order> => {
    for (let salt = 0; ; salt++) {
      const { notMade, known } = await work(await find(call, params, salt, transaction));
      if (notMade === undefined) return orderView(known.stored.order, known.now);
      const conflict = conflictOf(call, params, notMade);
      if (conflict !== undefined) throw conflict;
    }
  };

  const checkout: Checkout = {
    pay: async (params, { after } = {}) => {
      const elapsed = startClocks();
      const phone = normalizePhone((Object(params) as PayParams).phone);
      if (after !== undefined) checkWholeNumber("after", after, 0);
      await makeReady();
      const click = { phone, masked: maskedPhone(phone), after, elapsed };
      return withOrder("pay", params, (known) => engine.ask(known, click));
    },
    create: async (order, { transaction } = {}) => {
      await makeReady();
      const within = transaction === undefined ? undefined : { transaction };
      const make = async (known: Known): Promise<Changed> =>
        (await engine.change(known.stored.order.id, undefined, within, known)) as Changed;
      return withOrder("create", order, make, transaction);
    },
    ...orders,
    wait: (id, { waitMs = 60_000, signal } = {}) =>
      worker.wait(id, waitMs, signal, async () => {
        const order = await read(id);
        return { order, isOver: order?.status !== "pending" };
      }),
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
    statusHandler: ({ order = orderInUrl } = {}) => {
      const reference = async (request: Request) => {
        const id = await order(request);
        return id === undefined ? undefined : waitName(id, (await read(id))?.attempts.length ?? 0);
      };
      return statusHandler(waiter, { reference });
    },
    ...payPages({
      ...{ store, prefix },
      pay: (params, given) => checkout.pay(params, given),
      wait: (id, given) => checkout.wait(id, given),
      statusHandler: (given) => checkout.statusHandler(given),
      onError: harmless(onError),
    }),
    report: async (query) => {
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
  const waiter: PaymentWaiter = {
    payments: {
      waitFor: (name, { waitMs = 60_000, signal, onUpdate } = {}) => {
        const id = name.slice(name.indexOf("/") + 1);
        const look = async () => {
          const order = await read(id);
          const payment = progressOf(order);
          onUpdate?.(payment);
          return {
            order: payment,
            isOver: payment.status === "completed" || payment.status === "failed",
          };
        };
        return worker.wait(id, waitMs, signal, look).then((payment) => {
          if (payment.status === "completed" || payment.status === "failed") return payment;
          throw new PaymentPendingError("The order is not paid yet.", id, payment);
        });
      },
    },
  };
  engine.onChange = (id, isDue) => worker.note(id, isDue);
  return checkout;
}

/**
 * The name of what pages wait for together. It holds the number of attempts: pages that follow a new attempt must not
 * hear of the end of the one before.
 */
const waitName = (id: string, attempts: number): string => `${attempts}/${id}`;

/** A part of an address; `""` for a broken one. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

const orderInUrl = ({ url }: Request): string | undefined => {
  const { searchParams, pathname } = new URL(url);
  const last = pathname.split("/").filter(Boolean).at(-1);
  return searchParams.get("order") ?? (last === undefined ? undefined : decoded(last) || undefined);
};

/** What a page that follows an order learns, as the status of a payment. */
function progressOf(order: Order | undefined): Payment {
  if (order === undefined || order.status === "pending") return { status: "pending" };
  if (order.status === "paid") return { status: "completed" };
  const hasAsked = order.attempts.length > 0 || order.status !== "open" || !order.canPay;
  if (!hasAsked) return { status: "pending" };
  return { status: "failed", user_message: order.message, retry_possible: order.canPay };
}

function referenceFor(call: string, params: NewOrder, prefix: string, salt: number): string {
  const { id, accountReference } = params;
  if (accountReference === undefined) {
    return accountReferenceFor(salt === 0 ? id : `${id}#${salt}`, { prefix });
  }
  const isText =
    typeof accountReference === "string" &&
    accountReference.trim() !== "" &&
    isStorable(accountReference);
  if (isText && [...accountReference].length <= 12 && accountReference.startsWith(prefix)) {
    return accountReference;
  }
  const begins = prefix === "" ? "" : `, which begin with ${prefix}`;
  throw invalid(call, "accountReference", `expected 1 to 12 characters${begins}`);
}

/** What of a known order is given again and differs: with another item, it is another order. */
function differenceOf(given: NewOrder, stored: OrderState): string | undefined {
  const { metadata, accountReference = stored.accountReference } = given;
  if (labelOf(accountReference) !== labelOf(stored.accountReference)) return "accountReference";
  // As it was stored: without what JSON has no word for.
  const plain = (value: unknown) => canonicalJson(JSON.parse(JSON.stringify(value)));
  const isSame = metadata === undefined || plain(metadata) === plain(stored.metadata);
  return isSame ? undefined : "metadata";
}

/** Why an order can never be made; `undefined` if it may be tried again. */
function conflictOf(
  call: string,
  { id, accountReference }: NewOrder,
  why: Changed["notMade"],
): OrderConflictError | undefined {
  if (why === "deleted") {
    return new OrderConflictError(
      `${call}: an order ${JSON.stringify(id)} was deleted after its customer was asked. Nothing was sent. Use a new id for another order.`,
      id,
    );
  }
  if (why !== "label_taken" || accountReference === undefined) return undefined;
  return new OrderConflictError(
    `${call}: another order has the account reference ${JSON.stringify(accountReference)}. Nothing was sent.`,
    id,
  );
}

type Checked = ReturnType<typeof checkOrder>;

const newOrder = (
  order: Checked,
  accountReference: string,
  attemptLimit: number,
  now: number,
): OrderState => ({
  ...order,
  accountReference,
  attemptLimit,
  attempts: [],
  money: [],
  reviews: [],
  createdAt: now,
  updatedAt: now,
});
