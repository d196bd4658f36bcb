// A small shop that does everything right. The broken shops of broken-shops.ts have one line changed.
import { createServer } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { Gateway, isGatewayError, verifyWebhook, WebhookVerificationError } from "malipo";
import { sqlite } from "malipo/sqlite";

const { DATA = "", PORT, MALIPO_WEBHOOK_SECRET: secret = "" } = process.env;
const database = new DatabaseSync(join(DATA, "shop.db"));
database.exec(`PRAGMA busy_timeout = 20000; PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, phone TEXT, amount INT, at INT,
    attempt INT DEFAULT 1, status TEXT DEFAULT 'pending', reference TEXT, former TEXT DEFAULT '',
    closed INT DEFAULT 0, shipped INT DEFAULT 0, asked INT);
  CREATE TABLE IF NOT EXISTS money (reference TEXT PRIMARY KEY, id TEXT, amount INT);
  CREATE TABLE IF NOT EXISTS items (id TEXT PRIMARY KEY, pieces INT);
  INSERT OR IGNORE INTO items VALUES ('last', 1)`);
const idempotency = sqlite(join(DATA, "keys.db"));
const gateway = new Gateway({
  idempotency,
  timeoutMs: 2_000,
  totalTimeoutMs: 2_500,
  maxRetries: 0,
});
const GIVE_UP_MS = 8_000;
/** An order is read at the service from then on. */
const READ_AFTER_MS = 500;
/** A prompt that comes later surprises the customer. */
const PROMPT_WITHIN_MS = 60_000;

interface Order {
  readonly id: string;
  readonly phone: string;
  readonly amount: number;
  /** What the phone is asked for: what was left of the amount. */
  readonly asked: number;
  readonly at: number;
  readonly attempt: number;
  readonly status: string;
  readonly reference: string | null;
  /** The references of earlier attempts. */
  readonly former: string;
  readonly shipped: number;
}

const rows = (condition: string, ...values: (string | number)[]) =>
  database.prepare(`SELECT * FROM orders WHERE ${condition}`).all(...values) as unknown as Order[];
const change = (sql: string, ...values: (string | number)[]) =>
  Number(database.prepare(`UPDATE orders SET ${sql}`).run(...values).changes);

function ship(id: string): void {
  change("shipped = shipped + 1 WHERE id = ?", id);
}

/** What is left to pay of an order. */
const due = (id: string) =>
  Number(
    database
      .prepare(
        "SELECT amount - (SELECT coalesce(sum(amount), 0) FROM money WHERE id = orders.id) AS due FROM orders WHERE id = ?",
      )
      .get(id)?.due,
  );

interface Paid {
  readonly reference?: unknown;
  readonly amount?: unknown;
  readonly currency?: unknown;
}

/** Ends an attempt. A late success after a failure is a success; paid stays paid. */
function end({ id, attempt, reference }: Order, result: "paid" | "failed", payment?: Paid): void {
  database.exec("BEGIN IMMEDIATE");
  if (result === "paid" && payment) {
    const add = "INSERT INTO money VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
    database.prepare(add).run(`${payment.reference}`, id, Number(payment.amount));
  }
  const isPart = result === "paid" && due(id) > 0;
  // A part by hand says nothing of the prompt that the phone may show.
  const status = isPart && reference !== payment?.reference ? "" : isPart ? "failed" : result;
  // The failure of an attempt says nothing of the next one.
  const changed = change(
    "status = ? WHERE id = ? AND ? <> '' AND closed = 0 AND status NOT IN ('canceled', 'refunded', 'paid', ?) AND (? = 'paid' OR attempt = ?)",
    ...[status, id, status, status, status, attempt],
  );
  if (status === "paid" && changed === 1) ship(id);
  database.exec("COMMIT");
}

/** Money by hand, or of an earlier attempt: what has come is added up. */
const isOther = ({ reference, former, status }: Order, payment: Paid) =>
  former.includes(`${payment.reference}`) ||
  (payment.reference !== reference && (reference !== null || status !== "pending"));

/** Another amount or currency of a prompt is not this order's money. */
const isFor = (order: Order, payment: Paid) =>
  (Number(payment.amount) === order.asked || isOther(order, payment)) && payment.currency === "KES";

/** A response, or a read after a lost one, tells the reference of an attempt: the next attempt has another one. */
const know = (id: string, attempt: number, reference: string) =>
  change("reference = ? WHERE id = ? AND attempt = ?", reference, id, attempt);

async function ask({ id, phone, asked, attempt }: Order): Promise<void> {
  const params = { phone, amount: asked, account_reference: id };
  const key = `${id}/${attempt}`;
  try {
    const { reference } = await gateway.mobileMoney.initiate(params, { idempotencyKey: key });
    know(id, attempt, reference);
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    if (error.outcome === "unknown" || error.code === "attempt_in_flight") return;
    const failed =
      "status = 'failed', closed = 1 WHERE id = ? AND attempt = ? AND status = 'pending'";
    change(failed, id, attempt);
  }
}

