// A shop that a reader once condensed from the manual. It survives each lost message and each kill, and it gives a
// parcel for each paid attempt, compares no amounts, and asks another phone under a known id.
import { createServer } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { Gateway, isGatewayError, verifyWebhook } from "malipo";
import { sqlite } from "malipo/sqlite";

const { DATA = "", PORT, MALIPO_WEBHOOK_SECRET: secret = "" } = process.env;
const database = new DatabaseSync(join(DATA, "shop.db"));
database.exec(`PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS attempts (id TEXT, key TEXT PRIMARY KEY, phone TEXT, amount INT, at INT,
    status TEXT DEFAULT 'pending', reference TEXT)`);
const idempotency = sqlite(join(DATA, "keys.db"));
const gateway = new Gateway({ idempotency, timeoutMs: 1_000, totalTimeoutMs: 2_000 });

interface Attempt {
  readonly id: string;
  readonly key: string;
  readonly phone: string;
  readonly amount: number;
  readonly at: number;
  readonly status: string;
  readonly reference: string | null;
}
const rows = (sql: string, ...values: (string | number)[]) =>
  database.prepare(sql).all(...values) as unknown as Attempt[];
const end = (key: string, status: string) =>
  rows(
    "UPDATE attempts SET status = ? WHERE key = ? AND status <> 'paid' RETURNING *",
    status,
    key,
  );

async function ask({ id, key, phone, amount }: Attempt): Promise<void> {
  try {
    const params = { phone, amount, account_reference: id };
    const { reference } = await gateway.mobileMoney.initiate(params, { idempotencyKey: key });
    rows("UPDATE attempts SET reference = ? WHERE key = ? RETURNING *", reference, key);
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    if (error.outcome === "unknown" || error.code === "attempt_in_flight") return;
    end(key, "failed");
  }
}

/** Adds an attempt, and asks the phone, unless there is one with this key. */
async function pay(id: string, key: string, phone: string, amount: number): Promise<void> {
  const insert = `INSERT INTO attempts (id, key, phone, amount, at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING RETURNING *`;
  const [added] = rows(insert, id, key, phone, amount, Date.now());
  if (added !== undefined) await ask(added);
}

async function look(): Promise<void> {
  const pending = rows("SELECT * FROM attempts WHERE status = 'pending'");
  const { items } =
    pending.length > 0 ? await gateway.payments.list({ per_page: 100 }) : { items: [] };
  for (const { id, key, at, reference } of pending) {
    const known = rows("SELECT * FROM attempts WHERE id = ?", id).map((one) => one.reference);
    const payment = items.find((one) =>
      reference === null
        ? one.account_reference === id && !known.includes(`${one.reference}`)
        : one.reference === reference,
    );
    if (payment?.status === "completed") end(key, "paid");
    else if (payment?.status === "failed") end(key, "failed");
    else if (payment === undefined && Date.now() - at > 8_000) end(key, "failed");
  }
}

function receive(body: string, signature: string): number {
  try {
    const { event, data } = verifyWebhook({ body, signature, secret });
    const [found] = rows("SELECT * FROM attempts WHERE reference = ?", `${data.reference}`);
    if (event === "payment.initiated" || found === undefined) return 200;
    end(found.key, event === "payment.completed" ? "paid" : "failed");
    return 200;
  } catch {
    return 401;
  }
}

createServer(async (request, response) => {
  const body = await text(request);
  const [, folder, id = "", action] = (request.url ?? "").split("/");
  if (folder === "webhooks") {
    return void response
      .writeHead(receive(body, `${request.headers["x-service-signature"]}`))
      .end();
  }
  const attempts = rows("SELECT * FROM attempts WHERE id = ? ORDER BY at DESC", id);
  const [last] = attempts;
  const isPaid = attempts.some(({ status }) => status === "paid");
  if (action === "again") {
    const { phone = "", amount = 0 } = last ?? {};
    if (last?.status === "failed" && !isPaid)
      await pay(id, `${id}/${attempts.length}`, phone, amount);
    return void response.end();
  }
  if (request.method === "POST") {
    const { order, phone, amount } = JSON.parse(body);
    await pay(order, `${order}/${phone}`, phone, amount);
    return void response.writeHead(201).end(JSON.stringify({ id: order }));
  }
  const shipped = attempts.filter(({ status }) => status === "paid").length;
  const view = { id, status: isPaid ? "paid" : last?.status, shipped };
  response.writeHead(last ? 200 : 404).end(last && JSON.stringify(view));
}).listen(Number(PORT), "127.0.0.1");

for (const one of rows("SELECT * FROM attempts WHERE status = 'pending' AND reference IS NULL"))
  void ask(one);
setInterval(() => look().catch(() => {}), 500);
process.once("SIGTERM", () => process.exit());
