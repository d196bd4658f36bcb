// The shop that the manual printed before it had a checkout, in one file: it keeps a row for each try to pay.
// It survives every single fault, and a drill must find what it lacks.
import { createServer } from "node:http";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { text } from "node:stream/consumers";
import { explainFailure, Gateway, type GatewayError, isGatewayError, type Payment } from "malipo";
import { nodeHandler } from "malipo/node";
import { sqlite } from "malipo/sqlite";
import { createWebhookReceiver } from "malipo/webhooks";

const { DATA = "", PORT } = process.env;
const LOOK_EVERY_MS = 500;
/** A payment that the service does not list by then was never started: the phone is asked again. */
const NOT_SENT_AFTER_MS = 3_000;

interface Try {
  readonly id: string;
  readonly number: number;
  readonly amount: number;
  readonly phone: string;
  readonly state: "starting" | "waiting" | "paid" | "failed";
  readonly reference: string | null;
  readonly again: number;
  readonly shipped: number;
}
type Ended = Pick<Payment, "status" | "failure_reason" | "user_message" | "retry_possible">;
type Start = Pick<Try, "state"> & Partial<Pick<Try, "reference" | "again">>;

const database = new DatabaseSync(join(DATA, "orders.db"));
database.exec(`PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS tries (id TEXT, number INT, amount INT, phone TEXT, state TEXT DEFAULT 'starting',
    reference TEXT UNIQUE, again INT DEFAULT 0, shipped INT DEFAULT 0, PRIMARY KEY (id, number))`);
const rows = (sql: string, values: Record<string, SQLInputValue> = {}) =>
  database.prepare(sql).all(values) as unknown as Try[];

/** The try that decides: the paid one, or the last one. */
const find = (id: string) =>
  rows("SELECT * FROM tries WHERE id = $id ORDER BY state = 'paid' DESC, number DESC LIMIT 1", {
    id,
  })[0];
const inState = (state: Try["state"]) =>
  rows("SELECT * FROM tries WHERE state = $state", { state });
const has = (reference: string) =>
  rows("SELECT * FROM tries WHERE reference = $reference", { reference }).length > 0;

/** Adds the next try of an order whose last one has failed. */
function again(id: string): Try | undefined {
  const last = find(id);
  if (last?.state !== "failed" || last.again === 0) return undefined;
  const add = `INSERT INTO tries (id, number, amount, phone) SELECT id, number + 1, amount, phone FROM tries
    WHERE id = $id AND number = $number ON CONFLICT DO NOTHING RETURNING *`;
  return rows(add, { id, number: last.number })[0];
}

function started({ id, number }: Try, start: Start): void {
  rows(
    `UPDATE tries SET state = $state, reference = $reference, again = $again
     WHERE id = $id AND number = $number AND state = 'starting'`,
    { id, number, reference: null, again: 0, ...start },
  );
}

/** Ends the try of a payment, once, and ships in the same statement. */
function end(reference: string, payment: Ended): void {
  const { retry } = explainFailure(payment);
  const canRetry = retry === "now" || retry === "later" ? 1 : 0;
  const state = payment.status === "completed" ? "paid" : "failed";
  rows(
    `UPDATE tries SET state = $state, again = $again, shipped = shipped + ($state = 'paid')
     WHERE reference = $reference AND state <> 'paid' AND state <> $state RETURNING *`,
    { reference, state, again: state === "paid" ? 0 : canRetry },
  );
}

function startOf({ outcome, code }: GatewayError, isFirst: boolean): Start {
  const isNothingSent = outcome === "rejected" || (outcome === "not_sent" && isFirst);
  if (!isNothingSent) return { state: "starting" };
  return code === "invalid_params" ? { state: "failed" } : { state: "failed", again: 1 };
}

const idempotency = sqlite(join(DATA, "payments.db"));
const gateway = new Gateway({ idempotency, timeoutMs: 1_000, totalTimeoutMs: 2_000 });
const receiver = createWebhookReceiver({
  inbox: sqlite(join(DATA, "inbox.db")),
  attempts: gateway.idempotency,
  ignore: ["payment.initiated"],
});

/** Asks the phone for the money. The same try sends one prompt, however often it is asked. */
async function ask(current: Try, isFirst: boolean): Promise<void> {
  const { id, number, amount, phone } = current;
  try {
    const params = { amount, phone, account_reference: id };
    const idempotencyKey = `${id}/${number}`;
    const { reference } = await gateway.mobileMoney.initiate(params, { idempotencyKey });
    started(current, { state: "waiting", reference });
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    const start = startOf(error, isFirst);
    started(current, start);
    if (isFirst && start.state === "starting") void look();
  }
}

let looking: Promise<void> | undefined;
/** Finds what a crash, a lost response or a lost webhook has left open. */
function look(): Promise<void> {
  looking ??= lookOnce()
    .catch(() => {})
    .finally(() => {
      looking = undefined;
    });
  return looking;
}

async function lookOnce(): Promise<void> {
  const unknown = inState("starting");
  if (unknown.length > 0) {
    const times = { lookBackMs: 86_400_000, notSentAfterMs: NOT_SENT_AFTER_MS };
    await gateway.idempotency.resolveUnknown(times);
  }
  for (const { id } of unknown) {
    const current = find(id); // its start may have ended meanwhile
    if (current?.state === "starting") await ask(current, false);
  }
  const references = inState("waiting").map(({ reference }) => reference ?? "");
  for await (const report of gateway.payments.reconcile(references)) {
    if (report.state === "final") end(report.reference, report.payment);
  }
}

async function handle(reference: string, payment: Ended): Promise<void> {
  if (!has(reference)) await look();
  if (has(reference)) return end(reference, payment);
  if (inState("starting").length > 0) throw new Error("The order is not known yet.");
}
receiver.on("payment.completed", ({ data }) => handle(data.reference, data));
receiver.on("payment.failed", ({ data }) => handle(data.reference, data));
await receiver.start();
setInterval(look, LOOK_EVERY_MS);
void look();

const receive = nodeHandler(receiver);
const STATUSES = { starting: "pending", waiting: "pending", paid: "paid", failed: "failed" };

createServer(async (request, response) => {
  const [, folder, id = "", action] = (request.url ?? "").split("/");
  if (folder === "webhooks") return void receive(request, response);
  if (action === "again") {
    const next = again(id);
    if (next !== undefined) await ask(next, true);
    return void response.end();
  }
  if (request.method === "POST") {
    const { order, phone, amount } = JSON.parse(await text(request));
    const add = `INSERT INTO tries (id, number, amount, phone) VALUES ($order, 1, $amount, $phone)
      ON CONFLICT DO NOTHING RETURNING *`;
    const placed = rows(add, { order, phone, amount })[0];
    if (placed !== undefined) await ask(placed, true);
    return void response.writeHead(201).end(JSON.stringify({ id: order }));
  }
  const found = find(id);
  const parcels = rows("SELECT * FROM tries WHERE id = $id AND shipped > 0", { id }).length;
  const body = found && { id, status: STATUSES[found.state], shipped: parcels };
  response.writeHead(found ? 200 : 404).end(body && JSON.stringify(body));
}).listen(Number(PORT), "127.0.0.1");
process.once("SIGTERM", () => process.exit());
