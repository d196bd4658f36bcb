import { Pool, type PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askAll, FEW, NOW, SHOPS, STORED } from "../../suites/checkout-plans.ts";
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

const schema = `plans_${process.pid}`;
const tables = ["orders", "payments", "prompts", "decisions", "idempotency"];
const rows = `FROM generate_series(1, ${STORED}) n`;

beforeAll(async () => {
  if (engine === undefined) return;
  await postgresCheckout({ pool, schema }).open();
  for (const table of tables)
    await pool.query(`ALTER TABLE ${schema}.${table} SET (autovacuum_enabled = off)`);
  await pool.query(`INSERT INTO ${schema}.payments SELECT 'R' || n,
    CASE WHEN n % 2 = 0 THEN 'O' || n END, CASE WHEN n % 2 = 1 THEN '{"reference":"R"}' END,
    CASE WHEN n % 4 = 1 THEN 'open' END, ${NOW} - n ${rows}`);
  await pool.query(
    `INSERT INTO ${schema}.prompts SELECT 'O' || n, 1, 'P' || n, ${NOW} - n, 0 ${rows}`,
  );
  await pool.query(`INSERT INTO ${schema}.decisions (line) SELECT '{}' ${rows}`);
  await pool.query(`INSERT INTO ${schema}.idempotency SELECT 'K' || n, 2, 'succeeded', '', 'e', 'K' || n,
    'b', '', to_timestamp(n), to_timestamp(n), 1, 'p', 'A' || n, '1', 'f', '{}', NULL ${rows}`);
});

describe.skipIf(engine === undefined).each(SHOPS)("100,000 orders that $what", (shop) => {
  it("are not read by a poll, a list or a page, without statistics", async () => {
    const { status, hasReview = 0, dueAt = null, later } = shop;
    await pool.query(`TRUNCATE ${schema}.orders`);
    await pool.query(`INSERT INTO ${schema}.orders
      SELECT 'O' || n, 1, 'L' || n, '${status}', ${hasReview}, n, ${dueAt}, n, '{"createdAt":1,"id":"O"}' ${rows}`);
    if (later !== undefined) await pool.query(`UPDATE ${schema}.orders SET ${later}`);

    const greedy: string[] = [];
    const store = postgresCheckout({ pool: explaining(greedy), schema });
    // A start looks for tables of former versions in the catalog.
    await store.open();
    greedy.length = 0;
    await askAll(store);
    expect(greedy).toEqual([]);
    const { rows: statistics } = await pool.query(
      "SELECT 1 FROM pg_stats WHERE schemaname = $1 AND tablename = ANY ($2)",
      [schema, tables],
    );
    expect(statistics).toEqual([]);
  });
});
