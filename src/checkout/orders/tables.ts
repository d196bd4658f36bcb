// The tables of orders, and what is done with them, in words that every database understands.
import type { Component, Migration } from "../../storage/component.ts";
import type { Dialect } from "../../storage/dialect.ts";
import { insertIfAbsent, statement } from "../../storage/sql-steps.ts";
import { MAX_LABELS } from "./typed-label.ts";

const LABELS = Array.from({ length: MAX_LABELS }, (_, at) => `$l${at}`).join(", ");

const NAME = "checkout";

const tablesOf = ({ table }: Dialect) => ({
  orders: table(NAME, "orders"),
  payments: table(NAME, "payments"),
  prompts: table(NAME, "prompts"),
  decisions: table(NAME, "decisions"),
});

/** An order of which something is planned. */
const IS_DUE = "due_at > 0";

const FIRST: Migration = {
  format: 1,
  sql: (dialect) => {
    const { index, suffix } = dialect;
    const { integer, counter, key, text } = dialect.types;
    const { orders, payments, prompts, decisions } = tablesOf(dialect);
    return [
      `CREATE TABLE IF NOT EXISTS ${orders} (
      id ${key} PRIMARY KEY, version ${integer} NOT NULL, label ${key} NOT NULL UNIQUE,
      status ${key} NOT NULL, has_review ${integer} NOT NULL, created_at ${integer} NOT NULL,
      due_at ${integer}, planned_at ${integer} NOT NULL, state ${text} NOT NULL)${suffix}`,
      // Without statistics, the databases prefer these to the index of the status, which has every paid order.
      index(orders, "due", "(due_at)", "due_at IS NOT NULL"),
      index(orders, "paid", "(status, due_at)", "due_at IS NOT NULL AND status = 'paid'"),
      index(orders, "due_by_age", "(status, created_at, id)", IS_DUE),
      index(orders, "planned", "(planned_at)", "due_at IS NOT NULL"),
      index(orders, "created", "(created_at, id)"),
      index(orders, "status", "(status, created_at, id)"),
      index(orders, "review_by_age", "(created_at, id)", "has_review > 0"),
      `CREATE TABLE IF NOT EXISTS ${payments} (
      reference ${key} PRIMARY KEY, order_id ${key}, report ${text}, review ${key},
      at ${integer} NOT NULL)${suffix}`,
      index(payments, "review", "(at, reference)", { review: "open" }),
      index(payments, "stray", "(at)", { order_id: null, review: null }),
      `CREATE TABLE IF NOT EXISTS ${prompts} (
      order_id ${key} NOT NULL, number ${integer} NOT NULL, phone ${key} NOT NULL,
      at ${integer} NOT NULL, is_open ${integer} NOT NULL, PRIMARY KEY (order_id, number))${suffix}`,
      index(prompts, "phone", "(phone, at)"),
      `CREATE TABLE IF NOT EXISTS ${decisions} (id ${counter} PRIMARY KEY, line ${text} NOT NULL)${suffix}`,
    ];
  },
};

/** The other databases have these two as partial indexes since the first step. */
const SECOND: Migration = {
  format: 2,
  readableSince: 1,
  sql: (dialect) => {
    const { flag, index } = dialect;
    if (flag === undefined) return [];
    const { orders } = tablesOf(dialect);
    return [
      flag(orders, "is_due", IS_DUE),
      index(orders, "flagged_due", "(is_due, status, created_at, id)"),
      index(orders, "flagged_review", "(has_review, created_at, id)"),
    ];
  },
};

