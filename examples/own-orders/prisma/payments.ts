// The checkout keeps its tables beside `orders`. An order is paid in the transaction in which malipo records it.
import { createCheckout } from "malipo/checkout";
import { mysql } from "malipo/mysql";
import type { Prisma } from "./client/client.ts";
import { DATABASE_URL, ofPrisma, prisma } from "./database.ts";

export const checkout = createCheckout({
  store: mysql(DATABASE_URL, {
    transact: (run) => prisma.$transaction((tx) => run(tx, ofPrisma(tx))),
  }),
  onPaid: ({ id, amount }, { transaction, refuse }) =>
    transaction(async (tx: Prisma.TransactionClient) => {
      const where = { id, cents: Math.round(Number(amount) * 100), state: "new" };
      const row = await tx.order.updateMany({ where, data: { state: "paid", paidAt: new Date() } });
      if (row.count === 0) return refuse("The order is canceled, or has another price.");
      return tx.parcel.create({ data: { orderId: id } }); // your goods
    }),
});
