// The shop of server.ts, on MariaDB or MySQL.
import express from "express";
import { createCheckout } from "malipo/checkout";
import { mysql } from "malipo/mysql";
import { nodeHandler } from "malipo/node";
import { createPool, type Pool, type ResultSetHeader, type RowDataPacket } from "mysql2/promise";

const { DATABASE_URL = "", PORT = 3000 } = process.env;
const PRICES = new Map([["concert", 1500]]);
const ID = /^[\w-]{12,64}$/; // crypto.randomUUID() of the page
const pool = createPool(DATABASE_URL);
// In production, make the table in a migration.
await pool.query(`CREATE TABLE IF NOT EXISTS seats (seat INT PRIMARY KEY,
  order_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin UNIQUE,
  held_at DATETIME, sold BOOL NOT NULL DEFAULT 0)`);
const seats = Array.from({ length: 50 }, (_, at) => [at + 1]);
await pool.query("INSERT IGNORE INTO seats (seat) VALUES ?", [seats]);

// The seat that an order holds, or else a free one. In one statement, no two orders get the same.
const HOLD = `UPDATE seats SET order_id = ?, held_at = NOW()
  WHERE order_id = ? OR order_id IS NULL ORDER BY order_id DESC, seat LIMIT 1`;
const hold = async (db: Pick<Pool, "query">, id: string) =>
  (await db.query<ResultSetHeader>(HOLD, [id, id]))[0].affectedRows === 1;

const checkout = createCheckout({
  store: mysql(pool),
  async onPaid({ id }, { transaction, refuse }) {
    const sell = "UPDATE seats SET sold = 1 WHERE order_id = ?"; // commits once
    await transaction(async (db) =>
      (await hold(db, id)) ? db.query(sell, [id]) : refuse("Sold out."),
    );
  },
});
await checkout.start();

// An order that is over gives its seat back. One that is open may be paid yet. A new one may not be
// stored yet: no seat is given back within a minute.
const OLD = "NOT sold AND held_at < NOW() - INTERVAL 60 SECOND";
const FREE = `UPDATE seats SET order_id = NULL, held_at = NULL WHERE order_id = ? AND ${OLD}`;
async function giveBack() {
  const held = `SELECT order_id AS id FROM seats WHERE ${OLD}`;
  for (const { id } of (await pool.query<RowDataPacket[]>(held))[0]) {
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
