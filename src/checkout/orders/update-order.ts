// An order that grows or shrinks, until it is paid.
import { OrderBusyError, OrderConflictError } from "../../errors/order.ts";
import { isObject } from "../../internal/is-object.ts";
import { busyUntil } from "../rules/changes.ts";
import { type OrderState, statusOf } from "../rules/order-state.ts";
import type { CustomerOrder } from "../rules/order-types.ts";
import { customerView } from "../rules/view.ts";
import {
  checkAmount,
  checkDescription,
  checkMetadata,
  invalid,
  type NewOrder,
} from "./new-order.ts";
import type { OrderWriter } from "./write-order.ts";

/** What of an order changes. What is left out stays. */
export type OrderUpdate = Pick<Partial<NewOrder>, "amount" | "description" | "metadata">;

const CALL = "update";
const FIELDS = ["amount", "description", "metadata"];

/** @throws {InvalidParamsError} */
function checkUpdate(changes: OrderUpdate, currency: string) {
  if (!isObject(changes)) throw invalid(CALL, "changes", "expected an object");
  const other = Object.keys(changes).find((name) => !FIELDS.includes(name));
  if (other !== undefined) throw invalid(CALL, other, `only ${FIELDS.join(", ")} can change`);
  const { amount, metadata } = changes;
  const description = checkDescription(CALL, changes.description);
  return {
    kind: "updated",
    ...(amount !== undefined && { amount: checkAmount(CALL, amount, currency) }),
    ...(description !== undefined && { description }),
    ...(metadata !== undefined && { metadata: checkMetadata(CALL, metadata) }),
  } as const;
}

/** Why an order cannot change. */
function rejectionFor(order: OrderState, until: Date): Error {
  const { id } = order;
  const status = statusOf(order);
  const which = `${CALL}: the order ${JSON.stringify(id)}`;
  if (status !== "pending") {
    const message = `${which} is ${status}. Nothing was changed. Make an order with a new id for more.`;
    return new OrderConflictError(message, id);
  }
  return new OrderBusyError(
    `${which} cannot change while a phone is asked to pay it, which ends by ${until.toISOString()} at the latest, as far as is known. Nothing was changed. Try again when checkout.wait(id) shows that its status is not "pending".`,
    ...([id, until] as const),
  );
}

/**
 * Changes an order that is not paid.
 *
 * @param transaction - That of the merchant. If it is rolled back, nothing has changed.
 */
export async function updateOrder(
  writer: OrderWriter,
  id: string,
  changes: OrderUpdate,
  {
    currency,
    transaction,
    publicMetadata,
  }: {
    readonly currency: string;
    readonly transaction: unknown;
    readonly publicMetadata: readonly string[];
  },
): Promise<CustomerOrder | undefined> {
  const input = checkUpdate(changes, currency);
  const within = transaction === undefined ? undefined : { transaction };
  const written = await writer.write(id, input, within);
  if (written === undefined) return undefined;
  const { now, stored } = written.known;
  if (!written.isRefused) return customerView(stored.order, now, publicMetadata);
  const until = new Date(busyUntil(stored.order, { now, times: writer.settings.times }));
  throw rejectionFor(stored.order, until);
}
