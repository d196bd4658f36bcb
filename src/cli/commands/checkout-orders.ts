import type { CheckoutStore } from "../../checkout/orders/checkout-store.ts";
import { type ManagedOrders, manageOrders } from "../../checkout/orders/manage-orders.ts";
import { OrderWriter } from "../../checkout/orders/write-order.ts";
import { TIMES } from "../../checkout/rules/inputs.ts";
import type {
  CancelReason,
  Order,
  Review,
  ReviewDecision,
} from "../../checkout/rules/order-types.ts";
import { isGatewayError } from "../../errors/any.ts";
import { describeError } from "../../internal/describe-error.ts";
import type { FlagsOf } from "../../internal/flags.ts";
import { CliError, usageError } from "../cli-error.ts";
import type { Input, Output } from "../command.ts";
import type {
  CHECKOUT_CANCEL,
  CHECKOUT_LIST,
  CHECKOUT_REFUND,
  CHECKOUT_RESOLVE,
  CHECKOUT_STORE,
} from "../flags/stores.ts";
import { SQL_ADDRESSES, storeAddress } from "../input/databases.ts";
import { readEnvFile } from "../input/env-file.ts";
import { readWholeNumber, requireValue } from "../input/flag-values.ts";
import { openEngine } from "../input/open-engine.ts";
import { confirm } from "../terminal/confirm.ts";
import { paint, printError } from "../terminal/output.ts";
import { formatFields, formatTable, type Screen } from "../terminal/table.ts";
import { relativeTime, wholeTime } from "../terminal/times.ts";

type StoreFlags = FlagsOf<typeof CHECKOUT_STORE>;

/** Opens the checkout that `--store` names. */
async function openStore(input: Input<StoreFlags>): Promise<CheckoutStore> {
  if (storeAddress(input, SQL_ADDRESSES).engine === "redis") {
    throw usageError(`--store of a checkout must start with ${SQL_ADDRESSES}.`);
  }
  const { engine, close } = await openEngine(input, "checkout", { engines: SQL_ADDRESSES });
  return { ...(engine.checkout?.() as CheckoutStore), close };
}

/** A command about the orders that `--store` names. It asks no customer for money, and hands over no goods. */
export const onOrders =
  <Flags extends StoreFlags>(
    work: (orders: ManagedOrders, input: Input<Flags>, writer: OrderWriter) => Promise<Output>,
  ) =>
  async (input: Input<Flags>): Promise<Output> => {
    try {
      readEnvFile(input);
      const store = await openStore(input);
      try {
        const onError = (error: unknown) => printError(input.io, describeError(error));
        // No attempt begins here, so no limit of a phone is ever reached.
        const limits = { prompts: 1, withinMs: 1, openMs: 1 };
        const writer = new OrderWriter({
          store,
          times: TIMES,
          limits,
          onReview: () => {},
          onError,
        });
        return await work(manageOrders(writer), input, writer);
      } finally {
        await store.close();
      }
    } catch (error) {
      if (error instanceof CliError || isGatewayError(error)) throw error;
      // What an engine that cannot be reached rejects with.
      const message = `The store of the checkout failed: ${describeError(error)}`;
      throw new CliError("unreachable", message, { cause: error });
    }
  };

const MAX_LIMIT = 1_000;

/** `malipo checkout list` */
export const list = onOrders(
  async (orders, { flags, io: { stdout } }: Input<FlagsOf<typeof CHECKOUT_LIST>>) => {
    const limit = readWholeNumber(flags, "limit", 1, MAX_LIMIT);
    const { status, review, after } = flags;
    const query = { status, review, limit, after };
    const { items, next } = await orders.list(query);
    // Payments that belong to no order are a separate table.
    const reviews = query.review ? await orders.reviews.list() : [];
    const unmatched = reviews.filter(({ orderId }) => orderId === undefined);
    const text = () => {
      if (items.length === 0 && unmatched.length === 0) return "No orders.";
      const tables = [
        ...(items.length > 0 ? [formatOrders(items, stdout)] : []),
        ...(reviews.length > 0 ? [formatReviews(reviews, stdout)] : []),
      ];
      const more = next === undefined ? [] : [paint("dim", `More orders: --after ${next}`)];
      return [tables.join("\n\n"), ...more].join("\n");
    };
    return { value: { items, ...(query.review && { reviews }), next }, text };
  },
);

