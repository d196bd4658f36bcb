import { Client } from "pg";

/** Leases last seconds, and retries come at once. */
export const tuning = {
  engineTimeoutMs: 4_000,
  boss: { monitorIntervalSeconds: 1, superviseIntervalSeconds: 1, maintenanceIntervalSeconds: 1 },
  queue: { heartbeatSeconds: 10, retryBackoff: false, retryDelay: 0, retryDelayMax: null },
  maintenanceMs: 500,
  pace: { minRetentionMs: 1, backoffMs: () => 0 },
};

export const freshQueue = (): string => `test-${crypto.randomUUID()}`;

/** The names of an inbox's tables. */
export const tablesOf = (queue: string, schema = "malipo_inbox") => ({
  events: `${schema}."${queue}_events"`,
  conflicts: `${schema}."${queue}_conflicts"`,
  meta: `${schema}."${queue}_meta"`,
});

/** Runs a statement on a separate connection. */
export async function query(url: string, text: string, values: unknown[] = []) {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query(text, values);
  await client.end();
  return rows;
}
