// The checkout keeps its tables beside `orders`. An order is paid in the transaction in which malipo records it.
import { createCheckout } from "malipo/checkout";
import { postgres } from "malipo/postgres";
import type { EntityManager } from "typeorm";
import { DATABASE_URL, Orders, ofTypeOrm, Parcels, source } from "./database.ts";

export const checkout = createCheckout({
  store: postgres(DATABASE_URL, {
    transact: (run) => source.transaction((manager) => run(manager, ofTypeOrm(manager))),
  }),
  onPaid: ({ id, amount }, { transaction, refuse }) =>
    transaction(async (manager: EntityManager) => {
      const row = { id, cents: Math.round(Number(amount) * 100), state: "new" };
      const { affected } = await manager.update(Orders, row, { state: "paid", paidAt: new Date() });
      if (affected === 0) return refuse("The order is canceled, or has another price.");
      return manager.insert(Parcels, { orderId: id }); // your goods
    }),
});
