// The checkout keeps its tables beside `orders`. An order is paid in the transaction in which malipo records it.
import { createCheckout } from "malipo/checkout";
import { postgres } from "malipo/postgres";
import { DATABASE_URL, Orders, Parcels, transact } from "./database.ts";

export const checkout = createCheckout({
  store: postgres(DATABASE_URL, { transact }),
  onPaid: ({ id, amount }, { transaction, refuse }) =>
    transaction(async (manager) => {
      const row = { id, cents: Math.round(Number(amount) * 100), state: "new" };
      const { affected } = await manager.update(Orders, row, { state: "paid", paidAt: new Date() });
      if (affected === 0) return refuse("The order is canceled, or has another price.");
      return manager.insert(Parcels, { orderId: id }); // your goods
    }),
});
