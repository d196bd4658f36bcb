import { type CountryCode, countryCodes } from "../../contract/countries.ts";
import {
  checkChoice,
  checkOptions,
  type OptionRows,
  optional,
} from "../../internal/check-options.ts";
import { cutPage, PAGE_OPTIONS, type Position } from "../../internal/page-cursor.ts";
import { DAY_MS } from "../../internal/units.ts";
import { internationalDigits } from "../../phones/phone-number.ts";
import { historyOf, type OrderEvent } from "../rules/history.ts";
import type { OrderState } from "../rules/order-state.ts";
import {
  CANCEL_REASONS,
  type CancelReason,
  type CustomerOrder,
  ORDER_STATUSES,
  type Order,
  type OrderStatus,
} from "../rules/order-types.ts";
import { isOfMerchant } from "../rules/rejections.ts";
import { customerView, orderView } from "../rules/view.ts";
import type { CheckoutStore } from "./checkout-store.ts";
import { type ManagedRefunds, manageRefunds } from "./manage-refunds.ts";
import { type ManagedReviews, manageReviews } from "./manage-reviews.ts";
import { labelsLike } from "./typed-label.ts";
import { type OrderUpdate, updateOrder } from "./update-order.ts";
import type { OrderWriter } from "./write-order.ts";

/** Which orders `list` returns. */
export interface OrderQuery {
  status?: OrderStatus | undefined;
  /** Only orders with an open review. */
  review?: boolean | undefined;
  /** Only paid orders whose goods were not given yet: their `effect` is `due`. A page may be shorter. */
  goodsDue?: boolean | undefined;
  /** @default 100 */
  limit?: number | undefined;
  /** `next` of the page before. */
  after?: string | undefined;
}

const QUERY = {
  status: (status) => optional(status, (given) => checkChoice("status", given, ORDER_STATUSES)),
  review: (isOpen = false) => isOpen,
  goodsDue: (isDue = false) => isDue,
  ...PAGE_OPTIONS,
} satisfies OptionRows<OrderQuery>;

const CANCEL = {
  reason: (reason) => optional(reason, (one) => checkChoice("reason", one, CANCEL_REASONS)),
} satisfies OptionRows<{ reason?: CancelReason | undefined }>;

/** An order whose request the service rejected, for a cause that the merchant must correct. */
export interface RejectedOrder {
  readonly orderId: string;
  /** Why the service rejected the request of the last attempt. For the merchant only. */
  readonly reason: string;
  /** When: ISO 8601. */
  readonly at: string;
}

/** What a merchant does with the orders of a store. Nothing of it asks the service. */
export interface ManagedOrders {
  /** Reads an order from the store, as its customer may see it: send it to his page. `undefined` if there is none. */
  get(id: string): Promise<CustomerOrder | undefined>;
  /** Reads an order with everything, for your staff: reviews, refunds with names and reasons, all metadata. */
  inspect(id: string): Promise<Order | undefined>;
  /** Reads orders from the store, the oldest first. */
  list(query?: OrderQuery): Promise<{ items: Order[]; next: string | undefined }>;
  /**
   * Finds orders by an id, the reference of a payment, an account reference or a phone number, at most 100.
   */
  find(text: string): Promise<Order[]>;
  /**
   * What happened to an order, the oldest first: clicks, prompts, webhooks, reads, goods, decisions. It is for
   * the merchant only. Empty if the order does not exist.
   */
  history(id: string): Promise<OrderEvent[]>;
  /**
   * Changes what an order is for, until it is paid: `pay` then asks for what is left. An amount that is not more than
   * what has come pays the order, and what came beyond it is a review. `undefined` if the order does not exist.
   *
   * @param options - `transaction`: your own open transaction on the store's database: a client, or of a library
   * what you give to `transact`, such as `ofPrisma(tx)`. If it is rolled back, nothing has changed.
   * @throws {InvalidParamsError} for wrong changes.
   * @throws {OrderBusyError} while a phone is asked to pay it.
   * @throws {OrderConflictError} if it is paid, canceled or expired, and not yet as `changes` say.
   */
  update(
    id: string,
    changes: OrderUpdate,
    options?: { transaction?: unknown },
  ): Promise<CustomerOrder | undefined>;
  /**
   * Ends an order that is not paid: no further attempt. Money that comes later is the review `refund_due`.
   *
   * @param options - `reason`: `"paid_elsewhere"` if the customer has paid in another way: no money is accepted for the
   * order then. Default: `"canceled"`.
   */
  cancel(
    id: string,
    options?: { reason?: CancelReason | undefined },
  ): Promise<CustomerOrder | undefined>;
  /** The log of the operator's page in the store: who decided what, and when. Lines are only added. */
  readonly decisions: {
    /** Adds a line at the end. */
    append(line: object): Promise<void>;
    /** The last 5,000 lines, in the order in which they were added. */
    read(): Promise<readonly object[]>;
  };
  /**
   * Orders of the last day whose last request the service rejected for a cause that no customer can correct, such as a
   * wrong key or an amount above its limit. The oldest order first, at most 1,000.
   */
  rejections(): Promise<RejectedOrder[]>;
  readonly reviews: ManagedReviews;
  readonly refunds: ManagedRefunds;
}

/**
 * The orders of a store, for a merchant.
 *
 * @param open - Makes the store ready, before its first use.
 * @param shop - `country`: that of numbers without their code; without it, such a number is searched in all countries.
 * `currency`: that of amounts. `publicMetadata`: the metadata that customers may see.
 */
