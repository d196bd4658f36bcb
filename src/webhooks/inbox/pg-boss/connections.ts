import type { PgBoss } from "pg-boss";

/** The pool of `pg`, as far as it is used here. */
interface Pool {
  on(event: "acquire", listener: (client: Client) => void): unknown;
}

interface Client {
  on(event: "error", listener: () => void): unknown;
}

const isPool = (value: unknown): value is Pool =>
  typeof value === "object" && value !== null && typeof (value as Pool).on === "function";

const seenPools = new WeakSet<object>();
const seenClients = new WeakSet<object>();

/**
 * Gives each connection of pg-boss a listener for errors. The pool takes its own off when it hands a
 * connection out, and pg-boss adds one a moment later: a connection that PostgreSQL ends in between
 * would end the process. The error is not lost, because the next statement on the connection rejects.
 *
 * pg-boss makes a new pool at every start. It has none where the user gave it a database connection.
 */
export function listenForErrors(boss: PgBoss): void {
  const { pool } = boss.getDb() as { pool?: unknown };
  if (!isPool(pool) || seenPools.has(pool)) return;
  seenPools.add(pool);
  pool.on("acquire", (client) => {
    if (seenClients.has(client)) return;
    seenClients.add(client);
    client.on("error", () => {});
  });
}
