import { readFileSync } from "node:fs";
import { Client } from "pg";

/** Leases last a second or two, and retries come at once. */
export const pace = {
  leaseMs: 1_500,
  backoffMs: () => 0,
  engineTimeoutMs: 4_000,
  minRetentionMs: 1,
  maintenanceMs: 500,
};

/** The name of a schema in which nothing is. */
export const freshSchema = (): string => `test_${crypto.randomUUID().replaceAll("-", "_")}`;

/** The names of an inbox's tables. */
export const tablesOf = (schema: string) => ({
  events: `${schema}.inbox`,
  conflicts: `${schema}.inbox_conflicts`,
  doubles: `${schema}.inbox_double_payments`,
  meta: `${schema}.inbox_meta`,
});

/** Runs a statement on a separate connection. */
export async function query(url: string, text: string, values: unknown[] = []) {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query(text, values);
  await client.end();
  return rows;
}

/** Statements that make the tables of a format, with data, as the version that wrote it left it. */
export function storedData(format: string, schema: string): string {
  const file = new URL(`./stored-data/${format}/inbox.sql`, import.meta.url);
  return readFileSync(file, "utf8").replaceAll(/\bSCHEMA\b(?=[.;])/g, schema);
}
