import type { Gateway } from "../client/gateway.ts";
import type { GatewayOptions } from "../client/options.ts";
import type { CountryCode } from "../contract/countries.ts";
import type { WebhookReceiver, WebhookReceiverOptions } from "../webhooks/index.ts";
import type { BooksReport, ReportQuery } from "./books/day-books.ts";
import type { CheckoutEngine, CheckoutStore } from "./orders/checkout-store.ts";
import type { PaidContext } from "./orders/give-goods.ts";
import type { ManagedOrders } from "./orders/manage-orders.ts";
import type { NewOrder } from "./orders/new-order.ts";
import type { StatusRoute } from "./page/order-status-handler.ts";
import type { PayPages } from "./page/pay-page.ts";
import type { OrderChange } from "./rules/order-change.ts";
import type { CustomerOrder, Order, Review } from "./rules/order-types.ts";

/** How a checkout is set up. */
export interface CheckoutOptions<Connection = unknown> {
  /**
   * The engine that stores everything: `sqlite()`, `postgres()`, or `memory()` in tests. Close it after
   * `checkout.stop()`.
   */
  store: CheckoutStore<Connection> | CheckoutEngine<Connection>;
  /**
   * Hands over the goods. It is called after the money was recorded, and again until it has committed: use
   * `transaction`, so that it commits once. If it throws, the order stays `paid` and its effect `due`.
   */
  onPaid: (order: Order, context: PaidContext<Connection>) => unknown;
  /**
   * The client of the service, or its options. A `Gateway` must have been made with the same engine as
   * `idempotency`.
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
  /**
   * Called with everything that fails in the background. An error of `onPaid` is the `cause` of one that
   * names the order. If the service rejects a payment request for a cause that no customer can correct, such as a
   * wrong key, it is called once a minute for that cause.
   *
   * @default `console.error`, with one line a minute for equal errors
   */
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
   * @default the environment variable `MALIPO_NOT_SENT_AFTER_MS`, for a deployment whose service lists payments at
   * once, such as a sandbox; otherwise 600_000 (10 minutes)
   */
  notSentAfterMs?: number | undefined;
  /**
   * How many prompts one phone gets in 10 minutes, over all orders. In a day, it gets at most twice as many that
   * are not approved: a stranger's phone must not ring all night. Beyond it, `canPay` is `false`, and `message`
   * says when the phone can be asked again. Set it higher if you ask one phone for many customers.
   *
   * @default 3 (and 6 in a day)
   */
  phoneLimit?: number | undefined;
  /**
   * How many times the customer is asked for one order, also by strangers who know its address. Then `canPay` is
   * `false`. To allow more, cancel the order and make a new one: an order keeps its limit. What was never sent does not count, up to
   * ten times as many attempts of any kind: then the customer is to contact you.
   *
   * @default 3
   */
  attemptLimit?: number | undefined;
  /**
   * What becomes of a payment that a customer sends by hand, with the account reference of an order, and that is not
   * what is left to pay. `"count"`: it counts, and `pay` asks for the rest. `"review"`: a person decides. Set it if
   * a person must look at each part. Neither keeps the customer from paying the order. An order keeps the choice.
   *
   * @default "count"
   */
  partPayments?: "count" | "review" | undefined;
  /**
   * The names of the metadata that customers may see: `["item"]`. Set it if a page shows your own data. What `pay`,
   * `get` and `wait` return has no other metadata; `inspect`, `list` and `onPaid` have all.
   *
   * @default none
   */
  publicMetadata?: readonly string[] | undefined;
  /**
   * The currency of orders, which is that of your account at the service.
   *
   * @default "KES"
   */
  currency?: string | undefined;
  /**
   * How many orders this process polls for `wait`, status routes and pay pages at a time. All that wait for one
   * order share one poll. Beyond it, they get the order as it is, at once, and pages ask again after some seconds.
   * Set it higher if more customers pay at a time.
   *
   * @default 1_000
   */
  maxWaits?: number | undefined;
  /**
   * The country of your customers (ISO 3166-1): `"SN"`. A number without its country code is one of this country, on
   * every page and in every search, and a number of another country is rejected with `invalid_params`. Set it if the
   * currency does not say it, such as XOF, XAF and USD.
   *
   * @default the country of `currency`, if only one has it: `"KE"` for KES, `"UG"` for UGX
   */
  country?: CountryCode | undefined;
  /**
   * Further countries whose phones are asked, by numbers with their country code: `["UG", "TZ"]`. Set it if you sell
   * across a border and your account may charge those phones.
   *
   * @default none
   */
  countries?: readonly CountryCode[] | undefined;
}

/** An order, and the phone that is to be asked. */
export interface PayParams extends NewOrder {
  phone: string;
}

/** An order system that is paid once. See {@link createCheckout}. */
export interface Checkout extends ManagedOrders, StatusRoute, PayPages {
  /** The client of the service that it uses, for other calls. Its idempotency keys are in the store. */
  readonly gateway: Gateway;
  /** The country of numbers without their code; `undefined` if each number must have it. */
  readonly country: CountryCode | undefined;
  /**
   * The one call for "pay", for a double click, and for "pay again". Resolves with the order, as its customer may see
   * it, whatever becomes of the prompt.
   *
   * @param options - `after`: the number of the last attempt that the page showed, 0 for none; also as text,
   * as a form sends it. Two tabs with one `after` make one attempt. Without it, each call after a failure
   * makes a new one.
   * @throws {InvalidParamsError} for wrong parameters.
   * @throws {OrderConflictError} for another amount, currency, `metadata` or `accountReference` under a known id, and for the id of an order
   * that was deleted after its customer was asked.
   */
  pay(params: PayParams, options?: { after?: number | string | undefined }): Promise<CustomerOrder>;
  /**
   * Makes an order without asking anyone.
   *
   * @param options - `transaction`: your own open transaction on the store's database: a client, or of a library
   * what you give to `transact`, such as `ofPrisma(tx)`. If it is rolled back, nothing is left.
   */
  create(order: NewOrder, options?: { transaction?: unknown }): Promise<CustomerOrder>;
  /**
   * Resolves with the order as soon as nothing is under way, or after `waitMs` (60,000). Beyond `maxWaits`, it
   * resolves at once, with the order as it is. It polls the store, once for all that wait for one order.
   */
  wait(
    id: string,
    options?: { waitMs?: number | undefined; signal?: AbortSignal | undefined },
  ): Promise<CustomerOrder | undefined>;
  /** For `nodeHandler`, `fetchHandler`, Fastify and Lambda. `on` takes handlers of other events. */
  readonly receiver: WebhookReceiver;
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
