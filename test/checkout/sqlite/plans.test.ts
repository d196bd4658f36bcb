import { DatabaseSync, type StatementSync } from "node:sqlite";
import BetterSqlite3 from "better-sqlite3";
import type { Inbox } from "malipo/webhooks";
import { describe, expect, it } from "vitest";
import { ORDERS } from "../../../src/checkout/orders/tables.ts";
import { KEYS } from "../../../src/idempotency/tables.ts";
import type { Component } from "../../../src/storage/component.ts";
import { unnamed } from "../../../src/storage/sql-steps.ts";
import { SQLITE } from "../../../src/storage/sqlite/sqlite-dialect.ts";
import { newDelivery } from "../../suites/inbox-stage.ts";
import { sqliteCheckout } from "../../support/stores/sqlite-checkout.ts";

/** A database that notes the statements which the stores on it prepare. */
class NotedDatabase extends DatabaseSync {
  readonly texts = new Set<string>();
  override prepare(sql: string): StatementSync {
    this.texts.add(sql);
    return super.prepare(sql);
  }
}

/** All statements of the checkout, of its keys and of its inbox, with those of the inbox's lists. */
async function allStatements(): Promise<string[]> {
  const database = new NotedDatabase(":memory:");
  const store = sqliteCheckout(database);
  await store.open();
  const inbox = store.inbox as Inbox;
  await inbox.accept(newDelivery(1));
  const worker = { run: async () => {}, concurrency: 1, onError: () => {} };
  for (const kinds of [["payment.completed"], ["payment.reversed"]]) {
    await inbox.drain?.({ ...worker, kinds }, { timeoutMs: 60_000, limit: 10 });
  }
  await inbox.stats?.();
  const page = { kind: undefined, since: undefined, until: undefined, after: undefined, limit: 10 };
  for (const query of [page, { ...page, kind: "invoice.paid" }]) {
    await inbox.deadLetters?.list(query);
    await inbox.conflicts?.list(query);
  }
  const isOwn = (sql: string) =>
    /^\s*(SELECT|UPDATE|DELETE|INSERT INTO)/.test(sql) && !sql.includes("sqlite_master");
  const all: readonly Component[] = [ORDERS, KEYS];
  const own = all.flatMap((one) => Object.values(one.statements(SQLITE)));
  const texts = own.map(({ text }) => unnamed(text).text);
  return [...new Set([...texts, ...database.texts])].filter(isOwn);
}

const ROWS = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 100000)";
const FILL = [
  `${ROWS} INSERT INTO malipo_checkout_orders
    SELECT 'O' || n, 1, 'L' || n, 'paid', 0, n, NULL, n, '{}' FROM r`,
  `${ROWS} INSERT INTO malipo_checkout_payments SELECT 'R' || n, 'O' || n, NULL, NULL, n FROM r`,
  `${ROWS} INSERT INTO malipo_checkout_prompts SELECT 'O' || n, 1, 'P' || n, n, 0 FROM r`,
  `${ROWS} INSERT INTO malipo_idempotency (key, version, state, owner, endpoint, idempotency_key, base_url, scope,
      begun_at, lease_from, lease_ms, parameters, account_reference, keep_until)
    SELECT 'K' || n, 1, 'succeeded', 'W', 'E', 'K' || n, 'B', 'S', n, n, 1, 'P', 'A' || n, n FROM r`,
  `${ROWS} INSERT INTO malipo_inbox (queue, due_at, key, digest, kind, raw, secret_index, received_at, forget_at, state)
    SELECT 'payment.completed', n, randomblob(32), randomblob(32), 'payment.completed', x'', 0, n, n, 'done' FROM r`,
];

const LIBRARIES = [
  ["node:sqlite", () => new DatabaseSync(":memory:")],
  ["better-sqlite3", () => new BetterSqlite3(":memory:")],
] as const;

const RUNS = LIBRARIES.flatMap(([library, open]) => [
  { library, open, statistics: "without statistics", count: undefined },
  // `PRAGMA optimize` counts them, too: https://sqlite.org/lang_analyze.html
  { library, open, statistics: "with statistics", count: "ANALYZE" },
]);

