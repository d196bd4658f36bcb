import {
  defineMiddlewares,
  type MedusaNextFunction,
  type MedusaRequest,
  type MedusaResponse,
} from "@medusajs/framework/http";
import { MedusaError } from "@medusajs/framework/utils";
import { checkout } from "../jobs/checkout";

/** If staff cancel an order as its money comes, the checkout says which of the two holds. */
async function cancelPayment(
  { params, scope }: MedusaRequest,
  _: MedusaResponse,
  next: MedusaNextFunction,
) {
  const fields = ["payment_collections.payment_sessions.id"];
  const given = { entity: "order", fields, filters: { id: params.id } };
  const [order] = (await scope.resolve("query").graph(given)).data;
  for (const { payment_sessions } of order?.payment_collections ?? [])
    for (const { id } of payment_sessions) {
      const canceled = await checkout.cancel(id);
      if (canceled?.effect === "due")
        throw new MedusaError(MedusaError.Types.NOT_ALLOWED, "It is being paid. Try again.");
    }
  next();
}

export default defineMiddlewares({
  routes: [
    // The signature is over the raw body.
    { matcher: "/webhooks", methods: ["POST"], bodyParser: false },
    { matcher: "/admin/orders/:id/cancel", methods: ["POST"], middlewares: [cancelPayment] },
  ],
});
