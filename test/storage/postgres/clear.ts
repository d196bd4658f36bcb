import type { Pool } from "pg";

/** Deletes what is stored in a schema: faster than new tables. */
export async function clear(pool: Pool, schema: string): Promise<void> {
  const { rows } = await pool.query("SELECT tablename FROM pg_tables WHERE schemaname = $1", [
    schema,
  ]);
  const tables = rows.filter(({ tablename }) => !tablename.endsWith("meta"));
  await pool.query(tables.map(({ tablename }) => `DELETE FROM ${schema}.${tablename}`).join("; "));
}
