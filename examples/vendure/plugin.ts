// The plugin: two fields of the Shop API, and where the parts of payments.ts belong.
import { Args, Mutation, Query, Resolver } from "@nestjs/graphql";
import * as vendure from "@vendure/core";
import { gql } from "graphql-tag";
import { nodeHandler } from "malipo/node";
import { checkout, mobileMoney, startCheckout, steadyOrders } from "./payments.ts";

@Resolver()
class PhonePayments {
  constructor(
    private readonly orders: vendure.OrderService,
    private readonly active: vendure.ActiveOrderService,
  ) {}

  @Query()
  phonePayment(@Args() { code }: { code: string }) {
    return checkout.get(code);
  }

  @Mutation()
  @vendure.Allow(vendure.Permission.Owner)
  async payByPhone(
    @vendure.Ctx() ctx: vendure.RequestContext,
    @Args() { phone, after }: { phone: string; after?: number },
  ) {
    const order = await this.active.getActiveOrder(ctx, undefined);
    if (order?.state !== "ArrangingPayment") throw new vendure.UserInputError("Nothing to pay.");
    const { code: id, currencyCode: currency } = order;
    const methods = await this.orders.getEligiblePaymentMethods(ctx, order.id);
    if (!methods.some(({ code, isEligible }) => code === "malipo" && isEligible))
      throw new vendure.UserInputError("This order cannot be paid by phone.");
    const payments = await this.orders.getOrderPayments(ctx, order.id);
    const covered = vendure.totalCoveredByPayments(new vendure.Order({ payments }));
    const amount = (order.totalWithTax - covered) / 100; // shillings, not cents
    await checkout.update(id, { amount }); // the cart may have grown
    return checkout.pay({ id, amount, currency, phone }, { after });
  }
}

@vendure.VendurePlugin({
  imports: [vendure.PluginCommonModule],
  compatibility: "^3.0.0",
  shopApiExtensions: {
    schema: gql`
      extend type Query { phonePayment(code: String!): JSON }
      extend type Mutation { payByPhone(phone: String!, after: Int): JSON! }
    `,
    resolvers: [PhonePayments],
  },
  configuration: (config) => {
    const webhooks = nodeHandler(checkout.receiver); // above the body parser of Vendure
    config.apiOptions.middleware.push({
      route: "/webhooks",
      handler: webhooks,
      beforeListen: true,
    });
    config.paymentOptions.paymentMethodHandlers.push(mobileMoney);
    config.orderOptions.process.push(steadyOrders);
    return config;
  },
})
export class PhonePaymentsPlugin {
  onApplicationBootstrap = startCheckout;
  beforeApplicationShutdown = () => checkout.stop();
}
