import { ConfigurationError, InvalidParamsError } from "../../errors/configuration.ts";
import { OrderConflictError } from "../../errors/order.ts";
import { isObject } from "../../internal/is-object.ts";
import { isStorable } from "../../internal/storable-text.ts";
import { amountText } from "../rules/amounts.ts";
import { refundText } from "../rules/history.ts";
import type { OrderState, RefundState } from "../rules/order-state.ts";
import type { Order, Refund } from "../rules/order-types.ts";
import { knownRefund, leftOf, refundsOf } from "../rules/refunds.ts";
import { orderView, refundView } from "../rules/view.ts";
import { linesOf } from "./decision-lines.ts";
import type { OrderWriter } from "./write-order.ts";

/** Money that was paid back. */
export interface NewRefund {
  /** In the currency of the order: a number with at most two decimals, or `"500.00"`. */
  amount: number | string;
  /**
   * Your reference of it, or the network's. A call with one that is known changes nothing: pass it, so that a second
   * click is no second refund.
   */
  reference?: string | undefined;
  /** Why, for your staff. */
  reason?: string | undefined;
  /** Who has paid it back. */
  by: string;
}

/** What a merchant has paid back. The service has no refund: this notes it, and moves no money. */
export interface ManagedRefunds {
  /**
   * Notes that money of an order was paid back, all of it or a part. If all was, goods that are due are not given any
   * more, and the reviews of the money end. A review that is decided as `refunded` notes its refund itself.
   *
   * @throws {InvalidParamsError} for a wrong parameter, and for more than came and was not paid back.
   * @throws {OrderConflictError} if the order has a refund with this reference and another amount.
   * @throws {ConfigurationError} if the order does not exist.
   */
  add(
    id: string,
    refund: NewRefund,
    options?: {
      /** @internal What the log of decisions gets instead of lines of its own. */
      line?: object | undefined;
    },
  ): Promise<Order>;
  /** What was paid back of an order, the first refund first. For your staff: it says who did it, and why. */
  list(id: string): Promise<Refund[]>;
}

const MAX_TEXT = 500;
const MAX_REFERENCE = 250;

export const invalid = (field: string, message: string, method = "refunds.add") =>
  new InvalidParamsError(`${method}: \`${field}\` is invalid: ${message}. Nothing was changed.`, [
    { path: [field], message },
  ]);

function textIn(
  field: string,
  value: unknown,
  maxLength: number,
  method?: string,
): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === "string" ? value.trim() : "";
  if (text !== "" && text.length <= maxLength && isStorable(text)) return text;
  throw invalid(field, `expected a string of 1 to ${maxLength} characters`, method);
}

/** What a person says beside an amount. @throws {InvalidParamsError} */
export const checkSaid = (
  { reference, reason }: { reference?: unknown; reason?: unknown },
  method?: string,
) => ({
  reference: textIn("reference", reference, MAX_REFERENCE, method),
  reason: textIn("reason", reason, MAX_TEXT, method),
});

/** A refund as it is noted. @throws {InvalidParamsError} */
export function checkRefund(refund: NewRefund) {
  if (!isObject(refund)) throw invalid("refund", "expected an object");
  const amount = amountText(refund.amount);
  const isExact = amount !== undefined && Number(amount).toFixed(2) === amount;
  if (!isExact || Number(amount) <= 0) {
    throw invalid("amount", "expected an amount above 0 with at most two decimals");
  }
  const by = textIn("by", refund.by, MAX_TEXT);
  if (by === undefined) throw invalid("by", "expected the name of the person who paid it back");
  return { amount, ...checkSaid(refund), by };
}

const noOrder = (id: string) =>
  new ConfigurationError(`There is no order ${JSON.stringify(id)}, so no refund was noted.`);

export function manageRefunds(writer: OrderWriter): ManagedRefunds {
  const { store } = writer.settings;
  const read = async (id: string) => {
    const { now, stored } = await store.read(id);
    if (stored === undefined) throw noOrder(id);
    return { now, order: stored.order };
  };
  return {
    add: async (id, refund, { line: own } = {}) => {
      const checked = checkRefund(refund);
      const { currency } = (await read(id)).order;
      const line = { by: checked.by, text: refundText(checked, currency), about: id, orderId: id };
      const lines = own === undefined ? linesOf(line) : [own];
      const input = { kind: "refund_added", ...checked, lines } as const;
      const changed = await writer.write(id, input);
      if (changed === undefined) throw noOrder(id);
      if (changed.isRefused) throw rejectionOf(changed.known.stored.order, checked);
      const { now, order } = await read(id);
      return orderView(order, now);
    },
    list: async (id) => refundsOf((await read(id)).order).map(refundView),
  };
}

/** The reference of a refund names another one. */
export const refundConflict = (
  { id }: OrderState,
  { reference, amount, currency }: RefundState,
  asked?: string,
) =>
  new OrderConflictError(
    `The order ${JSON.stringify(id)} has a refund ${JSON.stringify(reference)} of ${amount} ${currency}${asked === undefined ? ", which is not that of this review" : `, not of ${asked}`}. Nothing was changed. Pass another \`reference\` for another refund.`,
    id,
  );

/** Why a refund is not noted. */
function rejectionOf(order: OrderState, refund: ReturnType<typeof checkRefund>): Error {
  const { id, currency } = order;
  const { amount, reference } = refund;
  const known = knownRefund(order, reference);
  if (known !== undefined) return refundConflict(order, known, amount);
  const named = JSON.stringify(id);
  const left = leftOf(order, currency);
  return invalid(
    "amount",
    `${amount} ${currency} is more than the ${left} ${currency} that came for the order ${named} and was not paid back`,
  );
}
