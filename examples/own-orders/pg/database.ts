import pg from "pg";

export interface Order {
  id: string;
  product: string;
  cents: number;
  state: string;
  paidAt: Date | null;
}

const { DATABASE_URL = "" } = process.env;
export const pool = new pg.Pool({ connectionString: DATABASE_URL });
// A connection that is lost does not end the process.
pool.on("error", console.error);
pool.on("connect", (client) => client.on("error", () => {}));

const FIND = `SELECT id, product, cents, state, paid_at AS "paidAt" FROM orders WHERE id = $1`;
export async function findOrder(id: string): Promise<Order | undefined> {
  return (await pool.query<Order>(FIND, [id])).rows[0];
}

export async function inTransaction(run: (client: pg.PoolClient) => Promise<unknown>) {
  const client = await pool.connect();
  let problem: Error | undefined;
  try {
    await client.query("BEGIN");
    await run(client);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK").catch((lost: Error) => {
      problem = lost;
    });
    throw error;
  } finally {
    client.release(problem);
  }
}
