import { createCheckout } from "malipo/checkout";
import { postgres } from "malipo/postgres";
import { Pool } from "pg";
import { afterAll, expect, test } from "vitest";
import { engineSuite } from "../suites/engine.ts";
import { sharedPostgres } from "../support/engines/shared.ts";

const { url = "" } = (await sharedPostgres()) ?? {};
const pool = new Pool({ connectionString: url, allowExitOnIdle: true });
afterAll(() => pool.end());
let schemas = 0;
const schema = () => `engine_${process.pid}_${++schemas}`;

if (url !== "") {
  engineSuite("postgres(url)", (options) => postgres(url, { schema: schema(), ...options }));
  engineSuite("postgres(pool)", (options) => postgres(pool, { schema: schema(), ...options }));
}

const tablesIn = async (name: string) => {
  const text =
    "SELECT table_name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1";
  return (await pool.query(text, [name])).rows.map((row) => row.table_name);
};

test.skipIf(url === "")(
  "the tables of keys are made at the first use, and those of orders by open() and by the SQL",
  async () => {
    const name = schema();
    const db = postgres(pool, { schema: name });
    expect(await db.check()).toEqual([]);
    expect(await tablesIn(name)).toEqual([]);
    await db.idempotency().list();
    expect(await tablesIn(name)).toEqual(["idempotency", "idempotency_meta"]);
    await db.open();
    const other = schema();
    await pool.query(postgres(pool, { schema: other }).sql());
    expect(await tablesIn(other)).toEqual(await tablesIn(name));
    expect(await db.check()).toEqual([]);
    await pool.query(`UPDATE ${name}.meta SET value = '99'`);
    expect(await db.check()).toEqual([expect.stringMatching(/have format 99/)]);
    await db.close();
    await pool.query("SELECT 1");
  },
);

test.skipIf(url === "")(
  "a checkout without a handler for other events does not make an inbox",
  async () => {
    const name = schema();
    const db = postgres(pool, { schema: name });
    const gateway = { apiKey: "sk_test_1", baseUrl: "http://127.0.0.1:9/v1" };
    const checkout = createCheckout({ store: db, gateway, secret: "whsec_1", onPaid: () => {} });
    await checkout.start();
    expect((await checkout.receiver.stats()).waiting).toBe(0);
    await checkout.stop();
    await db.close();
    expect(await tablesIn(name)).not.toContain("malipo-webhooks_events");
  },
);
