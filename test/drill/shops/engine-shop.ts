// A shop of two processes that share an engine. ENGINE is its URL: redis://, postgres:// or mysql://.
import cluster from "node:cluster";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Redis } from "ioredis";
import { Gateway, type IdempotencyStore, isGatewayError } from "malipo";
import { mysql } from "malipo/mysql";
import { nodeHandler } from "malipo/node";
import { postgres } from "malipo/postgres";
import { redis as openRedis } from "malipo/redis";
import { createWebhookReceiver, type Inbox } from "malipo/webhooks";
import { createConnection, createPool } from "mysql2/promise";
import pg from "pg";

const { ENGINE = "", PORT, RUN = "" } = process.env;

/** What the shop keeps of its orders. */
interface Orders {
  readonly idempotency: IdempotencyStore;
  readonly inbox: Inbox;
  /** Adds an order; `false` for one that is there. */
  add(id: string, phone: string, amount: number): Promise<boolean>;
  read(id: string): Promise<Record<string, string> | undefined>;
  open(): Promise<Record<string, string>[]>;
  /** Begins another attempt of an order that has failed; `false` for one that has not. */
  again(id: string): Promise<boolean>;
  /** A response, or a read after a lost one, tells the reference of an attempt: the next attempt has another one. */
  knows(order: Record<string, string>, reference: string): Promise<void>;
  /**
   * Ends an order, once, and ships it if it is paid. Paid stays paid. The failure of an attempt says nothing
   * of the next one.
   */
  end(order: Record<string, string>, status: "paid" | "failed"): Promise<void>;
  byReference(reference: string): Promise<string | undefined>;
}

function redisOrders(): Orders {
  const redis = new Redis(ENGINE, { maxRetriesPerRequest: null });
  const db = openRedis(redis, { prefix: `${RUN}:keys:` });
  const key = (id: string) => `${RUN}:order:${id}`;
  // One script: neither a crash nor another process can come between its steps.
  const END = `local now = redis.call("HGET", KEYS[1], "status")
    if not now or now == "paid" or now == ARGV[1] then return end
    if ARGV[1] == "failed" and redis.call("HGET", KEYS[1], "attempt") ~= ARGV[3] then return end
    redis.call("HSET", KEYS[1], "status", ARGV[1])
    if ARGV[1] == "paid" then redis.call("HINCRBY", KEYS[1], "shipped", 1) end
    redis.call("SREM", KEYS[2], ARGV[2])`;
  const AGAIN = `if redis.call("HGET", KEYS[1], "status") ~= "failed" then return 0 end
    local former = redis.call("HGET", KEYS[1], "former") .. (redis.call("HGET", KEYS[1], "reference") or "")
    redis.call("HSET", KEYS[1], "status", "pending", "at", ARGV[2], "former", former)
    redis.call("HDEL", KEYS[1], "reference")
    redis.call("HINCRBY", KEYS[1], "attempt", 1)
    redis.call("SADD", KEYS[2], ARGV[1])
    return 1`;
  const KNOWS = `if redis.call("HGET", KEYS[1], "attempt") == ARGV[1] then
    redis.call("HSET", KEYS[1], "reference", ARGV[2]) end`;
  const read = async (id: string) => {
    const order = await redis.hgetall(key(id));
    return order.id === undefined ? undefined : order;
  };
  return {
    idempotency: db.idempotency(),
    inbox: db.inbox({ queue: `${RUN}-webhooks` }),
    add: async (id, phone, amount) => {
      const order = { id, phone, amount, status: "pending", shipped: 0, attempt: 1, former: "" };
      if ((await redis.hsetnx(key(id), "id", id)) === 0) return false;
      const since = { at: Date.now() };
      await redis
        .multi()
        .hset(key(id), { ...order, ...since })
        .sadd(`${RUN}:open`, id)
        .exec();
      return true;
    },
    again: async (id) => (await redis.eval(AGAIN, 2, key(id), `${RUN}:open`, id, Date.now())) === 1,
    read,
    open: async () => {
      const orders = await Promise.all((await redis.smembers(`${RUN}:open`)).map(read));
      return orders.filter((one) => one !== undefined);
    },
    knows: async ({ id = "", attempt = "" }, reference) => {
      await redis.eval(KNOWS, 1, key(id), attempt, reference);
      await redis.set(`${RUN}:reference:${reference}`, id);
    },
    end: async ({ id = "", attempt = "" }, status) => {
      await redis.eval(END, 2, key(id), `${RUN}:open`, status, id, attempt);
    },
    byReference: async (reference) =>
      (await redis.get(`${RUN}:reference:${reference}`)) ?? undefined,
  };
}

