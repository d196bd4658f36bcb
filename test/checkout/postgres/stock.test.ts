import { readFileSync } from "node:fs";
import { Pool } from "pg";
import { afterAll, expect, it } from "vitest";
import { sharedPostgres } from "../../support/engines/shared.ts";

// "If you sell what is limited", docs/guides/shop.md, on PostgreSQL.
const PAGE = readFileSync(new URL("../../../docs/guides/shop.md", import.meta.url), "utf8");
const LOCK = /`(LOCK TABLE held [A-Z ]+)`/.exec(PAGE)?.[1] ?? "";

const engine = await sharedPostgres();
const pool = new Pool({ connectionString: engine?.url ?? "", allowExitOnIdle: true });
afterAll(() => pool.end());

async function hold(id: string, stock: number): Promise<boolean> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query(LOCK);
    await client.query(
      "INSERT INTO held (id) SELECT $1 WHERE (SELECT count(*) FROM held) < $2 ON CONFLICT DO NOTHING",
      [id, stock],
    );
    const { rowCount } = await client.query("SELECT 1 FROM held WHERE id = $1", [id]);
    await client.query("COMMIT");
    return rowCount === 1;
  } finally {
    client.release();
  }
}

it.skipIf(engine === undefined)(
  "of ten customers who want the last piece at once, one holds it, and holds it at a second attempt",
  async () => {
    for (let round = 0; round < 20; round++) {
      await pool.query("DROP TABLE IF EXISTS held; CREATE TABLE held (id TEXT PRIMARY KEY)");
      const ids = Array.from({ length: 10 }, (_, at) => `ORDER-${at}`);
      const holding = await Promise.all(ids.map((id) => hold(id, 1)));
      expect(holding.filter(Boolean)).toHaveLength(1);
      const winner = ids[holding.indexOf(true)] ?? "";
      expect(await hold(winner, 1)).toBe(true);
    }
  },
);
