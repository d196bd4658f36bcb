import type { Transact } from "malipo/postgres";
import type { CheckoutStore } from "../../src/checkout/orders/checkout-store.ts";
import type { Orm, OrmName, Orms } from "../support/orms/orm.ts";
import { checkoutTransactionSuite, type MerchantDatabase } from "./checkout-transaction.ts";
import { wrongEndingsSuite } from "./wrong-endings.ts";
import type { Engine } from "./wrong-on-paid.ts";

/** Where the merchant writes with one library: the tables of a checkout beside his goods. Both are empty. */
interface MerchantPlace extends Pick<MerchantDatabase, "goods" | "giveElsewhere" | "place"> {
  /** The address for his library. */
  readonly url: string;
  /** The table of goods. */
  readonly table: string;
  open(options: { readonly now: () => number; readonly transact?: Transact }): CheckoutStore;
}

/** A database server, and how the merchant writes to it. */
export interface MerchantServer {
  /** Its driver, and how he writes by that. */
  readonly driver: string;
  byDriver(place: MerchantPlace): Pick<MerchantDatabase, "give" | "sql" | "inTransaction">;
  /** The columns of the table of wrong ways to write `onPaid`: for the driver and for the libraries. */
  readonly engines: { readonly driver: Engine; readonly orm: Engine };
  readonly orms: Orms;
  /** Once for each library. A place is cleared before each test. */
  prepare(library: string): Promise<MerchantPlace>;
  /** Ends every connection, as a crash of the server does. */
  cut(): Promise<unknown>;
}

/** What orders promise beside the merchant's own code: with the driver, and with each library. */
export function merchantServerSuite(server: MerchantServer, opened: Map<OrmName, Orm>): void {
  const { driver, engines, orms } = server;
  const onDriver = async (now: () => number): Promise<MerchantDatabase> => {
    const place = await server.prepare(driver);
    return { ...place, open: () => place.open({ now }), ...server.byDriver(place) };
  };
  const onOrm =
    (name: OrmName) =>
    async (now: () => number): Promise<MerchantDatabase> => {
      const { url, table, open, place, ...common } = await server.prepare(name);
      const orm = opened.get(name) ?? orms[name](url);
      opened.set(name, orm);
      const { transact } = orm;
      return {
        ...common,
        place: { ...place, orm: name },
        open: () => open({ transact, now }),
        give: (client, order) => orm.write(client, table, "order_id", order),
        sql: (client, text) => orm.run(client, text),
        inTransaction: (work) => transact((client, db) => work(db, client)),
      };
    };
  checkoutTransactionSuite(driver, onDriver, server.cut);
  wrongEndingsSuite(driver, engines.driver, onDriver);
  for (const name of Object.keys(orms) as OrmName[]) {
    checkoutTransactionSuite(name, onOrm(name), server.cut, true);
    wrongEndingsSuite(name, engines.orm, onOrm(name), name);
  }
}
