import { setImmediate as nextTurn } from "node:timers/promises";
import type { Checkout } from "malipo/checkout";
import { Pool, type PoolClient } from "pg";
import { afterAll, describe, expect, it, vi } from "vitest";
import { sharedPostgres } from "../../support/engines/shared.ts";
import {
  type PostgresCheckoutOptions,
  postgresCheckout,
} from "../../support/stores/postgres-checkout.ts";
import { newSandbox, ORDER, openShop, testClock } from "../stage.ts";

const { url = "" } = (await sharedPostgres()) ?? {};
const pool = new Pool({ connectionString: url, allowExitOnIdle: true });
afterAll(() => pool.end());

let schemas = 0;
const freshSchema = () => `executors_${process.pid}_${++schemas}`;

type Transact = NonNullable<PostgresCheckoutOptions["transact"]>;
type Run = Parameters<Transact>[0];

async function inTransaction<Result>(work: (client: PoolClient) => Promise<Result>) {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
}

/** As `query` of TypeORM returns them: `[rows, count]` for what changes rows. */
const asTypeOrm = async (client: PoolClient, text: string, values?: unknown[]) => {
  const { rows, rowCount, command } = await client.query(text, values);
  return { rows: command === "UPDATE" || command === "DELETE" ? [rows, rowCount] : rows };
};

const WRONG: [name: string, transact: unknown, says: RegExp][] = [
  [
    "returns the rows of TypeORM's query",
    (run: Run) =>
      inTransaction((tx) => run(tx, { executeSql: (text, values) => asTypeOrm(tx, text, values) })),
    /a list of objects.*an array.*queryRunner\.query\(text, values, true\)/,
  ],
  [
    "returns rows as arrays",
    (run: Run) =>
      inTransaction((tx) =>
        run(tx, {
          executeSql: (text, values = []) => tx.query({ text, values, rowMode: "array" }),
        }),
      ),
    /a list of objects/,
  ],
  [
    "returns the rows without their object",
    (run: Run) =>
      inTransaction((tx) =>
        run(tx, {
          executeSql: async (text, values) => (await tx.query(text, values)).rows as never,
        }),
      ),
    /a list of objects/,
  ],
  [
    "commits each statement by itself",
    (run: Run) => run(pool, { executeSql: (text, values) => pool.query(text, values) }),
    /one transaction, which is rolled back/,
  ],
  [
    "commits although `run` rejects",
    async (run: Run) => {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        return await run(client, { executeSql: (text, values) => client.query(text, values) });
      } finally {
        await client.query("COMMIT");
        client.release();
      }
    },
    /one transaction, which is rolled back/,
  ],
  [
    "resolves although `run` rejects",
    (run: Run) =>
      inTransaction((tx) =>
        run(tx, { executeSql: (text, values) => tx.query(text, values) }),
      ).catch(() => {}),
    /must reject if/,
  ],
];

