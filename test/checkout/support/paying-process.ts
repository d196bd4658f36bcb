// A process that is killed in the transaction of onPaid, between the goods and the commit.
import { DatabaseSync } from "node:sqlite";
import BetterSqlite3 from "better-sqlite3";
import {
  type CheckoutOptions,
  createCheckout,
  type Order,
  type PaidContext,
} from "malipo/checkout";
import type { Transact } from "malipo/postgres";
import type { CheckoutStore } from "../../../src/checkout/orders/checkout-store.ts";
import type { OrmName, Orms } from "../../support/orms/orm.ts";
import { mysqlCheckout } from "../../support/stores/mysql-checkout.ts";
import { postgresCheckout } from "../../support/stores/postgres-checkout.ts";
import { sqliteCheckout } from "../../support/stores/sqlite-checkout.ts";

const {
  engine,
  place,
  schema,
  orm,
  table,
  order,
  now,
  refuses = false,
} = JSON.parse(process.argv[2] ?? "{}");
const clock = { now: () => now };
const insert = `INSERT INTO ${table} (order_id) VALUES ('${order}')`;
const die = () => process.kill(process.pid, "SIGKILL");

function onSqlite(database: string | DatabaseSync | BetterSqlite3.Database) {
  return {
    store: sqliteCheckout(database, clock),
    onPaid: (_: Order, { transaction, refuse }: PaidContext) =>
      transaction((given: DatabaseSync) => {
        given.exec(insert);
        if (refuses) refuse("The seat is gone.");
        die();
      }),
  };
}

/**
 * @param orms - Loads the libraries, which takes seconds: only for a process that uses one.
 * @param store - On the server, with the `transact` of a library, or of the driver.
 */
async function onServer(
  orms: () => Promise<Orms>,
  store: (transact: Transact | undefined) => CheckoutStore,
) {
  const own = orm === undefined ? undefined : (await orms())[orm as OrmName](place);
  return {
    store: store(own?.transact),
    onPaid: (_: Order, { transaction, refuse }: PaidContext) =>
      transaction(async (client) => {
        if (refuses) refuse("The seat is gone.");
        if (own) await own.write(client, table, "order_id", order);
        else await (client as { query(text: string): Promise<unknown> }).query(insert);
        die();
      }),
  };
}

type Shop = Pick<CheckoutOptions, "store" | "onPaid">;

const postgresOrms = async () =>
  (await import("../../support/orms/postgres-orms.ts")).POSTGRES_ORMS;
const mysqlOrms = async () => (await import("../../support/orms/mysql-orms.ts")).MYSQL_ORMS;

const SHOPS: Readonly<Record<string, () => Shop | Promise<Shop>>> = {
  sqlite: () => onSqlite(place),
  "node:sqlite": () => onSqlite(new DatabaseSync(place)),
  "better-sqlite3": () => onSqlite(new BetterSqlite3(place)),
  postgres: () =>
    onServer(postgresOrms, (transact) =>
      postgresCheckout({
        connectionString: place as string,
        schema,
        ...clock,
        transact: transact as never,
      }),
    ),
  mysql: () =>
    onServer(mysqlOrms, (transact) =>
      mysqlCheckout(place, { ...clock, ...(transact && { transact }) }),
    ),
};

const shop = await SHOPS[engine]?.();
if (shop === undefined) throw new Error(`There is no engine ${engine}.`);
const checkout = createCheckout({
  ...shop,
  gateway: { apiKey: "sk_test_0000000000000000", baseUrl: "http://127.0.0.1:9/api" },
  secret: "secret",
});
await checkout.reconcile();
