// The checkout keeps its tables beside those of Medusa. The id of its order is that of the payment session.
import { container } from "@medusajs/framework";
import { PaymentActions } from "@medusajs/framework/utils";
import { processPaymentWorkflow } from "@medusajs/medusa/core-flows";
import { createCheckout } from "malipo/checkout";
import { postgres } from "malipo/postgres";

const read = async (entity: string, fields: string[], id = "") =>
  (await container.resolve("query").graph({ entity, fields, filters: { id } })).data[0];

/** The payment sessions of an order. */
export async function sessionsOf(orderId = "") {
  const order = await read("order", ["payment_collections.payment_sessions.id"], orderId);
  const collections: { payment_sessions: { id: string }[] }[] = order?.payment_collections ?? [];
  return collections.flatMap(({ payment_sessions }) => payment_sessions);
}

const SESSION = ["payment_collection.status", "payment.captured_at"];
const sessionOf = (id: string) => read("payment_session", SESSION, id);

export const checkout = createCheckout({
  store: postgres(process.env.DATABASE_URL ?? ""),
  // Medusa records the money of a session once, however often this runs.
  onPaid: async ({ id, amount }, { refuse }) => {
    const session = await sessionOf(id);
    if (session === undefined || session.payment_collection.status === "canceled")
      return refuse("The shop has canceled the order.");
    const data = { session_id: id, amount: Number(amount) };
    const input = { action: PaymentActions.SUCCESSFUL, data };
    await processPaymentWorkflow(container).run({ input });
    if (!(await sessionOf(id))?.payment?.captured_at) throw new Error(`${id} is not captured.`);
  },
});
