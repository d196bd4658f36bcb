// A process that is killed in the transaction of onPaid, between the goods and the commit.
import { DatabaseSync } from "node:sqlite";
import BetterSqlite3 from "better-sqlite3";
import {
  type CheckoutOptions,
  createCheckout,
  type Order,
  type PaidContext,
} from "malipo/checkout";
import type { PoolClient } from "pg";
import { ORMS, type OrmName } from "../../support/orms.ts";
import { postgresCheckout } from "../../support/stores/postgres-checkout.ts";
import { sqliteCheckout } from "../../support/stores/sqlite-checkout.ts";

const { engine, place, schema, orm, table, order, now } = JSON.parse(process.argv[2] ?? "{}");
const clock = { now: () => now };
const insert = `INSERT INTO ${table} (order_id) VALUES ('${order}')`;
const die = () => process.kill(process.pid, "SIGKILL");

function onSqlite(database: string | DatabaseSync | BetterSqlite3.Database) {
  return {
    store: sqliteCheckout(database, clock),
    onPaid: (_: Order, { transaction }: PaidContext) =>
      transaction((given: DatabaseSync) => {
        given.exec(insert);
        die();
      }),
  };
}

function onPostgres() {
  const own = orm === undefined ? undefined : ORMS[orm as OrmName](place);
  const give = (client: unknown) =>
    own === undefined
      ? (client as PoolClient).query(insert)
      : own.write(client, table, "order_id", order);
  const options = { connectionString: place, schema, ...clock };
  return {
    store: own
      ? postgresCheckout({ ...options, transact: own.transact })
      : postgresCheckout(options),
    onPaid: (_: Order, { transaction }: PaidContext) =>
      transaction(async (client) => {
        await give(client);
        die();
      }),
  };
}

const SHOPS: Readonly<Record<string, () => Pick<CheckoutOptions, "store" | "onPaid">>> = {
  sqlite: () => onSqlite(place),
  "node:sqlite": () => onSqlite(new DatabaseSync(place)),
  "better-sqlite3": () => onSqlite(new BetterSqlite3(place)),
  postgres: onPostgres,
};

const shop = SHOPS[engine]?.();
if (shop === undefined) throw new Error(`There is no engine ${engine}.`);
const checkout = createCheckout({
  ...shop,
  gateway: { apiKey: "sk_test_0000000000000000", baseUrl: "http://127.0.0.1:9/api" },
  secret: "secret",
});
await checkout.reconcile();
