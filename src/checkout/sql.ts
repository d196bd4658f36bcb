// What the SQL stores share: their tables, their statements, and the steps of a change. Each step runs a
// statement and gets its rows: at once in SQLite, later in PostgreSQL.

import { isStorable } from "../internal/storable-text.ts";
import { DAY_MS } from "../internal/units.ts";
import {
  type Committed,
  type Decided,
  type DueOrder,
  type KnownStray,
  labelOf,
  type OrderWrite,
  type PaymentNames,
  type Prompt,
  type Retained,
  type StoreQuery,
  type StrayDecision,
} from "./checkout-store.ts";
import type { PaymentUpdate } from "./inputs.ts";
import { type OrderState, openReviews, statusOf } from "./order.ts";
import { REVIEW_DECISIONS } from "./order-types.ts";

/** The format of the tables. Tables of another format are neither read nor changed. */
export const CHECKOUT_FORMAT = 1;

/** The names and types of a database. */
export interface CheckoutDialect {
  readonly tables: Readonly<
    Record<"orders" | "payments" | "prompts" | "decisions" | "meta", string>
  >;
  readonly integer: string;
  /** A number that counts up by itself. */
  readonly counter: string;
  /** After a table. */
  readonly suffix: string;
  /** The clock of the store, in milliseconds since 1970. */
  readonly now: string;
  /** Makes changes of one phone wait for each other. */
  readonly lockPhone: string;
}

/** An index is always in the schema of its table. */
const indexOn = (table: string, name: string, columns: string) =>
  `CREATE INDEX IF NOT EXISTS ${table.replace(/^.*\./, "")}_${name} ON ${table} ${columns}`;

/** The statements that make the tables, in their order: the table with the format is the last. They may be run again. */
export function checkoutTables({ tables, integer, counter, suffix }: CheckoutDialect): string[] {
  const { orders, payments, prompts, decisions, meta } = tables;
  return [
    `CREATE TABLE IF NOT EXISTS ${orders} (
      id TEXT PRIMARY KEY, version ${integer} NOT NULL, label TEXT NOT NULL UNIQUE,
      status TEXT NOT NULL, has_review ${integer} NOT NULL, created_at ${integer} NOT NULL,
      due_at ${integer}, planned_at ${integer} NOT NULL, state TEXT NOT NULL)${suffix}`,
    // Without statistics, the databases prefer these to the index of the status, which has every paid order.
    indexOn(orders, "due", "(due_at) WHERE due_at IS NOT NULL"),
    indexOn(orders, "paid", "(status, due_at) WHERE due_at IS NOT NULL AND status = 'paid'"),
    indexOn(orders, "due_by_age", "(status, created_at, id) WHERE due_at > 0"),
    indexOn(orders, "planned", "(planned_at) WHERE due_at IS NOT NULL"),
    indexOn(orders, "created", "(created_at, id)"),
    indexOn(orders, "status", "(status, created_at, id)"),
    indexOn(orders, "review_by_age", "(created_at, id) WHERE has_review > 0"),
    `CREATE TABLE IF NOT EXISTS ${payments} (
      reference TEXT PRIMARY KEY, order_id TEXT, report TEXT, review TEXT,
      at ${integer} NOT NULL)${suffix}`,
    indexOn(payments, "review", "(at, reference) WHERE review = 'open'"),
    indexOn(payments, "stray", "(at) WHERE order_id IS NULL AND review IS NULL"),
    `CREATE TABLE IF NOT EXISTS ${prompts} (
      order_id TEXT NOT NULL, number ${integer} NOT NULL, phone TEXT NOT NULL,
      at ${integer} NOT NULL, is_open ${integer} NOT NULL, PRIMARY KEY (order_id, number))${suffix}`,
    indexOn(prompts, "phone", "(phone, at)"),
    `CREATE TABLE IF NOT EXISTS ${decisions} (id ${counter} PRIMARY KEY, line TEXT NOT NULL)${suffix}`,
    `CREATE TABLE IF NOT EXISTS ${meta} (name TEXT PRIMARY KEY, value TEXT NOT NULL)${suffix}`,
    `INSERT INTO ${meta} VALUES ('format', '${CHECKOUT_FORMAT}') ON CONFLICT DO NOTHING`,
  ];
}

