// The shop of server.ts, on PostgreSQL.
import express from "express";
import { createCheckout } from "malipo/checkout";
import { nodeHandler } from "malipo/node";
import { postgres } from "malipo/postgres";
import { Pool } from "pg";

const { DATABASE_URL, PORT = 3000 } = process.env;
const PRICES = new Map([["concert", 1500]]);
const ID = /^[\w-]{12,64}$/; // crypto.randomUUID() of the page
const pool = new Pool({ connectionString: DATABASE_URL });
// In production, make the table in a migration.
await pool.query(`CREATE TABLE IF NOT EXISTS seats
  (seat integer PRIMARY KEY, order_id text UNIQUE, held_at timestamptz, sold boolean NOT NULL DEFAULT false)`);
await pool.query("INSERT INTO seats SELECT generate_series(1, 50) ON CONFLICT DO NOTHING");

// The seat that an order holds, or else a free one. In one statement, no two orders get the same.
const HOLD = `UPDATE seats SET order_id = $1, held_at = now() WHERE seat = (SELECT seat FROM seats
  WHERE order_id = $1 OR order_id IS NULL ORDER BY order_id, seat LIMIT 1 FOR UPDATE)`;
const hold = async (db: Pick<Pool, "query">, id: string) =>
  (await db.query(HOLD, [id])).rowCount === 1;

const checkout = createCheckout({
  store: postgres(pool),
  async onPaid({ id }, { transaction, refuse }) {
    const sell = "UPDATE seats SET sold = true WHERE order_id = $1"; // commits once
    await transaction(async (db) =>
      (await hold(db, id)) ? db.query(sell, [id]) : refuse("Sold out."),
    );
  },
});
await checkout.start();

// An order that is over gives its seat back. One that is open may be paid yet. A new one may not be
// stored yet: no seat is given back within a minute.
const OLD = "NOT sold AND held_at < now() - interval '60 s'";
const FREE = `UPDATE seats SET order_id = NULL, held_at = NULL WHERE order_id = $1 AND ${OLD}`;
async function giveBack() {
  const { rows } = await pool.query(`SELECT order_id AS id FROM seats WHERE ${OLD}`);
  for (const { id } of rows) {
    const { status, effect } = (await checkout.get(id)) ?? {};
    if (!/open|pending|due/.test(`${status} ${effect}`)) await pool.query(FREE, [id]);
  }
}
setInterval(() => giveBack().catch(console.error), 5_000);

const app = express();
app.use("/webhooks", nodeHandler(checkout.receiver)); // above every body parser
app.use(express.json());
app.post("/orders", async ({ body: { order, item, phone, after } = {} }, response) => {
  const expiresAt = new Date(Date.now() + 15 * 60_000); // a later click does not extend it
  const sale = { id: order, amount: PRICES.get(item) ?? 0, metadata: { item }, expiresAt };
  if (!sale.amount || !ID.test(order)) response.status(400).json({ message: "Not for sale." });
  else if (!(await hold(pool, order))) response.status(409).json({ message: "Sold out." });
  else
    await checkout
      .pay({ ...sale, phone }, { after })
      .then((paying) => response.json(paying))
      .catch((error) => {
        if (error.issues?.[0].path[0] !== "phone") throw error;
        response.status(400).json({ message: "This is not a Kenyan mobile number." });
      });
});
app.get("/orders/:id", async ({ params }, response) => {
  const order = await checkout.get(params.id);
  response.status(order ? 200 : 404).json(order ?? { message: "This order does not exist." });
});
app.listen(Number(PORT));
