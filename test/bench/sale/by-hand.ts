// A ticket shop as one writes it by hand: a transaction holds a seat and adds the order, then the phone is asked.
// by-hand.ts <engine>, with the environment of the ticket shops of the examples.
import { DatabaseSync } from "node:sqlite";
import express from "express";
import { createPool, type ResultSetHeader } from "mysql2/promise";
import { Pool } from "pg";

const { DATABASE_URL = "", DATA = ".", PORT, MALIPO_BASE_URL, MALIPO_API_KEY = "" } = process.env;

interface Tickets {
  /** Holds a seat and adds the order. Resolves with `false` if no seat is free. */
  hold(order: string, phone: string): Promise<boolean>;
  asked(order: string, reference: string): Promise<unknown>;
}

const ORDERS =
  "CREATE TABLE IF NOT EXISTS hand_orders (id VARCHAR(64) PRIMARY KEY, phone VARCHAR(20), reference VARCHAR(64))";

function onSqlite(): Tickets {
  const database = new DatabaseSync(`${DATA}/shop.db`, { timeout: 30_000 });
  database.exec(`PRAGMA journal_mode = WAL; ${ORDERS};
    CREATE TABLE IF NOT EXISTS seats (seat INTEGER PRIMARY KEY, order_id TEXT UNIQUE)`);
  const hold = database.prepare(
    "UPDATE seats SET order_id = ? WHERE seat = (SELECT seat FROM seats WHERE order_id IS NULL LIMIT 1)",
  );
  const add = database.prepare("INSERT INTO hand_orders (id, phone) VALUES (?, ?)");
  const set = database.prepare("UPDATE hand_orders SET reference = ? WHERE id = ?");
  return {
    hold: async (order, phone) => {
      database.exec("BEGIN IMMEDIATE");
      const isHeld = hold.run(order).changes === 1;
      if (isHeld) add.run(order, phone);
      database.exec("COMMIT");
      return isHeld;
    },
    asked: async (order, reference) => set.run(reference, order),
  };
}

async function onPostgres(): Promise<Tickets> {
  const pool = new Pool({ connectionString: DATABASE_URL });
  await pool.query(ORDERS).catch(() => {}); // another process makes it at this moment
  await pool
    .query("CREATE TABLE IF NOT EXISTS seats (seat integer PRIMARY KEY, order_id text UNIQUE)")
    .catch(() => {});
  return {
    hold: async (order, phone) => {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        const { rowCount } = await client.query(
          "UPDATE seats SET order_id = $1 WHERE seat = (SELECT seat FROM seats WHERE order_id IS NULL ORDER BY seat LIMIT 1 FOR UPDATE SKIP LOCKED)",
          [order],
        );
        if (rowCount === 1) {
          await client.query("INSERT INTO hand_orders (id, phone) VALUES ($1, $2)", [order, phone]);
        }
        await client.query("COMMIT");
        return rowCount === 1;
      } finally {
        client.release();
      }
    },
    asked: (order, reference) =>
      pool.query("UPDATE hand_orders SET reference = $1 WHERE id = $2", [reference, order]),
  };
}

async function onMysql(): Promise<Tickets> {
  const pool = createPool(DATABASE_URL);
  await pool.query(ORDERS);
  await pool.query(
    "CREATE TABLE IF NOT EXISTS seats (seat INT PRIMARY KEY, order_id VARCHAR(64) UNIQUE)",
  );
  return {
    hold: async (order, phone) => {
      const connection = await pool.getConnection();
      try {
        await connection.beginTransaction();
        const [{ affectedRows }] = await connection.query<ResultSetHeader>(
          "UPDATE seats SET order_id = ? WHERE order_id IS NULL ORDER BY seat LIMIT 1",
          [order],
        );
        if (affectedRows === 1) {
          await connection.query("INSERT INTO hand_orders (id, phone) VALUES (?, ?)", [
            order,
            phone,
          ]);
        }
        await connection.commit();
        return affectedRows === 1;
      } finally {
        connection.release();
      }
    },
    asked: (order, reference) =>
      pool.query("UPDATE hand_orders SET reference = ? WHERE id = ?", [reference, order]),
  };
}

const ENGINES: Readonly<Record<string, () => Tickets | Promise<Tickets>>> = {
  sqlite: onSqlite,
  postgres: onPostgres,
  mysql: onMysql,
};
const tickets = (await ENGINES[process.argv[2] ?? ""]?.()) as Tickets;

const app = express();
app.use(express.json());
app.post("/orders", async ({ body: { order, phone } }, response) => {
  if (!(await tickets.hold(order, phone))) {
    response.status(409).json({ message: "Sold out." });
    return;
  }
  const asked = await fetch(`${MALIPO_BASE_URL}/mobile-money/payment/initiate`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": MALIPO_API_KEY },
    body: JSON.stringify({ amount: 1500, phone, account_reference: order }),
  });
  const { data } = (await asked.json()) as { data: { reference: string } };
  await tickets.asked(order, data.reference);
  response.json({ status: "pending" });
});
app.get("/orders/:id", (_, response) => void response.status(404).end());
app.listen(Number(PORT));