const ORDER_HEAD = ["order", "received", "of", "status", "goods", "attempts", "reviews", "changed"];

function formatOrders(items: readonly Order[], screen: Screen): string {
  const rows = items.map((one) => [
    one.id,
    one.received,
    `${one.amount} ${one.currency}`,
    one.status,
    one.effect,
    one.attempts.map(({ status }) => status).join(", "),
    one.reviews.map(({ kind }) => kind).join(", "),
    relativeTime(one.updatedAt),
  ]);
  return formatTable(screen, [ORDER_HEAD, ...rows]);
}

const REVIEW_HEAD = ["review", "payments", "came", "what to decide"];

const formatReviews = (reviews: readonly Review[], screen: Screen): string =>
  formatTable(screen, [
    REVIEW_HEAD,
    ...reviews.map(({ id, references, amount = "", currency = "", message }) => [
      id,
      references.join(", "),
      `${amount} ${currency}`.trim(),
      message,
    ]),
  ]);

const PAYMENT_HEAD = ["payment", "came", "network code", ""];

const formatPayments = (payments: Order["payments"], screen: Screen): string =>
  formatTable(screen, [
    PAYMENT_HEAD,
    ...payments.map(({ reference, amount, currency, transactionId = "", isRefunded }) => [
      reference,
      `${amount} ${currency}`.trim(),
      transactionId,
      isRefunded ? "paid back" : "",
    ]),
  ]);

const REFUND_HEAD = ["paid back", "refund", "when", "by", "why"];

const formatRefunds = (refunds: Order["refunds"], screen: Screen): string =>
  formatTable(screen, [
    REFUND_HEAD,
    ...refunds.map(({ amount, currency, reference = "", at, by = "", reason = "" }) => [
      `${amount} ${currency}`.trim(),
      reference,
      wholeTime(at),
      by,
      reason,
    ]),
  ]);

const ATTEMPT_HEAD = ["attempt", "status", "phone", "payment", "message"];

export function formatOrder(order: Order, screen: Screen): string {
  const { attempts, payments, reviews, id, accountReference, effect } = order;
  const { received, amount, currency, due } = order;
  const fields = formatFields([
    ["order", id],
    ["received", `${received} of ${amount} ${currency}`],
    ["left to pay", `${due} ${currency}`],
    ["status", order.status],
    ["goods", effect],
    ["why they are due", order.effectError],
    ["may be paid now", order.canPay ? "yes" : "no"],
    ["message", order.message],
    ["account reference", accountReference],
    ["made", wholeTime(order.createdAt)],
    ["paid", order.paidAt && wholeTime(order.paidAt)],
    ["changed", wholeTime(order.updatedAt)],
  ]);
  const rows = attempts.map((one) => [
    String(one.number),
    one.status,
    one.phone,
    one.reference ?? "",
    one.reason ?? one.message ?? "",
  ]);
  return [
    fields,
    ...(rows.length > 0 ? [formatTable(screen, [ATTEMPT_HEAD, ...rows])] : []),
    ...(payments.length > 0 ? [formatPayments(payments, screen)] : []),
    ...(order.refunds.length > 0 ? [formatRefunds(order.refunds, screen)] : []),
    ...(reviews.length > 0 ? [formatReviews(reviews, screen)] : []),
  ].join("\n\n");
}

/** The order with an id, with everything. */
export async function orderWith(orders: ManagedOrders, id: string): Promise<Order> {
  const order = await orders.inspect(id);
  if (order === undefined) throw new CliError("not_found", `There is no order ${id}.`);
  return order;
}

