import {
  defineMiddlewares,
  type MedusaNextFunction,
  type MedusaRequest,
  type MedusaResponse,
} from "@medusajs/framework/http";
import { MedusaError } from "@medusajs/framework/utils";
import { checkout, sessionsOf } from "../modules/checkout/checkout";

/** If staff cancel an order as its money comes, the checkout says which of the two holds. */
async function cancelPayment(
  { params }: MedusaRequest,
  _: MedusaResponse,
  next: MedusaNextFunction,
) {
  for (const { id } of await sessionsOf(params.id)) {
    const order = await checkout.cancel(id);
    if (order?.effect === "due")
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
