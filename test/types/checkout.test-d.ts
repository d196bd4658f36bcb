// Compiled, never run: it checks what the compiler accepts and rejects.
import { DatabaseSync } from "node:sqlite";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { Gateway, type MemoryDatabase, memory } from "malipo";
import {
  type Checkout,
  type CustomerOrder,
  createCheckout,
  type MessageCode,
  type MessageValues,
  type Order,
  type PayPageMessages,
  type PayPageTexts,
} from "malipo/checkout";
import { mysql } from "malipo/mysql";
import { type PostgresClient, postgres } from "malipo/postgres";
import { redis } from "malipo/redis";
import { sqlite } from "malipo/sqlite";
import { createWebhookReceiver } from "malipo/webhooks";
import { createPool as createCallbackPool } from "mysql2";
import { createPool, type PoolConnection } from "mysql2/promise";
import { Pool, type PoolClient } from "pg";
import { fromDrizzle } from "pg-boss";
import { expectTypeOf, test } from "vitest";
import {
  type MESSAGES,
  messageOf,
  type NamesIn,
} from "../../src/checkout/rules/customer-messages.ts";

/** `Database` of better-sqlite3, as its types declare it. */
declare class BetterSqlite {
  constructor(path: string);
  readonly inTransaction: boolean;
  exec(sql: string): this;
  prepare(sql: string): {
    readonly reader: boolean;
    all(...values: unknown[]): unknown[];
    run(...values: unknown[]): { changes: number; lastInsertRowid: number | bigint };
  };
  pragma(source: string): unknown;
}

const INSERT = "INSERT INTO tickets (order_id) VALUES (?)";

test("the transaction of onPaid passes on the database of a path", () => {
  createCheckout({
    store: sqlite("data/shop.db"),
    async onPaid(order, { transaction }) {
      await transaction((db) => db.prepare(INSERT).run(order.id));
      await transaction((db) => expectTypeOf(db).toEqualTypeOf<DatabaseSync>());
    },
  });
});

test("it passes on the open database that the store was made with, of either library", () => {
  createCheckout({
    store: sqlite(new DatabaseSync("data/shop.db")),
    onPaid: (_, { transaction }) =>
      transaction((db) => expectTypeOf(db).toEqualTypeOf<DatabaseSync>()),
  });
  createCheckout({
    store: sqlite(new BetterSqlite("data/shop.db")),
    onPaid: (_, { transaction }) =>
      transaction((db) => expectTypeOf(db).toEqualTypeOf<BetterSqlite>()),
  });
  createCheckout({
    store: memory(),
    onPaid: (_, { transaction }) =>
      transaction((db) => expectTypeOf(db).toEqualTypeOf<MemoryDatabase>()),
  });
});

test("it passes on the client of a pool, and for an address a client of a type that may be named", () => {
  createCheckout({
    store: postgres(new Pool()),
    onPaid: (_, { transaction }) =>
      transaction((client) => expectTypeOf(client).toEqualTypeOf<PoolClient>()),
  });
  createCheckout({
    store: postgres("postgres://localhost/shop"),
    onPaid: (_, { transaction }) =>
      transaction((client) => expectTypeOf(client).toEqualTypeOf<PostgresClient>()),
  });
  createCheckout({
    store: postgres<PoolClient>("postgres://localhost/shop"),
    onPaid: (_, { transaction }) =>
      transaction((client) => expectTypeOf(client).toEqualTypeOf<PoolClient>()),
  });
});

test("it passes on a connection of mysql2", () => {
  for (const source of ["mysql://localhost/shop", createPool({}), createCallbackPool({})]) {
    createCheckout({
      store: mysql(source),
      onPaid: (_, { transaction }) =>
        transaction((connection) => expectTypeOf(connection).toEqualTypeOf<PoolConnection>()),
    });
  }
});

const db = drizzle("postgres://localhost/shop");
type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];

test("with transact, the type of the client is stated once: at the store or at the transaction", () => {
  createCheckout({
    store: postgres("postgres://localhost/shop", {
      transact: (run) => db.transaction((tx) => run(tx, fromDrizzle(tx, sql))),
    }),
    onPaid: (_, { transaction }) => transaction((tx: Tx) => tx.execute(sql`SELECT 1`)),
  });
  createCheckout({
    store: postgres<Tx>("postgres://localhost/shop", {
      transact: (run) => db.transaction((tx) => run(tx, fromDrizzle(tx, sql))),
    }),
    onPaid: (_, { transaction }) => transaction((tx) => expectTypeOf(tx).toEqualTypeOf<Tx>()),
  });
});

