// What the shop sells, and what it does when an order is paid. It knows nothing of the web framework.
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isGatewayError } from "malipo";
import { type CustomerOrder, createCheckout } from "malipo/checkout";
import { sqlite } from "malipo/sqlite";

/** The prices in KES. They are the shop's: a form only names an item. */
export const PRICES: Readonly<Record<string, number>> = { Coffee: 1500, Tea: 800 };

/** A form gets the id of its order before it is sent, so that a double click is one order. */
export const newOrderId = (): string => randomBytes(6).toString("hex").toUpperCase();

/** What the customer reads about an order. */
export const saysOf = ({ status, message }: CustomerOrder): string =>
  status === "open" ? `Not paid. ${message}` : message;

/** What the customer reads for each parcel. */
export const SENT = "Your parcel is on its way. ";

/** What a page sends: the first click, a double click, and "Pay again" are one form. */
type Form = Readonly<Record<string, unknown>>;

export function openShop(folder = process.env.SHOP_DATA ?? "data") {
  mkdirSync(folder, { recursive: true, mode: 0o700 }); // it holds phone numbers
  const file = join(folder, "shop.db");
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000;
    CREATE TABLE IF NOT EXISTS parcels (number INTEGER PRIMARY KEY, order_id TEXT NOT NULL) STRICT`);

  const db = sqlite(file);
  // Reads MALIPO_API_KEY, MALIPO_BASE_URL and MALIPO_WEBHOOK_SECRET.
  const checkout = createCheckout({
    store: db,
    publicMetadata: ["item"],
    async onPaid(order, { transaction }) {
      // The parcel and "done" commit together: a crash can neither lose nor repeat it.
      const sql = "INSERT INTO parcels (order_id) VALUES (?)";
      await transaction((connection) => connection.prepare(sql).run(order.id));
    },
  });

  return {
    checkout,

    /** Asks the phone for the money. Returns what to answer, if the form is wrong. */
    async pay({ order: id, item, phone, after }: Form): Promise<string | undefined> {
      const amount = Object.hasOwn(PRICES, `${item}`) ? PRICES[`${item}`] : undefined;
      if (amount === undefined || !/^[\dA-F]{12}$/.test(`${id}`)) return "This form is not ours.";
      const order = { id: `${id}`, amount, phone: `${phone}`, metadata: { item } };
      try {
        await checkout.pay(order, after === undefined ? {} : { after: Number(after) });
        return undefined;
      } catch (error) {
        if (isGatewayError(error) && error.code === "invalid_params")
          return "Something here is wrong. Is the number right?";
        if (isGatewayError(error) && error.code === "order_conflict")
          return "That is another order.";
        throw error;
      }
    },

    find: (id: string): Promise<CustomerOrder | undefined> => checkout.get(id),

    /** How many parcels were sent for an order: one, if it is paid. */
    parcels(id: string): number {
      const sql = "SELECT count(*) AS parcels FROM parcels WHERE order_id = ?";
      return Number(database.prepare(sql).get(id)?.parcels);
    },

    async stop(): Promise<void> {
      await checkout.stop(); // what runs now ends first
      await db.close();
      database.close();
    },
  };
}

export type Shop = ReturnType<typeof openShop>;
