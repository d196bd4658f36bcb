import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { Pool, type PoolClient, type QueryResult } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { ORDERS } from "../../../src/checkout/orders/tables.ts";
import { PostgresRoom } from "../../../src/storage/postgres/postgres-room.ts";
import { clear } from "../../storage/postgres/clear.ts";
import { checkoutSuite } from "../../suites/checkout.ts";
import { completed, deliver } from "../../suites/checkout-stage.ts";
import { strayUpdatesSuite } from "../../suites/stray-updates.ts";
import { sharedPostgres } from "../../support/engines/shared.ts";
import { postgresCheckout } from "../../support/stores/postgres-checkout.ts";
import { newSandbox, ORDER, openShop } from "../stage.ts";

/** What `transact` is called with. */
type Run = (
  client: PoolClient,
  db?: object | { executeSql(text: string, values?: unknown[]): Promise<QueryResult> },
) => Promise<unknown>;

const engine = await sharedPostgres();
const connectionString = engine?.url ?? "";
const pool = new Pool({ connectionString, allowExitOnIdle: true });
pool.on("error", () => {});
afterAll(() => pool.end());
let schemas = 0;
const freshSchema = () => `shop_${process.pid}_${++schemas}`;

describe.skipIf(engine === undefined)("postgresCheckout", () => {
  let made: Promise<string> | undefined;
  const makeTables = async () => {
    const schema = freshSchema();
    const first = postgresCheckout({ connectionString, schema });
    await first.open();
    await first.close();
    return schema;
  };

  checkoutSuite("postgresCheckout", {
    fresh: async (now) => {
      made ??= makeTables();
      const schema = await made;
      await clear(pool, schema);
      const open = () => postgresCheckout({ connectionString, schema, now });
      const deleteRows = async (...tables: readonly string[]) => {
        for (const table of tables) await pool.query(`DELETE FROM ${schema}.${table}`);
      };
      return { open, deleteRows };
    },
  });

  strayUpdatesSuite("postgresCheckout", async () => {
    const schema = freshSchema();
    const options = { pool, isOwnPool: false, transact: undefined, now: undefined };
    const tables = new PostgresRoom({ ...options, schema }).tables(ORDERS);
    await tables.open();
    const waiting = async () => {
      const text = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${schema}.%'`;
      return (await pool.query(text)).rows;
    };
    return {
      tables,
      begin: async () => {
        const transaction = await pool.connect();
        await transaction.query("BEGIN");
        const commit = async () => {
          await transaction.query("COMMIT");
          transaction.release();
        };
        return { transaction, commit };
      },
      untilOneWaits: () => expect.poll(waiting).toHaveLength(1),
    };
  });

  it("waits for a connection as long as a customer can, if all of them are in use", async () => {
    const schema = freshSchema();
    const { checkout } = openShop(newSandbox(), postgresCheckout({ connectionString, schema }));
    await checkout.create(ORDER);
    const client = await pool.connect();
    await client.query(`BEGIN; LOCK TABLE ${schema}.orders`);
    // Ten connections wait for the lock, and the others for a connection.
    const reads = Promise.allSettled(Array.from({ length: 30 }, () => checkout.list()));
    await new Promise((resolve) => setTimeout(resolve, 7_000));
    await client.query("COMMIT");
    client.release();
    expect((await reads).filter(({ status }) => status === "rejected")).toEqual([]);
  });

  it("says how many connections the pool has if none of them is free", async () => {
    const schema = freshSchema();
    const small = new Pool({ connectionString, max: 2, connectionTimeoutMillis: 300 });
    const { checkout } = openShop(newSandbox(), postgresCheckout({ pool: small, schema }));
    await checkout.create(ORDER);
    const held = [await small.connect(), await small.connect()];
    for (const call of [
      () => checkout.get(ORDER.id),
      () => checkout.pay({ ...ORDER, id: "O-2" }),
    ]) {
      const error: unknown = await call().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "connection", outcome: "not_sent" });
      expect(String(error)).toMatch(/pool has 2 connections.*none was free.*`max`/s);
    }
    for (const client of held) client.release();
    expect(await checkout.get(ORDER.id)).toMatchObject({ status: "open" });
    await checkout.stop();
    await small.end();
    await expect(postgresCheckout({ pool: small, schema }).read("")).rejects.toThrow(
      /This engine was closed/,
    );
  });

  it("notices a PostgreSQL that takes a connection and says nothing", async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket)).listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const address = `postgres://shop@127.0.0.1:${port}/shop`;
    const { checkout } = openShop(newSandbox(), postgresCheckout({ connectionString: address }));
    await expect(checkout.get(ORDER.id)).rejects.toThrow(/PostgreSQL accepted no connection/);
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it("makes its tables at the first order, in a process that never calls start", async () => {
    const { checkout } = openShop(newSandbox(), postgresCheckout({ pool, schema: freshSchema() }));
    expect(await checkout.pay(ORDER)).toMatchObject({ status: "pending" });
  });

  it("starts in processes that start at once on an empty database, and have made tables of their own", async () => {
    for (let round = 0; round < 5; round++) {
      const schema = freshSchema();
      const pools = Array.from({ length: 6 }, () => new Pool({ connectionString, max: 1 }));
      const starts = pools.map(async (own, at) => {
        // What the shop does before: its connection remembers that the schema of malipo does not exist.
        await own.query(`CREATE TABLE ${schema}_shop_${at} (id int)`);
        await postgresCheckout({ pool: own, schema }).open();
      });
      const ended = await Promise.allSettled(starts);
      await Promise.all(pools.map((own) => own.end()));
      expect(ended.filter(({ status }) => status === "rejected")).toEqual([]);
    }
  });

  it("runs a query of onPaid once, although it runs at each await, as those of Drizzle and Knex", async () => {
    const runs: string[] = [];
    const { checkout, errors } = openShop(
      newSandbox(),
      postgresCheckout({ pool, schema: freshSchema() }),
      {
        onPaid: (order, { transaction }) =>
          transaction(
            (client: PoolClient): Promise<unknown> => ({
              ...({} as Promise<unknown>),
              // biome-ignore lint/suspicious/noThenProperty: that is what such a query is
              then: (...handlers) => {
                runs.push(order.id);
                return client.query("SELECT 1").then(...handlers);
              },
            }),
          ),
      },
    );
    const { accountReference } = await checkout.create(ORDER);
    const { signWebhook } = await import("malipo/webhooks");
    const { webhookSecret } = newSandbox();
    const data = { reference: "R", status: "completed", amount: "1500.00", currency: "KES" };
    const body = JSON.stringify({
      event: "payment.completed",
      timestamp: new Date().toISOString(),
      data: { ...data, account_reference: accountReference },
    });
    const headers = { "x-service-signature": signWebhook(body, webhookSecret) };
    await checkout.receiver.handle({ method: "POST", headers, body });
    await checkout.reconcile();
    expect(errors).toEqual([]);
    expect(runs).toEqual([ORDER.id]);
    expect(await checkout.get(ORDER.id)).toMatchObject({ status: "paid", effect: "done" });
  });

  it("notes a refund that is decided while the goods are written, after them", async () => {
    const schema = freshSchema();
    const sandbox = newSandbox();
    const other = openShop(sandbox, postgresCheckout({ connectionString, schema }));
    const isWaiting = async () => {
      const { rows } = await pool.query(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE $1",
        [`UPDATE ${schema}.orders%`],
      );
      return rows.length > 0;
    };
    const goods: string[] = [];
    let refunded: Promise<unknown> | undefined;
    const { checkout } = openShop(sandbox, postgresCheckout({ connectionString, schema }), {
      onPaid: (order, { transaction }) =>
        transaction(async (_: PoolClient) => {
          refunded = other.checkout.reviews.resolve(`${ORDER.id}:contradiction:R`, "refunded");
          await expect.poll(isWaiting).toBe(true);
          goods.push(order.id);
        }),
    });
    const order = await checkout.create(ORDER);
    for (const amount of ["1500.00", "90.00"]) {
      const event = completed(order, "R", { amount });
      await deliver(checkout, sandbox, "payment.completed", event);
    }
    await checkout.reconcile();
    await refunded;
    expect(goods).toEqual([ORDER.id]);
    expect(await checkout.get(ORDER.id)).toMatchObject({
      ...{ effect: "done", received: "0.00", payments: [{ isRefunded: true }] },
    });
  });

  it("answers onPaid about its order while another payment of it waits for the transaction", async () => {
    const sandbox = newSandbox();
    const store = postgresCheckout({ pool, schema: freshSchema() });
    let late: Promise<{ status: number }> | undefined;
    let seen: unknown;
    const { checkout, errors } = openShop(sandbox, store, {
      onPaid: (order, { transaction }) =>
        transaction(async () => {
          late ??= deliver(checkout, sandbox, "payment.completed", completed(order, "SECOND"));
          const query =
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ $1";
          await expect
            .poll(async () => (await pool.query(query, ["orders SET version"])).rows)
            .toHaveLength(1);
          seen = await checkout.cancel(order.id);
        }),
    });
    const order = await checkout.create(ORDER);
    await deliver(checkout, sandbox, "payment.completed", completed(order, "FIRST"));
    await checkout.reconcile();
    expect(errors).toEqual([]);
    expect(seen).toMatchObject({ status: "paid" });
    expect((await late)?.status).toBe(200);
    expect(await checkout.inspect(ORDER.id)).toMatchObject({
      effect: "done",
      reviews: [{ kind: "overpaid" }],
    });
  });

  it("rejects a schema whose name PostgreSQL would cut off", () => {
    const schema = "s".repeat(63);
    expect(() => postgresCheckout({ pool, schema })).not.toThrow();
    expect(() => postgresCheckout({ pool, schema: `${schema}2` })).toThrow(/at most 63 bytes/);
  });

  it("is read in a process that has not made an order", async () => {
    const { checkout } = openShop(newSandbox(), postgresCheckout({ pool, schema: freshSchema() }));
    expect(await checkout.get(ORDER.id)).toBeUndefined();
    expect((await checkout.list()).items).toEqual([]);
    expect(await checkout.reviews.list()).toEqual([]);
  });

  it("reads by an index what is due, and no order that is not", async () => {
    const schema = freshSchema();
    const own = new Pool({ connectionString, max: 1, allowExitOnIdle: true });
    const store = postgresCheckout({ pool: own, schema });
    const { checkout } = openShop(newSandbox(), store);
    await checkout.create({ id: "O-", amount: 5, expiresAt: new Date(Date.now() + 3_600_000) });
    await own.query(`INSERT INTO ${schema}.orders
      SELECT id || n, version, label || n, status, has_review, created_at, due_at, planned_at, state
      FROM ${schema}.orders, generate_series(1, 5000) n`);
    await own.query(`VACUUM ANALYZE ${schema}.orders`);
    const rowsRead = async () => {
      await own.query("SELECT pg_stat_force_next_flush()");
      const { rows } = await own.query(
        "SELECT seq_tup_read + idx_tup_fetch AS count FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'orders'",
        [schema],
      );
      return Number(rows[0].count);
    };
    const before = await rowsRead();
    expect(await store.due(32)).toEqual([]);
    expect((await rowsRead()) - before).toBeLessThan(10);
    await own.end();
  });

  const inTransaction = async <Result>(work: (client: PoolClient) => Promise<Result>) => {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      const result = await work(client);
      await client.query("COMMIT");
      return result;
    } finally {
      client.release();
    }
  };
  const wrongTransacts: [string, unknown, RegExp][] = [
    ["passes no connection", (run: Run) => inTransaction((tx) => run(tx)), /got undefined/],
    ["passes only the client", (run: Run) => inTransaction((tx) => run(tx, tx)), /executeSql/],
    [
      "does not return the result",
      async (run: Run) => {
        await inTransaction((tx) => run(tx, { executeSql: (...args) => tx.query(...args) }));
      },
      /return/,
    ],
  ];
  it.each(wrongTransacts)(
    "a `transact` that %s is rejected at start",
    async (_, transact, says) => {
      const store = postgresCheckout({ pool, schema: freshSchema(), transact: transact as never });
      const { checkout } = openShop(newSandbox(), store);
      const started = checkout.start();
      await expect(started).rejects.toMatchObject({ code: "configuration" });
      await expect(started).rejects.toThrow(says);
      await expect(started).rejects.toThrow(/fromDrizzle.*fromPrisma.*fromKysely.*fromKnex/);
    },
  );

  it("works in a role that may not make tables, after the SQL of sql() was run", async () => {
    const schema = freshSchema();
    const role = `${schema}_role`;
    await pool.query(`CREATE ROLE ${role} LOGIN`);
    const url = new URL(connectionString);
    url.username = role;
    const store = postgresCheckout({ connectionString: url.href, schema });
    const { checkout, given } = openShop(newSandbox(), store);
    const early = checkout.create(ORDER);
    await expect(early).rejects.toMatchObject({ code: "configuration" });
    await expect(early).rejects.toThrow(/have another role run the SQL that db\.sql\(\) prints/);
    await pool.query(store.sql());
    await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    expect(await checkout.pay(ORDER)).toMatchObject({ status: "pending" });
    const made = await pool.query("SELECT 1 FROM pg_tables WHERE tableowner = $1", [role]);
    expect(made.rows).toEqual([]);
    expect(given).toEqual([]);
  });
});
