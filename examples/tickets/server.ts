// The shop of the README, with 50 seats: however many customers come at once, no more are sold.
import { DatabaseSync } from "node:sqlite";
import express from "express";
import { createCheckout } from "malipo/checkout";
import { nodeHandler } from "malipo/node";
import { sqlite } from "malipo/sqlite";

const { DATA = ".", PORT = 3000 } = process.env;
const PRICES = new Map([["concert", 1500]]);
const ID = /^[\w-]{12,64}$/; // crypto.randomUUID() of the page

// The seat that an order holds, or else a free one. In one statement, no two orders get the same.
const HOLD = `UPDATE seats SET order_id = ?1, held_at = unixepoch() WHERE seat = (SELECT seat
  FROM seats WHERE order_id = ?1 OR order_id IS NULL ORDER BY order_id DESC LIMIT 1)`;
const hold = (db: DatabaseSync, id: string) => db.prepare(HOLD).run(id).changes === 1;

const checkout = createCheckout({
  store: sqlite(`${DATA}/shop.db`),
  async onPaid({ id }, { transaction, refuse }) {
    const sell = "UPDATE seats SET sold = 1 WHERE order_id = ?"; // commits once
    await transaction((db) => (hold(db, id) ? db.prepare(sell).run(id) : refuse("Sold out.")));
  },
});
await checkout.start(); // makes the file, which only its owner may read

const database = new DatabaseSync(`${DATA}/shop.db`, { timeout: 5_000 });
database.exec(`CREATE TABLE IF NOT EXISTS seats
  (seat INTEGER PRIMARY KEY, order_id TEXT UNIQUE, held_at INTEGER, sold INTEGER)`);
const addSeat = database.prepare("INSERT OR IGNORE INTO seats (seat) VALUES (?)");
for (let seat = 1; seat <= 50; seat++) addSeat.run(seat);

// An order that is over gives its seat back. One that is open may be paid yet. A new one may not be
// stored yet: no seat is given back within a minute.
const OLD = "sold IS NULL AND held_at < unixepoch() - 60";
const FREE = `UPDATE seats SET order_id = NULL, held_at = NULL WHERE order_id = ? AND ${OLD}`;
async function giveBack() {
  for (const { id } of database.prepare(`SELECT order_id AS id FROM seats WHERE ${OLD}`).all()) {
    const { status, effect } = (await checkout.get(`${id}`)) ?? {};
    if (!/open|pending|due/.test(`${status} ${effect}`)) database.prepare(FREE).run(`${id}`);
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
  else if (!hold(database, order)) response.status(409).json({ message: "Sold out." });
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