export function manageOrders(
  writer: OrderWriter,
  open: () => Promise<void> = async () => {},
  {
    country,
    currency = "KES",
    publicMetadata = [],
  }: {
    country?: CountryCode | undefined;
    currency?: string;
    publicMetadata?: readonly string[];
  } = {},
): ManagedOrders {
  const { store } = writer.settings;
  const opened =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      await open();
      return work(...given);
    };
  const inspect = async (id: string): Promise<Order | undefined> => {
    const { now, stored } = await store.read(id);
    return stored && orderView(stored.order, now);
  };
  const get = async (id: string): Promise<CustomerOrder | undefined> => {
    const { now, stored } = await store.read(id);
    return stored && customerView(stored.order, now, publicMetadata);
  };
  const list: ManagedOrders["list"] = async (query = {}) => {
    const { goodsDue, ...asked } = checkOptions(query, QUERY, "list");
    const { now } = await store.read("");
    const found = await store.list({ ...asked, isDue: goodsDue });
    const positionOf = ({ createdAt, id }: OrderState) => ({ at: createdAt, id });
    const { items, next } = cutPage(found, asked.limit, positionOf);
    const isAsked = ({ effect }: OrderState) => !goodsDue || effect?.state === "due";
    return { items: items.filter(isAsked).map((one) => orderView(one, now)), next };
  };
  const reviews = manageReviews(writer, list);
  const refunds = manageRefunds(writer);
  return {
    get: opened(get),
    inspect: opened(inspect),
    list: opened(list),
    find: opened((text: string) => findOrders(store, text, country)),
    history: opened(async (id: string) => {
      const { stored } = await store.read(id);
      return stored === undefined ? [] : historyOf(stored.order);
    }),
    update: opened(
      (id: string, changes: OrderUpdate, { transaction }: { transaction?: unknown } = {}) =>
        updateOrder(writer, id, changes, { currency, transaction, publicMetadata }),
    ),
    cancel: opened(async (id: string, given: { reason?: CancelReason | undefined } = {}) => {
      const { reason } = checkOptions(given, CANCEL, "cancel");
      await writer.write(id, { kind: "canceled", reason });
      return get(id);
    }),
    rejections: opened(() => rejectedOrders(store)),
    decisions: {
      append: opened((line: object) => store.addDecision(line)),
      read: opened(() => store.decisions(MAX_DECISIONS)),
    },
    reviews: {
      list: opened(reviews.list),
      resolve: opened(reviews.resolve),
      ended: opened(reviews.ended),
      decided: opened(reviews.decided),
    },
    refunds: { add: opened(refunds.add), list: opened(refunds.list) },
  };
}

const MAX_FOUND = 100;
const MAX_DECISIONS = 5_000;

/** The orders that a text names: by an id, a label, the reference of a payment, or a phone. */
async function findOrders(
  store: CheckoutStore,
  text: string,
  country: CountryCode | undefined,
): Promise<Order[]> {
  const { now, stored } = await store.read(text);
  const bound = await store.orderOf({ reference: text, label: text });
  const other = bound === undefined ? undefined : (await store.read(bound)).stored;
  // A label as a person types it: `order 42` for `ORDER-42`.
  const like = stored === undefined && other === undefined ? labelsLike(text, "") : [];
  const near = like.length === 0 ? [] : await store.labelled(like);
  const typed = await Promise.all(near.map(async ({ id }) => (await store.read(id)).stored));
  const named = [stored, other, ...typed].flatMap((one) => (one === undefined ? [] : one.order));
  const countries = country === undefined ? countryCodes() : [country];
  const phones = new Set(countries.flatMap((one) => internationalDigits(text, one) ?? []));
  const asked: OrderState[] = [];
  for (const phone of phones) {
    asked.push(...(await store.byPhone(store.idempotency.digest(phone), MAX_FOUND)));
  }
  const found = new Map([...named, ...asked].map((one) => [one.id, orderView(one, now)]));
  return [...found.values()].slice(0, MAX_FOUND);
}

const PAGE = 1_000;
/** How many orders are read for a list of rejections. */
const MAX_READ = 10_000;
const MAX_REJECTIONS = 1_000;

/** The orders of the last day whose last request was rejected for a cause of the merchant. */
async function rejectedOrders(store: CheckoutStore): Promise<RejectedOrder[]> {
  const { now } = await store.read("");
  const found: RejectedOrder[] = [];
  let after: Position | undefined = { at: now - DAY_MS, id: "" };
  for (let read = 0; after !== undefined && read < MAX_READ; read += PAGE) {
    const page: OrderState[] = await store.list({
      ...{ status: "open", review: false, limit: PAGE, after },
    });
    found.push(...page.slice(0, PAGE).flatMap((one) => rejectedOrder(one) ?? []));
    const last: OrderState | undefined = page.length > PAGE ? page[PAGE - 1] : undefined;
    after = last && { at: last.createdAt, id: last.id };
  }
  return found.slice(0, MAX_REJECTIONS);
}

/** The rejection of the last attempt of an order, if the merchant must do something about it. */
function rejectedOrder({ id, attempts }: OrderState): RejectedOrder | undefined {
  const { status, about, reason = "", askedAt, endedAt = askedAt } = attempts.at(-1) ?? {};
  if (status !== "not_sent" || !isOfMerchant(about) || endedAt === undefined) return undefined;
  return { orderId: id, reason, at: new Date(endedAt).toISOString() };
}
