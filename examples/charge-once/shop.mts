// A shop that uses only the client and a receiver, with a table of its own: an order is paid once.
import { DatabaseSync } from "node:sqlite";
import express from "express";
import { Gateway, isGatewayError } from "malipo";
import { nodeHandler } from "malipo/node";
import { sqlite } from "malipo/sqlite";
import { createWebhookReceiver } from "malipo/webhooks";

const { DATA = ".", PORT = 3000, MALIPO_NOT_SENT_AFTER_MS = 600_000 } = process.env;
const PRICES = new Map([["course", 1500]]);
const ID = /^[\w-]{12}$/; // made by the page; the account reference of the order, too
const PROMPT_WITHIN_MS = 20_000;

interface Order {
  readonly id: string;
  readonly amount: number;
  readonly status: "pending" | "failed" | "paid";
  /** The number of the attempt, from 1: a new one begins only after the last one has failed. */
  readonly attempt: number;
  readonly asked_at: number;
  /** The payment of this attempt, once it is known. */
  readonly reference: string | null;
}
const store = sqlite(`${DATA}/shop.db`); // keys and webhooks
await store.open(); // makes the file, which only its owner may read
const database = new DatabaseSync(`${DATA}/shop.db`, { timeout: 5_000 });
database.exec(`CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, amount INT, asked_at INT,
  status TEXT DEFAULT 'pending', attempt INT DEFAULT 1, reference TEXT, shipped INT DEFAULT 0)`);
const select = (rest: string, ...values: string[]) =>
  database.prepare(`SELECT * FROM orders ${rest}`).all(...values) as unknown as Order[];
const find = (id: string) => select("WHERE id = ?", id)[0];
/** Returns whether a row has changed. */
const write = (sql: string, ...values: (string | number)[]) =>
  database.prepare(sql).run(...values).changes === 1;

const UNKNOWN = "WHERE status = 'pending' AND reference IS NULL";
const KNOWN = "WHERE status = 'pending' AND reference IS NOT NULL";
const ADD = "INSERT OR IGNORE INTO orders (asked_at, id, amount) VALUES (?, ?, ?)";
const AGAIN = `UPDATE orders SET status = 'pending', attempt = attempt + 1, reference = NULL, asked_at = ?
  WHERE id = ? AND attempt = ? AND status = 'failed'`;
const KNOW = "UPDATE orders SET reference = ? WHERE id = ? AND attempt = ?";
const FAIL =
  "UPDATE orders SET status = 'failed' WHERE id = ? AND attempt = ? AND status = 'pending'";
const FAILED = "UPDATE orders SET status = 'failed' WHERE reference = ? AND status = 'pending'";
const PAID =
  "UPDATE orders SET status = 'paid', shipped = shipped + 1 WHERE id = ? AND status <> 'paid'";

const gateway = new Gateway({ idempotency: store, totalTimeoutMs: 10_000 });
const receiver = createWebhookReceiver({
  inbox: store,
  payments: gateway.payments,
  attempts: gateway.idempotency, // an event resolves its attempt of unknown outcome
  ignore: ["payment.initiated"],
  onDoublePayment: ({ value, references }) => console.warn("paid twice?", value, references),
});

/** Asks the phone. Only the click that has changed the row calls it. */
async function ask({ id, amount, attempt, asked_at }: Order, phone: string) {
  const params = { amount, phone, account_reference: id };
  const options = { idempotencyKey: `${id}/${attempt}`, sendBefore: asked_at + PROMPT_WITHIN_MS };
  try {
    const { reference } = await gateway.mobileMoney.initiate(params, options);
    write(KNOW, reference, id, attempt);
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    // Nothing was sent, or it was rejected. After any other error, the phone may ring.
    if (error.key === "free" || error.code === "invalid_params") write(FAIL, id, attempt);
  }
}

receiver.on("payment.completed", async ({ data }, { transaction }) => {
  const { account_reference: id = "", amount, currency, reference } = data;
  // After 12 attempts it is a dead letter: a person decides.
  if (find(id)?.amount !== Number(amount) || currency !== "KES")
    throw new Error(`${reference} is not the money of the order ${id}`);
  await transaction((db: DatabaseSync) => db.prepare(PAID).run(id)); // commits once
});
receiver.on("payment.failed", async ({ data: { reference } }) => {
  if (write(FAILED, `${reference}`)) return;
  // It is of an earlier attempt, or the response is still to come: then this runs again.
  if (select(UNKNOWN).length > 0)
    throw new Error(`${reference} may be of an order whose reference is not known yet`);
});
await receiver.start();

/** Closes what a crash, a lost response or a lost webhook has left open. */
async function reconcile() {
  // Your service certainly lists a payment by then. The drill, whose service does so at once, sets less.
  const times = { lookBackMs: 86_400_000, notSentAfterMs: Number(MALIPO_NOT_SENT_AFTER_MS) };
  for (const { state, attempt } of await gateway.idempotency.resolveUnknown(times))
    if (state === "unclear") console.warn("needs review:", attempt.idempotencyKey);
  for (const { id, attempt, asked_at } of select(UNKNOWN)) {
    const key = await gateway.idempotency.get(`${id}/${attempt}`);
    if (key.state === "succeeded") write(KNOW, `${key.reference}`, id, attempt);
    const isOver = Date.now() > asked_at + PROMPT_WITHIN_MS + 10_000;
    if (key.state === "free" && isOver) write(FAIL, id, attempt); // nothing was sent
  }
  await receiver.sweep(select(KNOWN).map(({ reference }) => `${reference}`));
}
setInterval(() => reconcile().catch(console.error), 10_000);

const app = express();
app.use("/webhooks", nodeHandler(receiver)); // above every body parser
app.use(express.json());
app.post("/orders", async ({ body: { order: id, item, phone, after = 0 } = {} }, response) => {
  const price = PRICES.get(item); // your price, never one of the page
  if (price === undefined || !ID.test(id))
    return void response.status(400).json({ message: "We do not sell that." });
  // However often the customer clicks, one click changes the row.
  const isFirst =
    after > 0 ? write(AGAIN, Date.now(), id, after) : write(ADD, Date.now(), id, price);
  const order = find(id);
  if (order && isFirst) await ask(order, phone);
  response.json(find(id));
});
app.get("/orders/:id", ({ params }, response) => {
  const order = find(params.id);
  response.status(order ? 200 : 404).json(order ?? { message: "This order does not exist." });
});
app.listen(Number(PORT));
