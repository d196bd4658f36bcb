import { Pool, type PoolClient } from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { sharedPostgres } from "../../support/engines/shared.ts";
import { postgresCheckout } from "../../support/stores/postgres-checkout.ts";

const engine = await sharedPostgres();
const pool = new Pool({ connectionString: engine?.url ?? "", allowExitOnIdle: true });
pool.on("error", () => {});
afterAll(() => pool.end());

interface Plan {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly Plans?: readonly Plan[];
}

/** More than a page, and far less than what is stored. */
const FEW = 150;

/** The nodes of a plan that read many rows, in words. */
function greedyIn(plan: Plan): string[] {
  const removed =
    (plan["Rows Removed by Filter"] ?? 0) +
    (plan["Rows Removed by Index Recheck"] ?? 0) +
    (plan["Rows Removed by Join Filter"] ?? 0);
  const read = (plan["Actual Rows"] + removed) * plan["Actual Loops"];
  const own = read > FEW ? [`${plan["Node Type"]} ${plan["Index Name"] ?? ""}: ${read}`] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(greedyIn)];
}

/** A pool that explains each statement on tables of malipo before it runs it, and notes what reads many rows. */
function explaining(greedy: string[]): Pool {
  const explain = async (client: PoolClient, text: string, values: unknown[], isOpen: boolean) => {
    if (
      !/^\s*(SELECT|INSERT|UPDATE|DELETE)/.test(text) ||
      /hashtext|set_config|pg_settings/.test(text)
    )
      return;
    await client.query(isOpen ? "SAVEPOINT plan" : "BEGIN");
    const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    await client.query(isOpen ? "ROLLBACK TO plan" : "ROLLBACK");
    const found = greedyIn(rows[0]["QUERY PLAN"][0].Plan);
    greedy.push(...found.map((node) => `${node} in ${text.replaceAll(/\s+/g, " ")}`));
  };
  const queryOn = (client: PoolClient) => {
    let isOpen = false;
    return async (given: string | { text: string; values?: unknown[] }, more: unknown[] = []) => {
      const { text, values = [] } =
        typeof given === "string" ? { text: given, values: more } : given;
      await explain(client, text, values, isOpen);
      if (/^(BEGIN|COMMIT|ROLLBACK)/.test(text)) isOpen = text.startsWith("BEGIN");
      return client.query(text, values);
    };
  };
  const connect = async () => {
    const client = await pool.connect();
    const { release } = client;
    const on = { on: () => {}, off: () => {}, release: release.bind(client) };
    return { ...on, query: queryOn(client) };
  };
  const query = async (...given: Parameters<ReturnType<typeof queryOn>>) => {
    const client = await pool.connect();
    try {
      return await queryOn(client)(...given);
    } finally {
      client.release();
    }
  };
  return { query, connect } as unknown as Pool;
}

const N = 100_000;
const FAR = Date.now() + 86_400_000;
const NOW = Date.now();

/** What 100,000 orders of a shop may look like, as values of status, has_review, due_at. */
const ORDERS: readonly [what: string, values: string, then?: string][] = [
  ["are paid, and nothing is due", "'paid', 0, NULL::bigint"],
  // Each had an entry in the indexes of what is due.
  ["are paid, and something was due", "'paid', 0, 1", "due_at = NULL"],
  ["are paid, and are read later", `'paid', 0, ${FAR}`],
  ["expire later", `'open', 0, ${FAR}`],
  ["need a review", "'open', 1, NULL::bigint"],
];

const report = (reference: string) =>
  ({
    reference,
    status: "completed",
    amount: "5.00",
    currency: "KES",
    message: undefined,
    retry: "unknown",
  }) as const;

describe.skipIf(engine === undefined).each(ORDERS)("100,000 orders that %s", (_, values, then) => {
  it("are not read by a poll, a list or a page, without statistics", async () => {
    const schema = `plans_${process.pid}_${values.length}_${then?.length ?? 0}`;
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    const made = postgresCheckout({ pool, schema });
    await made.open();
    const tables = ["orders", "payments", "prompts", "decisions", "idempotency"];
    for (const table of tables)
      await pool.query(`ALTER TABLE ${schema}.${table} SET (autovacuum_enabled = off)`);
    const rows = `FROM generate_series(1, ${N}) n`;
    await pool.query(`INSERT INTO ${schema}.orders
      SELECT 'O' || n, 1, 'L' || n, s, r, n, d, n, '{"createdAt":1,"id":"O"}' ${rows}, (VALUES (${values})) v (s, r, d)`);
    if (then !== undefined) await pool.query(`UPDATE ${schema}.orders SET ${then}`);
    await pool.query(`INSERT INTO ${schema}.payments SELECT 'R' || n,
      CASE WHEN n % 2 = 0 THEN 'O' || n END, CASE WHEN n % 2 = 1 THEN '{"reference":"R"}' END,
      CASE WHEN n % 4 = 1 THEN 'open' END, ${NOW} - n ${rows}`);
    await pool.query(
      `INSERT INTO ${schema}.prompts SELECT 'O' || n, 1, 'P' || n, ${NOW} - n, 0 ${rows}`,
    );
    await pool.query(`INSERT INTO ${schema}.decisions (line) SELECT '{}' ${rows}`);
    await pool.query(`INSERT INTO ${schema}.idempotency SELECT 'K' || n, 2, 'succeeded', '', 'e', 'K' || n,
      'b', '', to_timestamp(n), to_timestamp(n), 1, 'p', 'A' || n, '1', 'f', '{}', NULL ${rows}`);

    const greedy: string[] = [];
    const store = postgresCheckout({ pool: explaining(greedy), schema });
    // A start looks for tables of former versions in the catalog.
    await store.open();
    greedy.length = 0;
    await store.due(32);
    const page = { after: undefined, limit: 100, status: undefined, review: false };
    for (const query of [
      page,
      { ...page, after: { at: 500, id: "O500" } },
      { ...page, status: "paid" },
      { ...page, status: "open" },
      { ...page, status: "expired" },
      { ...page, review: true },
      { ...page, isDue: true },
    ] as const)
      await store.list(query);
    await store.byPhone("P77", 100);
    await store.unmatched(100);
    await store.decisions(100);
    await store.addDecision({ state: "planned" });
    for (const reference of ["R78", "R77", "NEW"]) {
      await store.strayOf(reference);
      await store.orderOf({ reference, alias: "payment_id:5", label: "L5" });
      await store.labelled([`L${reference}`, "L5", "L6"]);
      await store.keep(report(reference), true, false);
      await store.resolve(reference, { decision: "dismiss", by: undefined, lines: [] });
    }
    await store.read("O5");
    const { idempotency } = store;
    await idempotency.list({ state: "unknown" });
    await idempotency.list({ state: "in_flight" });
    await idempotency.list({});
    await idempotency.list({ state: "succeeded" });
    await idempotency.list({ digests: { accountReference: "other" } });
    await idempotency.read("K7");
    expect(greedy).toEqual([]);
    const { rows: statistics } = await pool.query(
      "SELECT 1 FROM pg_stats WHERE schemaname = $1 AND tablename = ANY ($2)",
      [schema, tables],
    );
    expect(statistics).toEqual([]);
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  });
});