async function look(): Promise<void> {
  for (const order of rows("status = 'pending' AND at <= ?", Date.now() - READ_AFTER_MS)) {
    const { id, reference, former, at, attempt } = order;
    const list = reference === null ? await gateway.payments.list({ per_page: 100 }) : undefined;
    const isNew = (one: { reference?: unknown }) => !former.includes(`${one.reference}`);
    const listed = list?.items.find((one) => one.account_reference === id && isNew(one));
    const found = reference ?? listed?.reference;
    if (reference === null && found !== undefined) know(id, attempt, String(found));
    const payment = found === undefined ? undefined : await gateway.payments.get(String(found));
    if (payment?.status === "completed" && isFor(order, payment)) end(order, "paid", payment);
    else if (payment?.status === "failed") end(order, "failed");
    else if (payment === undefined && Date.now() - at > GIVE_UP_MS) end(order, "failed");
  }
}

function receive(body: string, signature: string): number {
  try {
    const { event, data } = verifyWebhook({ body, signature, secret });
    const label = "account_reference" in data ? `${data.account_reference}` : "";
    const order = rows("reference = ? OR id = ?", `${data.reference}`, label)[0];
    if (order === undefined) return event === "payment.failed" ? 503 : 200;
    // What contradicts itself says nothing: a read tells what is true.
    if (event !== `payment.${"status" in data ? data.status : "initiated"}`) return 200;
    if (event === "payment.completed" && isFor(order, data)) end(order, "paid", data);
    if (event === "payment.failed" && order.reference === data.reference) end(order, "failed");
    return 200;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return 401;
    throw error;
  }
}

/** Adds an order, with its piece if the stock of its item is limited. It keeps the piece, so that it can be paid again. */
function add({
  order,
  phone,
  amount,
  item,
}: Record<string, string>): "added" | "known" | "sold out" {
  const insert =
    "INSERT INTO orders (id, phone, amount, asked, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING";
  const take = database.prepare("UPDATE items SET pieces = pieces - 1 WHERE id = ? AND pieces > 0");
  database.exec("BEGIN IMMEDIATE");
  const { changes } = database
    .prepare(insert)
    .run(`${order}`, `${phone}`, Number(amount), Number(amount), Date.now());
  const isSoldOut = changes === 1 && item !== undefined && take.run(item).changes === 0;
  database.exec(isSoldOut ? "ROLLBACK" : "COMMIT");
  return isSoldOut ? "sold out" : changes === 1 ? "added" : "known";
}

/** Whether an order is canceled, refunded or changed now; `undefined` for other requests. */
function manage(id: string, action: string | undefined, body: string): boolean | undefined {
  const [text, ...values] =
    {
      cancel: ["status = 'canceled' WHERE id = ? AND status IN ('pending', 'failed')"],
      refund: ["status = 'refunded' WHERE id = ? AND status = 'paid'"],
      // What comes of a phone that rings is a part then.
      update: [
        "amount = ? WHERE id = ? AND status IN ('pending', 'failed')",
        action === "update" ? JSON.parse(body).amount : 0,
      ],
    }[action ?? ""] ?? [];
  return text === undefined ? undefined : change(text, ...values, id) === 1;
}

const view = ({ id, status, shipped }: Order) => ({ id, status, shipped });

const server = createServer(async (request, response) => {
  const body = await text(request);
  const [, folder, id = "", action] = (request.url ?? "").split("/");
  if (folder === "webhooks") {
    response.writeHead(receive(body, String(request.headers["x-service-signature"]))).end();
    return;
  }
  const managed = manage(id, request.method === "PUT" ? "update" : action, body);
  if (managed !== undefined) {
    response.writeHead(managed ? 200 : 409).end();
    return;
  }
  if (request.method === "POST" && action === "again") {
    const again =
      "status = 'pending', closed = 0, attempt = attempt + 1, former = former || coalesce(reference, ''), reference = NULL, asked = ?, at = ? WHERE id = ? AND status = 'failed'";
    if (change(again, due(id), Date.now(), id) === 1) await ask(rows("id = ?", id)[0] as Order);
    response.writeHead(200).end();
    return;
  }
  if (request.method === "POST") {
    const { order, phone, ...rest } = JSON.parse(body);
    const result = add({ order, phone, ...rest });
    if (result === "added") await ask(rows("id = ?", order)[0] as Order);
    response.writeHead(result === "sold out" ? 409 : 201).end(JSON.stringify({ id: order }));
    return;
  }
  const [found] = rows("id = ?", id);
  response.writeHead(found ? 200 : 404).end(found && JSON.stringify(view(found)));
});

// A crash may have come before or after the prompt. The same key never prompts twice.
for (const order of rows("status = 'pending' AND reference IS NULL")) {
  if (Date.now() - order.at < PROMPT_WITHIN_MS) void ask(order);
}
setInterval(() => look().catch(() => {}), 500);
process.once("SIGTERM", () => process.exit());
server.listen(Number(PORT), "127.0.0.1");