function statementsOf(dialect: Dialect) {
  const { orders, payments, prompts, decisions } = tablesOf(dialect);
  const { after, by, flag, lockName, lockRow } = dialect;
  const now = dialect.clocks.wallMs;
  /** Merchants delete orders. */
  const isThere = (order: string) => `EXISTS (SELECT 1 FROM ${orders} WHERE id = ${order})`;
  /** Its idempotency keys and its payments are known: an order of this id would get those of another one. */
  const wasAsked = `SELECT order_id FROM ${prompts} WHERE order_id = $id`;
  const stray = `SELECT order_id, report, review, at FROM ${payments} WHERE reference = $reference`;
  /** A report that no order has asked for in a day, and that is not under review. */
  const isForgotten = `order_id IS NULL AND review IS NULL AND at < ${now} - 86400000`;
  const list = (condition: string, from = orders) =>
    statement(`SELECT state FROM ${from}
  WHERE ${after(["created_at", "id"], ["$after_at", "$after_id"])} ${condition} ORDER BY created_at, id LIMIT $count`);
  /**
   * A page of the orders of one status. It says so by the order of the index: of `status = 'paid'`, PostgreSQL without
   * statistics expects few orders, reads all of them, and sorts them.
   */
  const listOf = (status: string, condition: string, from = orders) =>
    statement(`SELECT state FROM ${from}
  WHERE ${after(["status", "created_at", "id"], [status, "$after_at", "$after_id"])} AND status <= ${status} ${condition}
  ORDER BY status, created_at, id LIMIT $count`);
  return {
    read: statement(
      `SELECT clock.now, version, state FROM (SELECT ${now} AS now) AS clock LEFT JOIN ${orders} ON id = $id`,
    ),
    insert: insertIfAbsent(`INSERT INTO ${orders}
      (id, version, label, status, has_review, created_at, due_at, planned_at, state)
      SELECT $id, 1, $label, $status, $has_review, $at, $due_at, $now, $state
      WHERE NOT EXISTS (${wasAsked})`),
    /** As it is now. A transaction of the merchant may see only what was there when it began. */
    readLocked: statement(
      `SELECT ${now} AS now, version, state FROM ${orders} WHERE id = $id ${lockRow}`,
    ),
    exists: statement(`SELECT id FROM ${orders} WHERE id = $id ${lockRow}`),
    wasAsked: statement(wasAsked),
    update: statement(`UPDATE ${orders} SET version = version + 1, status = $status,
      has_review = $has_review, due_at = $due_at, planned_at = $now, state = $state
      WHERE id = $id AND version = $version`),
    bind: insertIfAbsent(
      `INSERT INTO ${payments} (reference, order_id, at) VALUES ($reference, $id, $now)`,
    ),
    /** An order knows what it has bound: what was bound before, or decided by a person, is not its own. */
    bindStray: statement(`UPDATE ${payments} SET order_id = $id,
      review = CASE WHEN review = 'open' THEN 'closed' ELSE review END
      WHERE reference = $reference AND order_id IS NULL AND COALESCE(review, 'open') = 'open'`),
    prompt: insertIfAbsent(`INSERT INTO ${prompts} (order_id, number, phone, at, is_open)
      VALUES ($id, $number, $phone, $at, $is_open)`),
    updatePrompt: statement(
      `UPDATE ${prompts} SET is_open = $is_open WHERE order_id = $id AND number = $number`,
    ),
    dropPrompt: statement(`DELETE FROM ${prompts} WHERE order_id = $id AND number = $number`),
    /** Makes changes of one phone wait for each other, and those of the log of decisions. */
    lock: statement(lockName),
    /** The prompts of a phone that count. One far ahead was written before the clock was set back. */
    prompts: statement(`SELECT order_id, at, is_open FROM ${prompts}
      WHERE phone = $phone AND at > $since AND at <= $until ORDER BY at DESC`),
    byReference: statement(`SELECT order_id FROM ${payments}
      WHERE reference = $reference AND ${isThere("order_id")}`),
    byLabel: statement(`SELECT id FROM ${orders} WHERE label = $label`),
    byLabels: statement(`SELECT id, label, status FROM ${orders} WHERE label IN (${LABELS})`),
    stray: statement(stray),
    /** As it is now, also if another process has written it since this one began. */
    strayLocked: statement(`${stray} ${lockRow}`),
    keep: insertIfAbsent(`INSERT INTO ${payments} (reference, report, review, at)
      VALUES ($reference, $report, $review, ${now})`),
    keepAgain: statement(`UPDATE ${payments} SET report = $report,
      review = COALESCE(NULLIF(review, 'closed'), $review)
      WHERE reference = $reference AND (order_id IS NULL OR NOT ${isThere("order_id")} OR $is_foreign = 1)`),
    /** By their keys: MySQL locks each row that a DELETE reads, and would wait for those of others. */
    forgotten: statement(
      `SELECT reference FROM ${payments} WHERE ${isForgotten} ORDER BY at LIMIT $count`,
    ),
    drop: statement(`DELETE FROM ${payments} WHERE reference = $reference AND ${isForgotten}`),
    /**
     * What is due, in one round trip. Orders that are paid have a part of their own: their goods do not wait for what is
     * read at the service. So have rows that were planned later than now: the clock was set back since. Without an
     * order, PostgreSQL expects to find some of these at once, and reads the whole table, since there are none.
     */
    due: statement(
      [
        `due_at <= ${now} AND status = 'paid' ORDER BY due_at`,
        `due_at <= ${now} ORDER BY due_at`,
        `due_at IS NOT NULL AND planned_at > ${now} + 1000 ORDER BY planned_at DESC`,
      ]
        .map((which, at) => {
          const part = `SELECT id, status FROM ${orders} WHERE ${which} LIMIT $count`;
          return `SELECT * FROM (${part}) AS part_${at}`;
        })
        .join(" UNION ALL "),
    ),
    list: list(""),
    listStatus: listOf("$status", ""),
    listReview: list(
      `AND has_review ${flag === undefined ? "> 0" : "= 1"} AND ($status IS NULL OR status = $status)`,
      by(orders, flag === undefined ? "review_by_age" : "flagged_review"),
    ),
    listDue: listOf(
      "'paid'",
      flag === undefined ? `AND ${IS_DUE}` : "AND is_due = 1",
      by(orders, flag === undefined ? "due_by_age" : "flagged_due"),
    ),
    byPhone:
      statement(`SELECT state FROM ${orders} JOIN (SELECT order_id, MAX(at) AS asked FROM ${prompts}
      WHERE phone = $phone GROUP BY order_id) AS asked_on ON id = order_id
      ORDER BY asked DESC LIMIT $count`),
    unmatched: statement(`SELECT report, at FROM ${payments} WHERE review = 'open'
      ORDER BY at, reference LIMIT $count`),
    resolve: statement(
      `UPDATE ${payments} SET review = $decision, report = $report WHERE reference = $reference`,
    ),
    addDecision: statement(`INSERT INTO ${decisions} (line) VALUES ($line)`),
    decisions: statement(`SELECT line FROM ${decisions} ORDER BY id DESC LIMIT $count`),
  };
}

export type OrderStatement = keyof ReturnType<typeof statementsOf>;

/** Orders, their prompts and payments, and what people have decided. */
export const ORDERS: Component<OrderStatement> = {
  name: NAME,
  what: "orders",
  migrations: [FIRST, SECOND],
  statements: statementsOf,
  types: {
    version: "integer",
    now: "integer",
    at: "integer",
    since: "integer",
    until: "integer",
    number: "integer",
    is_open: "integer",
    is_foreign: "integer",
    has_review: "integer",
    due_at: "integer",
    after_at: "integer",
    count: "integer",
  },
};