describe.each(RUNS)("100,000 paid orders in $library, $statistics", async ({ open, count }) => {
  const texts = await allStatements();
  const database = open();
  await sqliteCheckout(database).open();
  for (const sql of FILL) database.exec(sql);
  if (count !== undefined) database.exec(count);
  /** A plan does not depend on the values. better-sqlite3 asks for all of them, Node for none. */
  const planOf = (sql: string) => {
    const places = "inTransaction" in database ? sql.split("?").length - 1 : 0;
    const values: null[] = Array(places).fill(null);
    const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
    return rows.map((row) => (row as { detail: string }).detail);
  };

  it("are counted in a table of statistics only if the merchant has them counted", () => {
    const query = "SELECT name FROM sqlite_master WHERE name LIKE 'sqlite_stat1'";
    expect(database.prepare(query).all()).toHaveLength(count === undefined ? 0 : 1);
  });

  /** An order of a page, or its absence: the only statements that read a whole table or index. */
  const WHOLE = [
    /^SELECT line FROM \w+ ORDER BY id DESC LIMIT/,
    /FROM \w+ WHERE review = 'open'\s+ORDER BY at, reference LIMIT/,
    // Counts of what waits, from indexes of nothing else.
    /COUNT\(\*\) AS count/,
    /COUNT\(\*\) FROM \w+ WHERE state = 'dead'/,
  ];

  it("are scanned by no statement", () => {
    const scans = texts.flatMap((sql) => {
      if (WHOLE.some((one) => one.test(sql))) return [];
      return planOf(sql).filter((step) => /^SCAN malipo_/.test(step));
    });
    expect(scans).toEqual([]);
  });

  it.each([
    [
      /status <= 'paid' AND due_at > 0/,
      "SEARCH malipo_checkout_orders USING INDEX malipo_checkout_orders_due_by_age ((status,created_at,id)>(?,?,?) AND status<?)",
    ],
    [
      /\(\?, \?\)\s+ORDER BY created_at/,
      "SEARCH malipo_checkout_orders USING INDEX malipo_checkout_orders_created ((created_at,id)>(?,?))",
    ],
    [
      /status <= \?/,
      "SEARCH malipo_checkout_orders USING INDEX malipo_checkout_orders_status ((status,created_at,id)>(?,?,?) AND status<?)",
    ],
    [
      /has_review > 0 AND/,
      "SEARCH malipo_checkout_orders USING INDEX malipo_checkout_orders_review_by_age ((created_at,id)>(?,?))",
    ],
    [
      /review = 'open'\s+ORDER BY at, reference/,
      "SCAN malipo_checkout_payments USING INDEX malipo_checkout_payments_review",
    ],
    [
      /review IS NULL AND at < \? - 86400000 ORDER BY at/,
      "SEARCH malipo_checkout_payments USING INDEX malipo_checkout_payments_stray (at<?)",
    ],
    [
      /^DELETE FROM malipo_checkout_payments/,
      "SEARCH malipo_checkout_payments USING INDEX sqlite_autoindex_malipo_checkout_payments_1 (reference=?)",
    ],
    [/^SELECT line FROM malipo_checkout_decisions/, "SCAN malipo_checkout_decisions"],
    [
      /FROM malipo_checkout_prompts\s+WHERE phone = \? AND at/,
      "SEARCH malipo_checkout_prompts USING INDEX malipo_checkout_prompts_phone (phone=? AND at>? AND at<?)",
    ],
  ])("are not read by what has an index for its order: %s", (text, step) => {
    const found = texts.filter((sql) => text.test(sql));
    expect(found.map(planOf)).toEqual([[step]]);
  });

  it.each([
    [/AS part_0 .+ AS part_2$/, "malipo_checkout_orders_paid (status=? AND due_at<?)"],
    [/AS part_0 .+ AS part_2$/, "malipo_checkout_orders_due (due_at<?)"],
    [/AS part_0 .+ AS part_2$/, "malipo_checkout_orders_planned (planned_at>?)"],
    [/MAX\(at\) AS asked/, "malipo_checkout_prompts USING INDEX malipo_checkout_prompts_phone"],
    [/state IN \('in_flight', 'unknown'\)/, "USING INDEX malipo_idempotency_state (state=? AND"],
    [/AND account_reference = \?/, "malipo_idempotency_account_reference ("],
    [/ORDER BY keep_until LIMIT/, "malipo_idempotency_keep_until (keep_until<?)"],
    [
      /DELETE FROM malipo_idempotency WHERE key IN/,
      "sqlite_autoindex_malipo_idempotency_1 (key=?)",
    ],
    [/SELECT MIN\(due_at\) - .+queue = \?/s, "COVERING INDEX malipo_inbox_due (queue=?)"],
    [/SELECT MIN\(due_at\) - .+kind = \?/s, "COVERING INDEX malipo_inbox_other (kind=?)"],
    [/SELECT SUM\(due\).+queue = \?/s, "malipo_inbox_due (queue=? AND due_at<?)"],
    [/AS parts ORDER BY due_at LIMIT/, "malipo_inbox_due (queue=? AND due_at<?)"],
    [/UNION ALL SELECT key, digest, state/, "INDEX sqlite_autoindex_malipo_inbox_1 (key=?)"],
    [/SELECT id, signed_at FROM malipo_inbox/, "malipo_inbox_forget (forget_at<?)"],
    [/SELECT key, digest, signed_at/, "malipo_inbox_conflicts_decided (forget_at<?)"],
    [/SET due_at = \? WHERE state/, "malipo_inbox_due (queue=? AND due_at>?)"],
    [/kind NOT IN/, "malipo_inbox_due (queue=? AND due_at<?)"],
    [/WHERE state = 'dead' AND received_at >=/, "malipo_inbox_dead (received_at>?"],
    [/WHERE state = 'open' AND received_at >=/, "malipo_inbox_conflicts_open (received_at>?"],
  ])("are not read by what has an index for what it asks: %s", (text, step) => {
    const found = texts.filter((sql) => text.test(sql));
    expect(found).not.toEqual([]);
    for (const sql of found) expect(planOf(sql).join("\n")).toContain(step);
  });
});