export function checkoutStatements({ tables, now, lockPhone }: CheckoutDialect) {
  const { orders, payments, prompts, decisions } = tables;
  /** Merchants delete orders. */
  const isThere = (order: string) => `EXISTS (SELECT 1 FROM ${orders} WHERE id = ${order})`;
  /** Its idempotency keys and its payments are known: an order of this id would get those of another one. */
  const wasAsked = `SELECT order_id FROM ${prompts} WHERE order_id = $id`;
  const clock = `(SELECT ${now} AS now) AS clock`;
  return {
    read: `SELECT clock.now, version, state FROM ${clock} LEFT JOIN ${orders} ON id = $id`,
    insert: `INSERT INTO ${orders}
      (id, version, label, status, has_review, created_at, due_at, planned_at, state)
      SELECT $id, 1, $label, $status, $has_review, $at, $due_at, $now, $state
      WHERE NOT EXISTS (${wasAsked}) ON CONFLICT DO NOTHING RETURNING id`,
    exists: `SELECT id FROM ${orders} WHERE id = $id`,
    wasAsked,
    update: `UPDATE ${orders} SET version = version + 1, status = $status,
      has_review = $has_review, due_at = $due_at, planned_at = $now, state = $state
      WHERE id = $id AND version = $version RETURNING id`,
    /** An order knows what it has bound: what was bound before, or decided by a person, is not its own. */
    bind: `INSERT INTO ${payments} AS stored (reference, order_id, at) VALUES ($reference, $id, $now)
      ON CONFLICT (reference) DO UPDATE SET order_id = excluded.order_id,
        review = CASE WHEN stored.review = 'open' THEN 'closed' ELSE stored.review END
      WHERE stored.order_id IS NULL AND COALESCE(stored.review, 'open') = 'open'
      RETURNING report`,
    prompt: `INSERT INTO ${prompts} (order_id, number, phone, at, is_open)
      VALUES ($id, $number, $phone, $at, $is_open)
      ON CONFLICT (order_id, number) DO UPDATE SET is_open = excluded.is_open RETURNING number`,
    dropPrompt: `DELETE FROM ${prompts} WHERE order_id = $id AND number = $number RETURNING number`,
    lockPhone,
    /** The prompts of a phone that count. One far ahead was written before the clock was set back. */
    prompts: `SELECT order_id, at, is_open FROM ${prompts}
      WHERE phone = $phone AND at > $since AND at <= $until ORDER BY at DESC`,
    byReference: `SELECT order_id FROM ${payments}
      WHERE reference = $reference AND ${isThere("order_id")}`,
    byLabel: `SELECT id FROM ${orders} WHERE label = $label`,
    stray: `SELECT order_id, report, review, at FROM ${payments} WHERE reference = $reference`,
    keep: `INSERT INTO ${payments} AS stored (reference, report, review, at)
      SELECT $reference, $report, $review, ${now} WHERE true
      ON CONFLICT (reference) DO UPDATE SET report = excluded.report,
        review = COALESCE(NULLIF(stored.review, 'closed'), excluded.review)
      WHERE stored.order_id IS NULL OR NOT ${isThere("stored.order_id")} OR $is_foreign = 1
      RETURNING reference`,
    /** A report that no order has asked for in a day, and that is not under review. */
    dropStrays: `DELETE FROM ${payments} WHERE order_id IS NULL AND review IS NULL
      AND at < ${now} - 86400000 RETURNING reference`,
    /** Orders that are paid: their goods do not wait for what is read at the service. */
    dueGoods: `SELECT id, status FROM ${orders} WHERE due_at <= ${now} AND status = 'paid'
      ORDER BY due_at LIMIT $count`,
    due: `SELECT id, status FROM ${orders} WHERE due_at <= ${now} ORDER BY due_at LIMIT $count`,
    /**
     * Rows that were planned later than now: the clock was set back since. Without an order, PostgreSQL expects
     * to find some at once, and reads the whole table, since there are none.
     */
    misdated: `SELECT id, status FROM ${orders}
      WHERE due_at IS NOT NULL AND planned_at > ${now} + 1000 ORDER BY planned_at DESC LIMIT $count`,
    list: listWhere(orders, ""),
    listStatus: listOfStatus(orders, "$status", ""),
    listReview: listWhere(orders, "AND has_review > 0 AND ($status IS NULL OR status = $status)"),
    listDue: listOfStatus(orders, "'paid'", "AND due_at > 0"),
    byPhone: `SELECT state FROM ${orders} JOIN (SELECT order_id, MAX(at) AS asked FROM ${prompts}
      WHERE phone = $phone GROUP BY order_id) AS asked_on ON id = order_id
      ORDER BY asked DESC LIMIT $count`,
    unmatched: `SELECT report, at FROM ${payments} WHERE review = 'open'
      ORDER BY at, reference LIMIT $count`,
    /** Unless what was reported of it has changed since it was read. */
    resolve: `UPDATE ${payments} SET review = $decision, report = $report
      WHERE reference = $reference AND review = 'open' AND report = $was RETURNING reference`,
    addDecision: `INSERT INTO ${decisions} (line) VALUES ($line) RETURNING id`,
    decisions: `SELECT line FROM ${decisions} ORDER BY id DESC LIMIT $count`,
  };
}

