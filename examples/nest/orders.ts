// The orders of the shop, in a SQLite file. An order has one row for each try to pay it.
import { DatabaseSync, type SQLInputValue } from "node:sqlite";

/** One try to pay an order. */
export interface Try {
  readonly order_id: string;
  /** From 1. A try after a failed one is another payment, so it has another number. */
  readonly number: number;
  readonly item: string;
  readonly amount: number;
  readonly phone: string;
  /** `starting`: we do not know the payment yet. `waiting`: the customer's phone asks for the PIN. */
  readonly state: "starting" | "waiting" | "paid" | "failed";
  /** The payment at the gateway. */
  readonly reference: string | null;
  /** What the customer should know beside the state. */
  readonly message: string;
  /** How often the parcel was sent: once, when the try is paid. */
  readonly shipped: number;
  /** 1 if the customer may pay again. */
  readonly again: 0 | 1;
}

/** How a payment ended. */
export type Ending = Pick<Try, "state" | "message" | "again">;

/** What became of a start: a payment, a failure, or nothing that is known. */
export type Start = Pick<Try, "state"> & Partial<Pick<Try, "reference" | "message" | "again">>;

const TABLE = `CREATE TABLE IF NOT EXISTS tries (
  order_id TEXT NOT NULL, number INTEGER NOT NULL,
  item TEXT NOT NULL, amount INTEGER NOT NULL, phone TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'starting', reference TEXT UNIQUE,
  message TEXT NOT NULL DEFAULT '', again INTEGER NOT NULL DEFAULT 0,
  shipped INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (order_id, number)
) STRICT`;

export class Orders {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    this.#database.exec(`PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; ${TABLE}`);
  }

  #rows(sql: string, values: Record<string, SQLInputValue> = {}): Try[] {
    return this.#database.prepare(sql).all(values) as unknown as Try[];
  }

  /** Adds the first try of an order. Returns `undefined` for a double click, which sends the same id. */
  place(order: Pick<Try, "order_id" | "item" | "amount" | "phone">): Try | undefined {
    return this.#rows(
      `INSERT INTO tries (order_id, number, item, amount, phone)
       VALUES ($order_id, 1, $item, $amount, $phone) ON CONFLICT DO NOTHING RETURNING *`,
      { ...order },
    )[0];
  }

  /** Adds the next try of an order whose last one has failed. Returns `undefined` for a second click. */
  again(id: string): Try | undefined {
    const last = this.find(id);
    if (last?.state !== "failed" || last.again === 0) return undefined;
    return this.#rows(
      `INSERT INTO tries (order_id, number, item, amount, phone)
       SELECT order_id, number + 1, item, amount, phone FROM tries
       WHERE order_id = $id AND number = $number ON CONFLICT DO NOTHING RETURNING *`,
      { id, number: last.number },
    )[0];
  }

  /** The try that decides: the paid one, or the last one. */
  find(id: string): Try | undefined {
    return this.#rows(
      "SELECT * FROM tries WHERE order_id = $id ORDER BY state = 'paid' DESC, number DESC LIMIT 1",
      { id },
    )[0];
  }

  inState(state: Try["state"]): Try[] {
    return this.#rows("SELECT * FROM tries WHERE state = $state", { state });
  }

  /** Writes what became of the start of a try. */
  started({ order_id, number }: Try, start: Start): void {
    this.#rows(
      `UPDATE tries SET state = $state, reference = $reference, message = $message, again = $again
       WHERE order_id = $order_id AND number = $number AND state = 'starting'`,
      { order_id, number, reference: null, message: "", again: 0, ...start },
    );
  }

  has(reference: string): boolean {
    const sql = "SELECT * FROM tries WHERE reference = $reference";
    return this.#rows(sql, { reference }).length > 0;
  }

  /**
   * Ends the try of a payment, and returns it, once. Paid stays paid, whatever comes later. The parcel is
   * sent in the same statement, so that neither a crash nor a duplicate can send it twice or never.
   */
  end(reference: string, ending: Ending): Try | undefined {
    return this.#rows(
      `UPDATE tries SET state = $state, message = $message, again = $again,
         shipped = shipped + ($state = 'paid')
       WHERE reference = $reference AND state <> 'paid' AND state <> $state RETURNING *`,
      { reference, ...ending },
    )[0];
  }

  close(): void {
    this.#database.close();
  }
}
