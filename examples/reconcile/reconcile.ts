// A job for cron: reads the payment of every open order, and closes the orders whose payments are
// final. A webhook may be lost; a read is reliable. Exits with 1 if a person has to look.
import { DatabaseSync } from "node:sqlite";
import { Gateway } from "malipo";

export async function reconcileOrders(gateway: Gateway, orders: DatabaseSync) {
  const open = orders.prepare("SELECT reference FROM orders WHERE state = 'open'");
  const close = orders.prepare(
    "UPDATE orders SET state = ? WHERE reference = ? AND state = 'open'",
  );
  const references = open.all().map(({ reference }) => String(reference));
  const count = { paid: 0, unpaid: 0, open: 0, look: 0 };
  for await (const result of gateway.payments.reconcile(references, { concurrency: 4 })) {
    if (result.state === "final") {
      const state = result.payment.status === "completed" ? "paid" : "unpaid";
      close.run(state, result.reference);
      count[state]++;
    } else if (result.state === "pending") {
      count.open++;
    } else {
      // The service does not know it, or the read failed: no reason to close an order.
      count.look++;
      console.error(result.reference, result.state);
    }
  }
  return count;
}

if (import.meta.main) {
  const orders = new DatabaseSync(process.env.ORDERS_DB ?? "orders.db");
  orders.exec(
    "CREATE TABLE IF NOT EXISTS orders (reference TEXT PRIMARY KEY, state TEXT NOT NULL)",
  );
  const count = await reconcileOrders(new Gateway(), orders);
  console.log(count);
  process.exit(count.look === 0 ? 0 : 1);
}
