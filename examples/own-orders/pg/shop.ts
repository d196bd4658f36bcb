// A shop that had its orders before. What it does for payments is in payments.ts, and in the lines that name `checkout`.
import express from "express";
import { nodeHandler } from "malipo/node";
import { findOrder, inTransaction, pool } from "./database.ts";
import { checkout } from "./payments.ts";

const { PORT = 3000 } = process.env;
const PRICES = new Map([["beans", 180_500]]); // cents
const ID = /^[\w-]{12,64}$/;
const INSERT = "INSERT INTO orders (id, product, cents) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";

await checkout.start();
const app = express();
app.use("/webhooks", nodeHandler(checkout.receiver)); // above every body parser
app.use(express.json());

// From here on, `id` is that of the row: on MariaDB, the text "9abc" finds row 9, too.
app.param("id", async ({ params }, response, next, id) => {
  const order = await findOrder(id);
  if (order === undefined) return void response.status(404).json({ error: "There is none." });
  params.id = order.id;
  next();
});

app.get("/orders/:id", async ({ params: { id } }, response) => {
  response.json({ ...(await checkout.get(id)), order: await findOrder(id) });
});
app.post("/orders/:id/cancel", async ({ params: { id } }, response) => {
  // First, since the money may have come: then the order is paid, and its goods are given.
  // A row that is older than malipo, and never met `pay`, needs `checkout.create` before.
  const { status } = (await checkout.cancel(id)) ?? {};
  if (status === "canceled")
    await pool.query("UPDATE orders SET state = 'canceled' WHERE id = $1 AND state = 'new'", [id]);
  response.json({ status });
});

// Let only your staff call these two. If the checkout rejects, Express answers 409: a phone rings, or it is paid.
app.put("/orders/:id", async ({ params: { id }, body: { amount } = {} }, response) => {
  await inTransaction(async (transaction) => {
    await checkout.update(id, { amount }, { transaction });
    const change = "UPDATE orders SET cents = $2 WHERE id = $1 AND state = 'new'";
    await transaction.query(change, [id, Math.round(amount * 100)]);
  });
  response.json({ amount });
});
app.post("/orders/:id/refund", async ({ params: { id } }, response) => {
  const amount = ((await findOrder(id))?.cents ?? 0) / 100;
  // The money was paid back. A second click has the same reference, and changes nothing.
  await checkout.refunds.add(id, { amount, reference: `${id}/1`, by: "staff" });
  await pool.query("UPDATE orders SET state = 'refunded' WHERE id = $1", [id]);
  response.json({ amount });
});

// Customers order and pay by it, also again. The page has made the id.
app.post("/orders", async ({ body: { order: id, product, phone, after } = {} }, response) => {
  const cents = PRICES.get(product);
  if (cents === undefined || !ID.test(id))
    return void response.status(400).json({ error: "Not for sale." });
  // Both, or neither: `pay` with a price that has changed is then an order_conflict, and asks no phone.
  await inTransaction(async (transaction) => {
    const { rowCount } = await transaction.query(INSERT, [id, product, cents]);
    if (rowCount === 1) await checkout.create({ id, amount: cents / 100 }, { transaction });
  });
  const order = await findOrder(id);
  if (order === undefined || order.state === "canceled")
    return void response.status(409).json({ error: "It is canceled." });
  response.json(await checkout.pay({ id: order.id, amount: order.cents / 100, phone }, { after }));
});
app.listen(Number(PORT));
