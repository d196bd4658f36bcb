import { Client } from "pg";

/** Leases last seconds, and retries come at once. */
export const tuning = {
  engineTimeoutMs: 2_000,
  boss: { monitorIntervalSeconds: 1, superviseIntervalSeconds: 1, maintenanceIntervalSeconds: 1 },
  queue: { heartbeatSeconds: 10, retryBackoff: false, retryDelay: 0, retryDelayMax: null },
};

export const freshQueue = (): string => `malipo-test-${crypto.randomUUID()}`;

/** Runs a statement on a connection of its own. */
export async function query(url: string, text: string, values: unknown[] = []) {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query(text, values);
  await client.end();
  return rows;
}