/** A database in which the shop has its own table beside those of malipo. A `?` in a statement is a value. */
interface Database {
  readonly engine: Pick<Orders, "idempotency" | "inbox">;
  readonly open: () => Promise<unknown>;
  /** Inserts a row unless it is there. */
  readonly insert: (rest: string) => string;
  readonly run: (
    sql: string,
    ...values: unknown[]
  ) => Promise<{ readonly rows: Record<string, string>[]; readonly count: number }>;
}

function postgresDatabase(): Database {
  const pool = new pg.Pool({ connectionString: ENGINE, max: 6 });
  const db = postgres(ENGINE, { schema: `shop_${RUN}` });
  return {
    engine: { idempotency: db.idempotency(), inbox: db.inbox() },
    open: () => db.open(),
    insert: (rest) => `INSERT ${rest} ON CONFLICT DO NOTHING`,
    run: async (sql, ...values) => {
      let count = 0;
      const { rows, rowCount } = await pool.query(
        sql.replace(/\?/g, () => `$${++count}`),
        values,
      );
      return { rows, count: rowCount ?? 0 };
    },
  };
}

async function mysqlDatabase(): Promise<Database> {
  // malipo has its tables in the database of the pool.
  const uri = new URL(ENGINE);
  const server = await createConnection(`${uri}`);
  await server.query(`CREATE DATABASE IF NOT EXISTS shop_${RUN}`);
  await server.end();
  uri.pathname = `/shop_${RUN}`;
  const pool = createPool({ uri: `${uri}`, connectionLimit: 6 });
  const db = mysql(pool);
  return {
    engine: { idempotency: db.idempotency(), inbox: db.inbox() },
    open: () => db.open(),
    insert: (rest) => `INSERT IGNORE ${rest}`,
    run: async (sql, ...values) => {
      const [found] = await pool.query(sql, values);
      if (Array.isArray(found)) return { rows: found as Record<string, string>[], count: 0 };
      return { rows: [], count: found.affectedRows };
    },
  };
}

async function sqlOrders({ engine, open, insert, run }: Database): Promise<Orders> {
  const orders = `orders_${RUN}`;
  if (cluster.isPrimary) {
    await run(`CREATE TABLE IF NOT EXISTS ${orders} (id varchar(40) PRIMARY KEY, phone varchar(20), amount int,
      status varchar(20) DEFAULT 'pending', reference varchar(40), shipped int DEFAULT 0, at bigint,
      attempt int DEFAULT 1, former varchar(400) DEFAULT '')`);
    await open();
  }
  const into = insert(`INTO ${orders} (id, phone, amount, at) VALUES (?, ?, ?, ?)`);
  return {
    ...engine,
    add: async (id, phone, amount) => (await run(into, id, phone, amount, Date.now())).count === 1,
    read: async (id) => (await run(`SELECT * FROM ${orders} WHERE id = ?`, id)).rows[0],
    open: async () => (await run(`SELECT * FROM ${orders} WHERE status = 'pending'`)).rows,
    again: async (id) => {
      const { count } = await run(
        `UPDATE ${orders} SET status = 'pending', attempt = attempt + 1, at = ?,
         former = concat(former, coalesce(reference, '')), reference = NULL
         WHERE id = ? AND status = 'failed'`,
        ...[Date.now(), id],
      );
      return count === 1;
    },
    knows: async ({ id, attempt }, reference) => {
      const set = `UPDATE ${orders} SET reference = ? WHERE id = ? AND attempt = ?`;
      await run(set, reference, id, attempt);
    },
    end: async ({ id, attempt }, status) => {
      await run(
        `UPDATE ${orders} SET status = ?, shipped = shipped + ?
         WHERE id = ? AND status NOT IN ('paid', ?) AND (? = 'paid' OR attempt = ?)`,
        ...[status, status === "paid" ? 1 : 0, id, status, status, attempt],
      );
    },
    byReference: async (reference) =>
      (await run(`SELECT id FROM ${orders} WHERE reference = ?`, reference)).rows[0]?.id,
  };
}

