// Compiled, never run: it checks what the compiler accepts and rejects.
import { DatabaseSync } from "node:sqlite";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { createCheckout, memoryCheckout } from "malipo/checkout";
import { type PostgresClient, postgresCheckout } from "malipo/checkout/postgres";
import { sqliteCheckout } from "malipo/checkout/sqlite";
import { Pool, type PoolClient } from "pg";
import { fromDrizzle } from "pg-boss";
import { expectTypeOf, test } from "vitest";

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
    store: sqliteCheckout("data/shop.db"),
    async onPaid(order, { transaction }) {
      await transaction((db) => db.prepare(INSERT).run(order.id));
      await transaction((db) => expectTypeOf(db).toEqualTypeOf<DatabaseSync>());
    },
  });
});

test("it passes on the open database that the store was made with, of either library", () => {
  createCheckout({
    store: sqliteCheckout(new DatabaseSync("data/shop.db")),
    onPaid: (_, { transaction }) =>
      transaction((db) => expectTypeOf(db).toEqualTypeOf<DatabaseSync>()),
  });
  createCheckout({
    store: sqliteCheckout(new BetterSqlite("data/shop.db")),
    onPaid: (_, { transaction }) =>
      transaction((db) => expectTypeOf(db).toEqualTypeOf<BetterSqlite>()),
  });
  createCheckout({
    store: memoryCheckout(),
    onPaid: (_, { transaction }) =>
      transaction((db) => expectTypeOf(db).toEqualTypeOf<DatabaseSync>()),
  });
});

test("it passes on the client of a pool, and for an address a client of a type that may be named", () => {
  createCheckout({
    store: postgresCheckout({ pool: new Pool() }),
    onPaid: (_, { transaction }) =>
      transaction((client) => expectTypeOf(client).toEqualTypeOf<PoolClient>()),
  });
  createCheckout({
    store: postgresCheckout({ connectionString: "postgres://localhost/shop" }),
    onPaid: (_, { transaction }) =>
      transaction((client) => expectTypeOf(client).toEqualTypeOf<PostgresClient>()),
  });
  createCheckout({
    store: postgresCheckout<PoolClient>({ connectionString: "postgres://localhost/shop" }),
    onPaid: (_, { transaction }) =>
      transaction((client) => expectTypeOf(client).toEqualTypeOf<PoolClient>()),
  });
});

const db = drizzle("postgres://localhost/shop");
type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];

test("with transact, the type of the client is stated once: at the store or at the transaction", () => {
  createCheckout({
    store: postgresCheckout({
      connectionString: "postgres://localhost/shop",
      transact: (run) => db.transaction((tx) => run(tx, fromDrizzle(tx, sql))),
    }),
    onPaid: (_, { transaction }) => transaction((tx: Tx) => tx.execute(sql`SELECT 1`)),
  });
  createCheckout({
    store: postgresCheckout<Tx>({
      connectionString: "postgres://localhost/shop",
      transact: (run) => db.transaction((tx) => run(tx, fromDrizzle(tx, sql))),
    }),
    onPaid: (_, { transaction }) => transaction((tx) => expectTypeOf(tx).toEqualTypeOf<Tx>()),
  });
});

test("the connection of a store is not that of another one", () => {
  createCheckout({
    store: sqliteCheckout("data/shop.db"),
    onPaid: (_, { transaction }) =>
      // @ts-expect-error
      transaction((client: PoolClient) => client.query("SELECT 1")),
  });
});
