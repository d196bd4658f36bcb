// The checkout keeps its tables beside `orders`. An order is paid in the transaction in which malipo records it.
import { createCheckout } from "malipo/checkout";
import { postgres } from "malipo/postgres";
import { pool } from "./database.ts";

const PAY =
  "UPDATE orders SET state = 'paid', paid_at = now() WHERE id = $1 AND cents = $2 AND state = 'new'";
export const checkout = createCheckout({
  store: postgres(pool),
  onPaid: ({ id, amount }, { transaction, refuse }) =>
    transaction(async (client) => {
      const { rowCount } = await client.query(PAY, [id, Math.round(Number(amount) * 100)]);
      if (rowCount === 0) return refuse("The order is canceled, or has another price.");
      return client.query("INSERT INTO parcels (order_id) VALUES ($1)", [id]); // your goods
    }),
});