interface PaymentFields {
  readonly amount?: unknown;
  readonly currency?: unknown;
}

async function serve(orders: Orders): Promise<void> {
  const gateway = new Gateway({ idempotency: orders.idempotency, totalTimeoutMs: 5_000 });
  const receiver = createWebhookReceiver({ inbox: orders.inbox, ignore: ["payment.initiated"] });
  const ended = async (reference: string, label: string | undefined, status: "paid" | "failed") => {
    const id = (await orders.byReference(reference)) ?? label;
    if (id === undefined) throw new Error("The order is not known yet.");
    const order = await orders.read(id);
    if (order === undefined) throw new Error("The order is not known yet.");
    const { reference: current, former = "" } = order;
    const isOld = current ? current !== reference : former.includes(reference);
    if (status === "failed" && isOld) return;
    await orders.end(order, status);
  };
  /** Another amount or currency is not the order's money. */
  const isFor = (order: Record<string, string> | undefined, payment: PaymentFields) =>
    Number(payment.amount) === Number(order?.amount) && payment.currency === "KES";
  receiver.on("payment.completed", async ({ data }) => {
    const id = (await orders.byReference(data.reference)) ?? data.account_reference ?? "";
    // What contradicts itself says nothing: a read tells what is true.
    if (data.status !== "completed" || !isFor(await orders.read(id), data)) return;
    await ended(data.reference, data.account_reference, "paid");
  });
  receiver.on("payment.failed", ({ data }) => ended(data.reference, undefined, "failed"));
  await receiver.start();

  async function ask(id: string): Promise<void> {
    const order = (await orders.read(id)) ?? {};
    const { phone = "", amount, attempt } = order;
    const params = { phone, amount: Number(amount), account_reference: id };
    const idempotencyKey = `${id}/${attempt}`;
    try {
      const { reference } = await gateway.mobileMoney.initiate(params, { idempotencyKey });
      await orders.knows(order, reference);
    } catch (error) {
      if (!isGatewayError(error)) throw error;
      const isNothingSent = error.outcome === "rejected" || error.outcome === "not_sent";
      if (isNothingSent && error.code !== "attempt_in_flight") await orders.end(order, "failed");
    }
  }

  async function look(): Promise<void> {
    for (const order of await orders.open()) {
      const { id = "", reference, former = "", at } = order;
      const list = reference ? undefined : await gateway.payments.list({ per_page: 100 });
      const payment = reference
        ? await gateway.payments.get(reference)
        : list?.items.find(
            (one) => one.account_reference === id && !former.includes(`${one.reference}`),
          );
      if (!reference && payment) await orders.knows(order, `${payment.reference}`);
      if (payment?.status === "completed" && isFor(order, payment)) await orders.end(order, "paid");
      else if (payment?.status === "failed") await orders.end(order, "failed");
      else if (payment === undefined && Date.now() - Number(at) > 15_000) {
        await orders.end(order, "failed");
      }
    }
  }
  setInterval(() => look().catch(() => {}), 2_000);

  const receive = nodeHandler(receiver);
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, folder, name = "", action] = (request.url ?? "").split("/");
    if (folder === "webhooks") return void receive(request, response);
    if (request.method === "POST") {
      if (action === "again") {
        if (await orders.again(name)) await ask(name);
        response.end();
        return;
      }
      const { order, phone, amount } = JSON.parse(await text(request));
      if (await orders.add(order, phone, amount)) await ask(order);
      response.writeHead(201).end(JSON.stringify({ id: order }));
      return;
    }
    const found = await orders.read(name);
    const { id, status, shipped } = found ?? {};
    response
      .writeHead(found ? 200 : 404)
      .end(JSON.stringify({ id, status, shipped: Number(shipped) }));
  }
  createServer((request, response) => {
    respond(request, response).catch(() => response.writeHead(500).end());
  }).listen(Number(PORT), "127.0.0.1");
}

const orders = ENGINE.startsWith("redis")
  ? redisOrders()
  : await sqlOrders(ENGINE.startsWith("mysql") ? await mysqlDatabase() : postgresDatabase());
if (cluster.isPrimary) {
  for (let count = 0; count < 2; count++) cluster.fork();
  process.once("SIGTERM", () => process.exit());
} else {
  await serve(orders);
}
