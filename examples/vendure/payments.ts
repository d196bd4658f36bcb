// The checkout keeps its tables beside those of Vendure. An order is settled in the transaction in which malipo records
// the money.
import * as vendure from "@vendure/core";
import { createCheckout } from "malipo/checkout";
import { postgres } from "malipo/postgres";
import { ofTypeOrm } from "./executor.ts";

const PAID = ["PaymentAuthorized", "PaymentSettled"];
let shop: vendure.Injector; // Vendure sets it
const tableOfOrders = (ctx: vendure.RequestContext) =>
  shop.get(vendure.TransactionalConnection).getRepository(ctx, vendure.Order);

export const checkout = createCheckout({
  store: postgres(process.env.DATABASE_URL ?? "", {
    transact: async (run) => {
      const admin = await shop.get(vendure.RequestContextService).create({ apiType: "admin" });
      const connection = shop.get(vendure.TransactionalConnection);
      return connection.withTransaction(admin, (ctx) =>
        run(ctx, ofTypeOrm(tableOfOrders(ctx).manager)),
      );
    },
  }),
  onPaid: ({ id, amount, currency, payments }, { transaction, refuse }) =>
    transaction(async (ctx: vendure.RequestContext) => {
      const orders = shop.get(vendure.OrderService);
      const order = await orders.findOneByCode(ctx, id);
      if (order === undefined) return refuse("The shop has no such order.");
      const metadata = { amount, currency, reference: payments[0]?.reference };
      const paid = await orders.addPaymentToOrder(ctx, order.id, { method: "malipo", metadata });
      if (vendure.isGraphQlErrorResult(paid)) return refuse(paid.message);
      if (!PAID.includes(paid.state)) throw new Error(`The order ${id} is ${paid.state}.`);
    }),
});

export const mobileMoney = new vendure.PaymentMethodHandler({
  code: "malipo",
  description: [{ languageCode: vendure.LanguageCode.en, value: "Mobile money" }],
  args: {},
  init: (injector) => {
    shop = injector;
  },
  // `addPaymentToOrder` of the Shop API comes here, too. Only `onPaid` is believed, and only what is due.
  createPayment: ({ apiType }, { currencyCode }, due, _, { amount, currency, reference }) =>
    apiType === "admin" && currency === currencyCode && Math.round(amount * 100) === due
      ? { amount: due, state: "Settled", transactionId: reference }
      : { amount: due, state: "Declined", errorMessage: "The money is not what is due." },
  settlePayment: () => ({ success: true }),
});

/** An order does not change while a phone is asked to pay it. Of two changes at the same moment, one is made. */
export const steadyOrders: vendure.OrderProcess<string> = {
  async onTransitionStart(from, to, { ctx, order: { id, code } }) {
    if (from !== "ArrangingPayment") return;
    const { status, effect } = (to === "AddingItems" && (await checkout.get(code))) || {};
    if (status === "pending" || effect === "due") return "A phone is asked to pay the order.";
    const table = tableOfOrders(ctx).createQueryBuilder("orders").setLock("for_no_key_update");
    const { state } = await table.where({ id }).getOneOrFail();
    if (state !== from) return "The order has changed.";
  },
};

/** What the shop does with an order, the checkout learns. */
export async function startCheckout(): Promise<void> {
  const events = shop.get(vendure.EventBus);
  events.ofType(vendure.OrderStateTransitionEvent).subscribe(({ toState, order }) => {
    const reason = toState === "Cancelled" ? "canceled" : "paid_elsewhere";
    if (reason === "paid_elsewhere" && !PAID.includes(toState)) return;
    // Of an order that is paid by phone, this changes nothing.
    checkout.cancel(order.code, { reason }).catch(console.error);
  });
  events.registerBlockingEventHandler({
    id: "malipo-refunds",
    event: vendure.RefundStateTransitionEvent,
    handler: async ({ ctx, toState, refund: { total, transactionId, method }, order }) => {
      if (toState !== "Settled" || method !== "malipo") return;
      const by = `administrator ${ctx.activeUserId}`;
      await checkout.refunds.add(order.code, { amount: total / 100, reference: transactionId, by });
    },
  });
  await checkout.start();
}
