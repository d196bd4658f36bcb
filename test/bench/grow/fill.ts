// Fills a database: one paid order and one processed event of malipo's own, and as many copies as it is asked for.
import { Gateway } from "malipo";
import { createCheckout } from "malipo/checkout";
import type { BenchDatabase } from "../databases.ts";
import { newDelivery } from "../receivers/load.ts";

const DAY_MS = 86_400_000;
/** The order and the phone that are copied. A copy has its number in each text that names them. */
const [ORDER, PHONE] = ["GROWN", "254712345678"];

/** A service at which each payment is made at once. */
async function service(url: string, init?: { body?: unknown }): Promise<Response> {
  const { pathname } = new URL(url);
  if (init?.body === undefined && pathname.endsWith("/payments")) {
    return Response.json({ success: true, data: [] });
  }
  const { account_reference } = JSON.parse(String(init?.body ?? "{}"));
  const isCreated = account_reference !== undefined;
  const reference = isCreated ? `PAY-${account_reference}` : pathname.split("/").at(-1);
  const status = isCreated ? "pending" : "completed";
  return Response.json({ success: true, data: { reference, status, amount: 1, currency: "KES" } });
}

const GATEWAY = { apiKey: "sk_bench", baseUrl: "http://127.0.0.1:9/api", fetch: service } as const;

export const openCheckout = ({ store }: BenchDatabase) =>
  createCheckout({ store, gateway: GATEWAY, secret: "secret", onPaid: () => {} });

/** A client whose keys are in the store. */
export const openGateway = ({ store }: BenchDatabase) =>
  new Gateway({ ...GATEWAY, idempotency: store });

/** How a column of a copy is made of the row that is copied. */
type Copied = "same" | "marked" | string;

interface CopiedTable {
  readonly table: string;
  readonly rows: string;
  readonly columns: Readonly<Record<string, Copied>>;
}

/**
 * The last year, without today: the report of today is about as many orders in each database. The hundredfold is there
 * since PostgreSQL takes a smaller number for one of 32 bits.
 */
const daysBefore = (column: string) => `${column} - ${DAY_MS * 100} * (1 + n % 365) / 100`;

const orderTables = ({ table, column }: BenchDatabase): CopiedTable[] => [
  {
    table: table("checkout", "orders"),
    rows: `id = '${ORDER}'`,
    columns: {
      ...{ id: "marked", version: "same", label: "marked", status: "same", has_review: "same" },
      ...{ created_at: daysBefore("created_at"), due_at: "same", planned_at: "same" },
      state: "marked",
    },
  },
  {
    table: table("checkout", "payments"),
    rows: `order_id = '${ORDER}'`,
    columns: {
      reference: "marked",
      order_id: "marked",
      report: "same",
      review: "same",
      at: "same",
    },
  },
  {
    table: table("checkout", "prompts"),
    rows: `order_id = '${ORDER}'`,
    columns: {
      ...{ order_id: "marked", number: "same", phone: "marked", is_open: "same" },
      at: daysBefore("at"),
    },
  },
  {
    table: table("idempotency"),
    rows: `idempotency_key LIKE '${ORDER}%'`,
    columns: {
      ...{ [column("key")]: "marked", version: "same", state: "same", owner: "same" },
      ...{ endpoint: "same", idempotency_key: "marked", base_url: "same", scope: "same" },
      ...{ begun_at: "same", lease_from: "same", lease_ms: "same", parameters: "same" },
      ...{ account_reference: "marked", amount: "same", phone: "same", result: "marked" },
      keep_until: "same",
    },
  },
];

let copies = 0;

/** @param forgetAt - When the copies are forgotten; as the event itself, if it is not given. */
const eventTable = (database: BenchDatabase, forgetAt = "same"): CopiedTable => {
  const { table, column } = database;
  const bytes = database.bytes(`copy ${copies++}`);
  return {
    table: table("inbox"),
    rows: "state = 'done' AND id = 1",
    columns: {
      ...{ queue: "same", due_at: "same", [column("key")]: bytes, digest: bytes, kind: "same" },
      ...{ raw: "same", secret_index: "same", received_at: "same", signed_at: "same" },
      ...{ signature: "same", trace_context: "same", source: "same", forget_at: forgetAt },
      ...{ state: "same", attempts: "same", error: "same" },
    },
  };
};

function copy(database: BenchDatabase, { table, rows, columns }: CopiedTable, count: number) {
  const digest = database.store.checkout().idempotency.digest(PHONE);
  const marks = [ORDER, digest];
  const names = Object.keys(columns);
  const values = Object.entries(columns).map(([name, how]) => {
    if (how === "same") return name;
    if (how !== "marked") return how;
    return marks.reduce((sql, mark) => database.marked(sql, mark), name);
  });
  return database.exec(`INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")}
    FROM (SELECT * FROM ${table} WHERE ${rows}) AS copied CROSS JOIN ${database.numbers(count)}`);
}

/** Events that are due to be forgotten. */
export const addForgettable = (database: BenchDatabase, count: number) =>
  copy(database, eventTable(database, "1"), count);

export const countForgettable = (database: BenchDatabase) =>
  database.count(`SELECT count(*) FROM ${database.table("inbox")} WHERE forget_at <= 1`);

/** What a row takes on the disk. */
export interface Disk {
  readonly orderBytes: number;
  readonly eventBytes: number;
}

/** Fills the database with so many paid orders, with their keys, and as many processed events. */
export async function fill(database: BenchDatabase, count: number): Promise<Disk> {
  const checkout = openCheckout(database);
  await checkout.reconcile();
  await checkout.pay({ id: ORDER, amount: 1, phone: PHONE });
  while ((await checkout.inspect(ORDER))?.effect !== "done") {
    await checkout.reconcile();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  await checkout.stop();
  const inbox = database.store.inbox();
  let isProcessed = () => {};
  const processed = new Promise<void>((resolve) => {
    isProcessed = resolve;
  });
  const run = async () => isProcessed();
  await inbox.start({ run, concurrency: 1, kinds: ["payment.completed"], onError: console.error });
  await inbox.accept(newDelivery());
  await processed;
  await inbox.stop(60_000);
  const tables = orderTables(database);
  const empty = await database.size();
  for (const table of tables) await copy(database, table, count);
  await database.analyze(tables.map(({ table }) => table));
  const withOrders = await database.size();
  await copy(database, eventTable(database), count);
  await database.analyze([database.table("inbox")]);
  const withEvents = await database.size();
  return {
    orderBytes: (withOrders - empty) / count,
    eventBytes: (withEvents - withOrders) / count,
  };
}
