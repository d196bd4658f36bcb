import { OrderConflictError } from "../../errors/order.ts";
import type { CustomerOrder } from "../rules/order-types.ts";
import { customerView } from "../rules/view.ts";
import {
  checkOrder,
  conflictOf,
  differenceOf,
  type NewOrder,
  newOrder,
  referenceFor,
} from "./new-order.ts";
import { centsHint } from "./order-amount.ts";
import type { KnownOrder, OrderWriter, WrittenOrder } from "./write-order.ts";

/** What orders are made with. */
export interface MakerSettings {
  readonly prefix: string;
  readonly currency: string;
  readonly attemptLimit: number;
  readonly partPayments: "count" | "review";
  readonly publicMetadata: readonly string[];
}

/** Makes orders, and finds those that were made before. */
export class OrderMaker {
  readonly #writer: OrderWriter;
  readonly #settings: MakerSettings;

  constructor(writer: OrderWriter, settings: MakerSettings) {
    this.#writer = writer;
    this.#settings = settings;
  }

  /** Makes an order, which no customer is asked to pay yet. @throws {OrderConflictError} */
  create(params: NewOrder, transaction?: unknown): Promise<CustomerOrder> {
    const within = transaction === undefined ? undefined : { transaction };
    const make = async (known: KnownOrder): Promise<WrittenOrder> =>
      (await this.#writer.write(known.stored.order.id, undefined, within, known)) as WrittenOrder;
    return this.withOrder("create", params, make, transaction);
  }

  /** Does something with an order that is there or new, until no other process is faster. */
  async withOrder(
    call: string,
    params: NewOrder,
    work: (known: KnownOrder) => Promise<WrittenOrder>,
    transaction?: unknown,
  ): Promise<CustomerOrder> {
    for (let salt = 0; ; salt++) {
      const { notMade, known } = await work(await this.#find(call, params, salt, transaction));
      if (notMade === undefined) {
        return customerView(known.stored.order, known.now, this.#settings.publicMetadata);
      }
      const conflict = conflictOf(call, params, notMade);
      if (conflict !== undefined) throw conflict;
    }
  }

  /** The order as it is stored, or else a new one. @throws {OrderConflictError} */
  async #find(
    call: string,
    params: NewOrder,
    salt: number,
    transaction: unknown,
  ): Promise<KnownOrder> {
    const { prefix, currency } = this.#settings;
    const order = checkOrder(call, params, currency);
    const isMadeSince = transaction !== undefined && salt > 0;
    const { now, stored } = await this.#writer.settings.store.read(
      order.id,
      transaction,
      isMadeSince,
    );
    if (stored === undefined) {
      const accountReference = referenceFor(call, params, prefix, salt);
      const made = newOrder(order, accountReference, this.#settings, now);
      return { now, stored: { version: 0, order: made } };
    }
    const { id, amount, currency: code } = stored.order;
    const differs = differenceOf(params, stored.order);
    if (amount === order.amount && code === order.currency && differs === undefined)
      return { now, stored };
    const hint = centsHint(amount, order.amount, code);
    const sum = `is of ${amount} ${code}, not of ${order.amount} ${order.currency}.${hint}`;
    const what = differs === undefined ? sum : `has another \`${differs}\`.`;
    // An update changes neither of these two.
    const todo =
      differs === "accountReference" || code !== order.currency
        ? ""
        : " If this order has changed, call checkout.update(id, { ... }) before.";
    throw new OrderConflictError(
      `${call}: the order ${JSON.stringify(id)} ${what} Nothing was sent. Use a new id for another order.${todo}`,
      id,
    );
  }
}