const listWhere = (orders: string, condition: string) => `SELECT state FROM ${orders}
  WHERE (created_at, id) > ($after_at, $after_id) ${condition} ORDER BY created_at, id LIMIT $count`;

/**
 * A page of the orders of one status. It says so by the order of the index: of `status = 'paid'`, PostgreSQL without
 * statistics expects few orders, reads all of them, and sorts them.
 */
const listOfStatus = (
  orders: string,
  status: string,
  condition: string,
) => `SELECT state FROM ${orders}
  WHERE (status, created_at, id) > (${status}, $after_at, $after_id) AND status <= ${status} ${condition}
  ORDER BY status, created_at, id LIMIT $count`;

export type CheckoutStatement = keyof ReturnType<typeof checkoutStatements>;
export type SqlValues = Readonly<Record<string, string | number | null>>;
export type SqlRow = Readonly<Record<string, unknown>>;
/** A statement to run; its rows come back. */
export type Step = readonly [name: CheckoutStatement, values: SqlValues];
type Steps<Result> = Generator<Step, Result, readonly SqlRow[]>;

/** The steps of a change. Its transaction is to be rolled back unless the result is `done`. */
export function* commitSteps(write: OrderWrite): Steps<Committed> {
  const { order, version, now, references, aliases } = write;
  const { id, createdAt } = order;
  const values = {
    id,
    version,
    now,
    at: createdAt,
    label: labelOf(order.accountReference),
    status: statusOf(order),
    has_review: openReviews(order).length > 0 ? 1 : 0,
    due_at: write.dueAt === undefined ? null : Math.ceil(write.dueAt),
    state: JSON.stringify(order),
  };
  const written = yield [version === 0 ? "insert" : "update", values];
  if (written.length === 0) {
    if (version > 0 || (yield ["exists", { id }]).length > 0) return { state: "stale" };
    return { state: (yield ["wasAsked", { id }]).length > 0 ? "deleted" : "label_taken" };
  }
  for (const prompt of write.prompts) {
    const busy = yield* promptSteps(write, prompt);
    if (busy !== undefined) return busy;
  }
  const strays: PaymentUpdate[] = [];
  for (const reference of references) {
    const [row] = yield ["bind", { reference, id, now }];
    if (row === undefined) return { state: "foreign" };
    if (typeof row.report === "string") strays.push(JSON.parse(row.report));
  }
  for (const reference of aliases) {
    // One that is another order's stays so: the payment is known by its reference.
    const [row] = yield ["bind", { reference, id, now }];
    if (typeof row?.report === "string") strays.push(JSON.parse(row.report));
  }
  for (const line of write.lines ?? []) yield* addDecisionSteps(line);
  return { state: "done", strays };
}

/** Whether a change is still there after the merchant's code ran in its transaction. */
export function* isWrittenSteps({ order, version }: OrderWrite): Steps<boolean> {
  const [row] = yield readStep(order.id);
  return Number(row?.version ?? 0) > version;
}

function* promptSteps(write: OrderWrite, prompt: Prompt): Steps<Committed | undefined> {
  const { order, now, limits } = write;
  const { number, phone, at, state } = prompt;
  const { id } = order;
  if (state === "none") {
    yield ["dropPrompt", { id, number }];
    return undefined;
  }
  if (state === "new") {
    yield ["lockPhone", { phone }];
    const rows = yield ["prompts", { phone, since: now - DAY_MS, until: now + limits.withinMs }];
    const asked = rows.map((row) => ({
      ...{ at: Number(row.at), state: Number(row.is_open) },
      isOther: row.order_id !== id,
    }));
    const open = asked.find((one) => one.isOther && one.state === PROMPT_STATES.open);
    const openUntil = (open?.at ?? Number.NEGATIVE_INFINITY) + limits.openMs;
    if (openUntil > now) return { state: "busy", by: "open", until: openUntil };
    const last = asked[limits.prompts - 1]?.at ?? Number.NEGATIVE_INFINITY;
    const unpaid = asked.filter((one) => one.state !== PROMPT_STATES.paid);
    const lastUnpaid = unpaid[UNPAID_PER_DAY * limits.prompts - 1]?.at ?? Number.NEGATIVE_INFINITY;
    const until = Math.max(last + limits.withinMs, lastUnpaid + DAY_MS);
    if (until > now) return { state: "busy", by: "limit", until };
  }
  yield ["prompt", { id, number, phone, at, is_open: PROMPT_STATES[state] }];
  return undefined;
}

/** How many prompts a phone gets in a day that are not approved, as a multiple of those of ten minutes. */
const UNPAID_PER_DAY = 2;
/** The column `is_open`. Before the limit of a day, a paid prompt was written as an ended one. */
const PROMPT_STATES = { ended: 0, new: 1, open: 1, paid: 2 };

