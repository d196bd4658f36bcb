// The checkout keeps its tables beside `orders`. An order is paid in the transaction in which malipo records it.
import { createCheckout } from "malipo/checkout";
import { mysql } from "malipo/mysql";
import { DATABASE_URL, transact } from "./database.ts";

export const checkout = createCheckout({
  store: mysql(DATABASE_URL, { transact }),
  onPaid: ({ id, amount }, { transaction, refuse }) =>
    transaction(async (tx) => {
      const where = { id, cents: Math.round(Number(amount) * 100), state: "new" };
      const row = await tx.order.updateMany({ where, data: { state: "paid", paidAt: new Date() } });
      if (row.count === 0) return refuse("The order is canceled, or has another price.");
      return tx.parcel.create({ data: { orderId: id } }); // your goods
    }),
});