test("the connection of a store is not that of another one", () => {
  createCheckout({
    store: sqlite("data/shop.db"),
    onPaid: (_, { transaction }) =>
      // @ts-expect-error
      transaction((client: PoolClient) => client.query("SELECT 1")),
  });
});

test("an engine is taken only by the options of what it holds", () => {
  // @ts-expect-error: Redis holds no orders
  createCheckout({ store: redis("redis://localhost"), onPaid: () => {} });
  // @ts-expect-error: a file carries no wake-ups between processes
  new Gateway({ wakeups: sqlite("data/shop.db") });
  // @ts-expect-error: nor does a MariaDB
  createWebhookReceiver({ wakeups: mysql("mysql://localhost/shop") });
  // @ts-expect-error: nor does memory
  createWebhookReceiver({ wakeups: memory() });
  new Gateway({ idempotency: redis("redis://localhost"), wakeups: redis("redis://localhost") });
  new Gateway({ idempotency: memory(), wakeups: postgres("postgres://localhost/shop") });
  createWebhookReceiver({ inbox: sqlite("a.db"), wakeups: postgres("postgres://localhost/shop") });
  createWebhookReceiver({ inbox: postgres(new Pool()).inbox({ retentionMs: 1 }) });
  // @ts-expect-error: a file has one inbox
  sqlite("data/shop.db").inbox({ queue: "events" });
  // @ts-expect-error: Redis makes no tables
  redis("redis://localhost").sql();
});

test("a message has the values that its words name", () => {
  type Text = (typeof MESSAGES)[keyof typeof MESSAGES];
  expectTypeOf<NamesIn<Text>>().toEqualTypeOf<keyof MessageValues>();
  messageOf("phone_limit_minutes", { minutes: 3 });
  // @ts-expect-error: without its value
  messageOf("phone_limit_minutes");
  // @ts-expect-error: with the value of another one
  messageOf("phone_limit_minutes", { hours: 3 });
  // @ts-expect-error: it has none
  messageOf("not_paid", { minutes: 3 });
});

declare const checkout: Checkout;
type Got<Call extends (...given: never) => unknown> = NonNullable<Awaited<ReturnType<Call>>>;

test("what a customer's request returns has nothing for staff, and what staff reads has all", () => {
  type Calls = "pay" | "create" | "get" | "wait" | "update" | "cancel";
  expectTypeOf<Got<Checkout[Calls]>>().toEqualTypeOf<CustomerOrder>();
  expectTypeOf<Got<typeof checkout.inspect>>().toEqualTypeOf<Order>();
  expectTypeOf<Got<typeof checkout.refunds.add>>().toEqualTypeOf<Order>();
  expectTypeOf<Got<typeof checkout.reviews.resolve>>().toEqualTypeOf<Order>();
  expectTypeOf<CustomerOrder>().not.toHaveProperty("reviews");
  expectTypeOf<CustomerOrder["refunds"][number]>().not.toHaveProperty("by");
  expectTypeOf<CustomerOrder["refunds"][number]>().not.toHaveProperty("reason");
  expectTypeOf<CustomerOrder["attempts"][number]>().not.toHaveProperty("reason");
  expectTypeOf<Order["refunds"][number]>().toHaveProperty("reason");
});

test("the order of staff is not taken for that of a customer, nor the other way round", async () => {
  const show = (_: CustomerOrder) => {};
  const decide = (_: Order) => {};
  const seen = await checkout.pay({ id: "1", amount: 1, phone: "0712345678" });
  const whole = await checkout.refunds.add("1", { amount: 1, by: "Amina" });
  show(seen);
  decide(whole);
  // @ts-expect-error: a page would get what only staff may read
  show(whole);
  // @ts-expect-error: it has no reviews
  decide(seen);
  // @ts-expect-error: none of it may be public
  decide(seen.metadata.item);
});

/** Takes a value of a type. */
const takes = <Type>(value: Type) => value;

test("a language has no gap, unless it is a merchant's own", () => {
  const reasons = { not_sent: "Non envoyé." };
  takes<PayPageMessages>({ fr: { language: "Français", reasons } });
  // @ts-expect-error: reasons are missing
  takes<PayPageTexts["reasons"]>(reasons);
  // @ts-expect-error: a key is a code
  takes<PayPageMessages>({ fr: { reasons: { "The PIN was wrong.": "Code faux." } } });
  // @ts-expect-error: a table of a shop's own, too
  takes<Record<MessageCode, string>>(reasons);
});