/** What is longer names nothing that is stored. */
const MAX_NAME = 1_000;

/** A text to look for; `""`, which names nothing, for one that no database holds. */
const known = (name: string): string => (name.length <= MAX_NAME && isStorable(name) ? name : "");

export const readStep = (id: string): Step => ["read", { id: known(id) }];

/** The statement of a list, which uses an index. */
export const listStep = ({ status, review, isDue = false, after, limit }: StoreQuery): Step => [
  isDue ? "listDue" : review ? "listReview" : status === undefined ? "list" : "listStatus",
  {
    status: status ?? null,
    after_at: after?.at ?? -1,
    after_id: after?.id ?? "",
    count: limit + 1,
  },
];

/** Due orders, each once. */
export function* dueSteps(count: number): Steps<DueOrder[]> {
  const goods = yield ["dueGoods", { count }];
  const due = yield ["due", { count }];
  const misdated = yield ["misdated", { count }];
  const rows = [...goods, ...due, ...misdated];
  const found = new Map(rows.map(({ id, status }) => [String(id), status === "paid"]));
  return [...found].map(([id, isPaid]) => ({ id, isPaid }));
}

export function* orderOfSteps({
  reference,
  alias,
  label,
}: PaymentNames): Steps<string | undefined> {
  for (const name of [reference, alias]) {
    const [bound] = name === undefined ? [] : yield ["byReference", { reference: known(name) }];
    if (bound !== undefined) return String(bound.order_id);
  }
  const [named] = label === undefined ? [] : yield ["byLabel", { label: known(labelOf(label)) }];
  return named && String(named.id);
}

/** A report as it is stored, with who has decided about its payment. */
type StoredReport = PaymentUpdate & { readonly decided?: Decided };

export function* keepSteps(
  report: PaymentUpdate,
  isReview: boolean,
  isForeign: boolean,
): Steps<Retained> {
  yield ["dropStrays", {}];
  const { reference } = report;
  const [stored] = yield ["stray", { reference }];
  const before: StoredReport | undefined = stored?.report && JSON.parse(String(stored.report));
  const { decided } = before ?? {};
  // A payment that was completed stays so.
  const latest =
    before?.status === "completed" ? before : { ...report, ...(decided && { decided }) };
  const values = {
    ...{ reference, report: JSON.stringify(latest), review: isReview ? "open" : null },
    is_foreign: isForeign ? 1 : 0,
  };
  if ((yield ["keep", values]).length === 0) return "bound";
  const isReviewed = ![null, "closed"].includes((stored?.review ?? null) as string | null);
  return stored?.report == null || (isReview && !isReviewed) ? "new" : "known";
}

/** When a payment without an order was first seen, and what a person has decided about it. */
export function* strayStateSteps(reference: string): Steps<KnownStray | undefined> {
  const [row] = yield ["stray", { reference: known(reference) }];
  if (row === undefined) return undefined;
  const { decided }: Partial<StoredReport> = JSON.parse(String(row.report ?? "{}"));
  const decision = REVIEW_DECISIONS.find((one) => one === row.review);
  return { at: Number(row.at), decision, isClosed: row.review === "closed", decided };
}

/** Ends the review of a payment without an order, unless it has ended. */
export function* resolveSteps(
  reference: string,
  { decision, by, lines }: StrayDecision,
): Steps<boolean> {
  for (;;) {
    const [clock] = yield readStep("");
    const [row] = yield ["stray", { reference: known(reference) }];
    if (row?.review !== "open") return false;
    const was = String(row.report);
    const decided: Decided = { at: Number(clock?.now), ...(by !== undefined && { by }) };
    const report = JSON.stringify({ ...JSON.parse(was), decided });
    const resolved = yield ["resolve", { reference, decision, report, was }];
    if (resolved.length === 0) continue;
    for (const line of lines) yield* addDecisionSteps(line);
    return true;
  }
}

/** One after another: the line that was added first must be the first one that every process reads. */
export function* addDecisionSteps(line: object): Steps<void> {
  yield ["lockPhone", { phone: "decisions" }];
  yield ["addDecision", { line: JSON.stringify(line) }];
}

/** The last decisions, in the order in which they were added. */
export function* decisionsSteps(count: number): Steps<object[]> {
  const rows = yield ["decisions", { count }];
  return rows.map(({ line }) => JSON.parse(String(line))).reverse();
}

export function readRow(row: SqlRow | undefined) {
  const order: OrderState | undefined = row?.state ? JSON.parse(String(row.state)) : undefined;
  return { now: Number(row?.now), stored: order && { version: Number(row?.version), order } };
}
