// A shop of two processes on the checkout. ENGINE is `sqlite`, or the URL of a PostgreSQL or a MariaDB.
import cluster from "node:cluster";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { isGatewayError } from "malipo";
import { type Checkout, createCheckout } from "malipo/checkout";
import { mysql } from "malipo/mysql";
import { nodeHandler } from "malipo/node";
import { postgres } from "malipo/postgres";
import { sqlite } from "malipo/sqlite";
import { createConnection, createPool } from "mysql2/promise";
import pg from "pg";

const { DATA = "", ENGINE = "sqlite", PORT, RUN = "" } = process.env;
const TIMES = { notSentAfterMs: 10_000, gateway: { totalTimeoutMs: 5_000 } };

function onSqlite() {
  const file = join(DATA, "shop.db");
  const database = new DatabaseSync(file);
  database.exec("PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL");
  const insert = "INSERT INTO parcels (order_id) VALUES (?)";
  return {
    migrate: async () => database.exec("CREATE TABLE IF NOT EXISTS parcels (order_id TEXT)"),
    parcels: async (id: string) =>
      database.prepare("SELECT order_id FROM parcels WHERE order_id = ?").all(id).length,
    checkout: createCheckout({
      ...TIMES,
      store: sqlite(file),
      onPaid: ({ id }, { transaction }) => transaction((db) => db.prepare(insert).run(id)),
    }),
  };
}

function onPostgres() {
  const pool = new pg.Pool({ connectionString: ENGINE, max: 6 });
  const table = `parcels_${RUN}`;
  return {
    migrate: () => pool.query(`CREATE TABLE IF NOT EXISTS ${table} (order_id text)`),
    parcels: async (id: string) =>
      (await pool.query(`SELECT order_id FROM ${table} WHERE order_id = $1`, [id])).rows.length,
    checkout: createCheckout({
      ...TIMES,
      store: postgres(pool, { schema: `checkout_${RUN}` }),
      onPaid: ({ id }, { transaction }) =>
        transaction((client) => client.query(`INSERT INTO ${table} VALUES ($1)`, [id])),
    }),
  };
}

async function onMysql() {
  const uri = new URL(ENGINE);
  const server = await createConnection(`${uri}`);
  await server.query(`CREATE DATABASE IF NOT EXISTS checkout_${RUN}`);
  await server.end();
  uri.pathname = `/checkout_${RUN}`;
  const pool = createPool({ uri: `${uri}`, connectionLimit: 6 });
  return {
    migrate: () => pool.query("CREATE TABLE IF NOT EXISTS parcels (order_id varchar(40))"),
    parcels: async (id: string) => {
      const [rows] = await pool.query("SELECT order_id FROM parcels WHERE order_id = ?", [id]);
      return (rows as unknown[]).length;
    },
    checkout: createCheckout({
      ...TIMES,
      store: mysql(pool),
      onPaid: ({ id }, { transaction }) =>
        transaction((connection) => connection.query("INSERT INTO parcels VALUES (?)", [id])),
    }),
  };
}

type Shop = ReturnType<typeof onSqlite | typeof onPostgres> | Awaited<ReturnType<typeof onMysql>>;

async function manage(
  { cancel, update, refunds, get }: Checkout,
  id: string,
  what: string,
  body: string,
) {
  if (what === "cancel") return await cancel(id);
  if (what === "update") return await update(id, { amount: JSON.parse(body).amount });
  const amount = (await get(id))?.received ?? 0;
  const { status } = await refunds.add(id, { amount, reference: `refund of ${id}`, by: "staff" });
  return { status };
}

async function serve({ checkout, parcels }: Shop) {
  await checkout.start();
  const receive = nodeHandler(checkout.receiver);
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, folder, name = "", action] = (request.url ?? "").split("/");
    if (folder === "webhooks") return void receive(request, response);
    if (action !== undefined || request.method === "PUT") {
      const body = await text(request);
      const changed = manage(checkout, name, action ?? "update", body);
      await changed.then(
        (order) => response.end(JSON.stringify(order)),
        (error) => response.writeHead(isGatewayError(error) ? 409 : 500).end(),
      );
      return;
    }
    if (request.method === "POST") {
      const { order: id, phone, amount, after } = JSON.parse(await text(request));
      try {
        response.end(JSON.stringify(await checkout.pay({ id, phone, amount }, { after })));
      } catch (error) {
        response.writeHead(isGatewayError(error) ? 409 : 500).end();
      }
      return;
    }
    const order = await checkout.get(name);
    const body = { ...order, shipped: await parcels(name) };
    response.writeHead(order ? 200 : 404).end(JSON.stringify(body));
  }
  createServer((request, response) => {
    respond(request, response).catch(() => response.writeHead(500).end());
  }).listen(Number(PORT), "127.0.0.1");
}

async function openShop(): Promise<Shop> {
  if (ENGINE === "sqlite") return onSqlite();
  return ENGINE.startsWith("mysql") ? await onMysql() : onPostgres();
}

const shop = await openShop();
if (cluster.isPrimary) {
  await shop.migrate();
  for (let count = 0; count < 2; count++) cluster.fork();
  process.once("SIGTERM", () => process.exit());
} else {
  await serve(shop);
}