/** `malipo checkout show` */
export const show = onOrders(async (orders, { args: [id = ""], io }) => {
  const order = await orderWith(orders, id);
  return { value: order, text: () => formatOrder(order, io.stdout) };
});

/** `malipo checkout cancel` */
export const cancel = onOrders(async (orders, input: Input<FlagsOf<typeof CHECKOUT_CANCEL>>) => {
  const [id = ""] = input.args;
  const before = await orderWith(orders, id);
  if (before.status === "open" || before.status === "pending") {
    await confirm("1 order would be canceled", formatOrders([before], input.io.stderr), input);
  }
  const reason = input.flags.reason as CancelReason | undefined;
  await orders.cancel(id, { reason });
  const order = await orderWith(orders, id);
  if (order.status !== "canceled") {
    throw new CliError("not_canceled", `The order ${id} is ${order.status}. Nothing was changed.`);
  }
  const hint =
    before.status === "pending"
      ? " A customer may be asked right now: money that still comes is to be paid back."
      : "";
  return { value: order, text: () => `${id} is canceled.${hint}` };
});

/** `malipo checkout refund` */
export const refund = onOrders(async (orders, input: Input<FlagsOf<typeof CHECKOUT_REFUND>>) => {
  const [id = ""] = input.args;
  const { by = "", reference, reason } = input.flags;
  const amount = requireValue(input.flags, "amount");
  const before = await orderWith(orders, id);
  const isKnown = before.refunds.some(
    (one) => reference !== undefined && one.reference === reference,
  );
  const about = before.reviews.filter(({ kind }) => !kind.startsWith("effect_"));
  const shown = [formatOrders([before], input.io.stderr)];
  // A review that is decided as refunded notes its refund itself.
  if (about.length > 0) shown.push(formatReviews(about, input.io.stderr));
  await confirm(
    `${amount} ${before.currency} would be noted as paid back`,
    shown.join("\n\n"),
    input,
  );
  const order = await orders.refunds.add(id, { amount, by, reference, reason });
  const left = `This moved no money. ${order.received} ${order.currency} of ${id} is left.`;
  const done = isKnown
    ? `The refund ${reference} was noted before. Nothing was changed.`
    : `${amount} ${order.currency} is noted as paid back.`;
  return { value: order, text: () => `${done} ${left}` };
});

const RESOLVED: Readonly<Record<ReviewDecision, string>> = {
  accept: "is accepted. A process of the shop hands over the goods.",
  refunded: "is ended: the money was paid back.",
  dismiss: "is dismissed.",
};

/** `malipo checkout resolve` */
export const resolve = onOrders(
  async (orders, input: Input<FlagsOf<typeof CHECKOUT_RESOLVE>>, writer) => {
    const [id = "", given = ""] = input.args;
    if (!Object.hasOwn(RESOLVED, given)) {
      throw usageError(`The decision must be accept, refunded or dismiss, not ${given}.`);
    }
    const decision = given as ReviewDecision;
    const review = (await orders.reviews.list()).find((one) => one.id === id);
    if (review === undefined) {
      const ended = await orders.reviews.ended(id);
      if (ended !== undefined) throw ended;
      const hint = "To see the reviews: malipo checkout list --review";
      throw new CliError("not_found", `There is no open review ${id}. ${hint}`);
    }
    await confirm(
      `1 review would end with ${decision}`,
      formatReviews([review], input.io.stderr),
      input,
    );
    const { by, reference, reason } = input.flags;
    // The first stores had no log of decisions.
    await writer.settings.store.open();
    const order = await orders.reviews.resolve(id, decision, { by, reference, reason });
    const value = { review: id, decision, ...(order !== undefined && { order }) };
    const isEnded = decision === "refunded" && order?.effect === "refunded";
    const hint = isEnded ? " The goods of the order are not given any more." : "";
    return { value, text: () => `${id} ${RESOLVED[decision]}${hint}` };
  },
);
