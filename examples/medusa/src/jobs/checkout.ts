// The checkout keeps its tables beside those of Medusa. The id of its order is that of the payment session. A scheduled
// job does what is due: webhooks that have come, and payments whose webhook is lost.
import type { MedusaContainer } from "@medusajs/framework/types";
import { PaymentActions } from "@medusajs/framework/utils";
import { processPaymentWorkflow } from "@medusajs/medusa/core-flows";
import { createCheckout } from "malipo/checkout";
import { postgres } from "malipo/postgres";

let shop: MedusaContainer; // the job sets it

async function readSession(id: string) {
  const fields = ["payment_collection.status", "payment.captured_at"];
  const given = { entity: "payment_session", fields, filters: { id } };
  return (await shop.resolve("query").graph(given)).data[0];
}

export const checkout = createCheckout({
  store: postgres(process.env.DATABASE_URL ?? ""),
  // Medusa records the money of a session once, however often this runs.
  onPaid: async ({ id, amount }, { refuse }) => {
    const session = await readSession(id);
    if (session === undefined || session.payment_collection?.status === "canceled")
      return refuse("The shop has canceled the order.");
    const data = { session_id: id, amount: Number(amount) };
    await processPaymentWorkflow(shop).run({ input: { action: PaymentActions.SUCCESSFUL, data } });
    if (!(await readSession(id))?.payment?.captured_at) throw new Error(`${id} is not captured.`);
  },
});

/** Medusa runs it in the processes that do work in the background. Of several at once, one does each thing. */
export default async function doWhatIsDue(container: MedusaContainer) {
  shop = container;
  await checkout.reconcile();
}

export const config = { name: "malipo", schedule: { interval: 2_000 } };