describe.skipIf(url === "")("postgresCheckout", () => {
  it.each(WRONG)("refuses at the start a `transact` that %s", async (_, transact, says) => {
    const schema = freshSchema();
    const store = postgresCheckout({ pool, schema, transact: transact as never });
    const { checkout } = openShop(newSandbox(), store);
    await expect(checkout.start()).rejects.toMatchObject({
      code: "configuration",
      message: expect.stringMatching(says),
    });
    const { rows } = await pool.query(`SELECT name FROM ${schema}.meta`);
    expect(rows.map(({ name }) => name).sort()).toEqual(["format", "readable_since"]);
  });

  it("refuses to make an order by an executor with the rows of TypeORM's query", async () => {
    const store = postgresCheckout({ pool, schema: freshSchema() });
    const { checkout } = openShop(newSandbox(), store);
    await checkout.get("");
    const made = inTransaction((tx) =>
      checkout.create(ORDER, {
        transaction: {
          executeSql: async (text: string, values: unknown[]) => ({
            rows: [(await tx.query(text, values)).rows, 1],
          }),
        },
      }),
    );
    await expect(made).rejects.toThrow(/a list of objects/);
    expect(await checkout.get(ORDER.id)).toBeUndefined();
  });

  /** A shop on a pool of a size, whose orders are paid. */
  async function paid(max: number, ids: readonly string[], onPaid: PaidHandler) {
    const clock = testClock();
    const sandbox = newSandbox();
    const own = new Pool({ connectionString: url, max, allowExitOnIdle: true });
    own.on("error", () => {});
    afterAll(() => own.end());
    const schema = freshSchema();
    await pool.query(`CREATE TABLE IF NOT EXISTS ${schema}_goods (order_id TEXT)`);
    const store = postgresCheckout({ pool: own, schema, now: clock.now });
    const give = (client: PoolClient, id: string) =>
      client.query(`INSERT INTO ${schema}_goods VALUES ($1)`, [id]);
    const shop = openShop(sandbox, store, {
      phoneLimit: 1_000,
      onPaid: (order, context) =>
        onPaid({ order, context: context as never, checkout: shop.checkout, give }),
    });
    for (const [at, id] of ids.entries()) {
      const phone = `07${String(10_000_000 + at)}`;
      await shop.checkout.pay({ id, amount: 10, phone });
      sandbox.phone(phone).approve();
    }
    await sandbox.clock.advance("10s");
    const goods = async () =>
      (await pool.query(`SELECT order_id FROM ${schema}_goods ORDER BY order_id`)).rows.map(
        (row) => row.order_id,
      );
    clock.advance(10_000);
    return { ...shop, own, clock, goods };
  }
  type PaidHandler = (given: {
    order: { id: string };
    context: {
      transaction(write: (client: PoolClient) => unknown): Promise<unknown>;
      signal: AbortSignal;
    };
    checkout: Checkout;
    give(client: PoolClient, id: string): Promise<unknown>;
  }) => unknown;

  const IDS = Array.from({ length: 12 }, (_, at) => `SMALL-${String(at).padStart(2, "0")}`);

  it("gives the goods of 12 orders on a pool of 4, if onPaid reads orders in its transaction", async () => {
    const { checkout, goods } = await paid(4, IDS, ({ order, context, checkout: own, give }) =>
      context.transaction(async (client) => {
        await give(client, order.id);
        await own.get(order.id);
      }),
    );
    await checkout.reconcile({ timeoutMs: 30_000 });
    expect(await goods()).toEqual(IDS);
  });

  it("gives the goods on a pool of one", async () => {
    const { checkout, goods } = await paid(1, IDS, ({ order, context, give }) =>
      context.transaction((client) => give(client, order.id)),
    );
    await checkout.reconcile({ timeoutMs: 30_000 });
    expect(await goods()).toEqual(IDS);
  });

  it("says that a pool of one has no connection for a read inside the transaction", async () => {
    let isReading = false;
    const { checkout, own, goods, errors } = await paid(
      1,
      IDS.slice(0, 1),
      ({ order, context, checkout: own, give }) =>
        context.transaction(async (client) => {
          await give(client, order.id);
          isReading = true;
          await own.get(order.id);
        }),
    );
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const reconciled = checkout.reconcile({ timeoutMs: 60_000 });
    while (!isReading || own.waitingCount === 0) await nextTurn();
    // The pool has no limit of its own, so that the checkout ends the wait.
    vi.advanceTimersByTime(30_000);
    vi.useRealTimers();
    await reconciled;
    expect(await goods()).toEqual([]);
    expect(errors.map(String)).toContainEqual(
      expect.stringMatching(/The pool has 1 connection to PostgreSQL, and it was not free/),
    );
  });

  it("gives the goods of others while the onPaid of eight orders hangs", async () => {
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hanging = IDS.slice(0, 8);
    const { checkout, goods } = await paid(4, IDS, async ({ order, context, give }) => {
      if (hanging.includes(order.id)) await gate;
      await context.transaction((client) => give(client, order.id));
    });
    await checkout.start();
    await expect.poll(goods).toEqual(IDS.slice(8));
    release();
    await expect.poll(goods).toEqual(IDS);
  });
});
