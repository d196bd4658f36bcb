import { readFileSync } from "node:fs";
import type { IdempotencyStore } from "malipo";
import { type PostgresEngine, type PostgresOptions, postgres } from "malipo/postgres";
import type { Job } from "malipo/types";
import { Pool } from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectEachState, OPTIONS } from "../../idempotency/stored-data/stored-data.ts";
import { newDelivery, receiverOn, stopAll, until } from "../../suites/inbox-stage.ts";
import { sharedPostgres } from "../../support/engines/shared.ts";
import { ALL } from "../../webhooks/inbox/sqlite/stored-data/fill.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const FORMER = read("./former.sql");
/** The statements of the page, as a person copies them. */
const [MOVE_KEYS = "", MOVE_EVENTS = "", OF_OTHERS = ""] = Array.from(
  read("../../../docs/contributing/former-tables.md").matchAll(/```sql\n([\s\S]*?)```/g),
  ([, sql = ""]) => sql,
);

const shared = await sharedPostgres();
const url = shared?.url ?? "";
const pool = new Pool({ connectionString: url, allowExitOnIdle: true });
pool.on("error", () => {});
afterAll(() => pool.end());

const engines: PostgresEngine<unknown>[] = [];
const engineOn = (options?: PostgresOptions & { transact?: undefined }) => {
  const engine = postgres(url, options);
  engines.push(engine);
  return engine;
};

const KEYS_LEFT =
  'A former version of malipo has stored idempotency keys in public.malipo_idempotency, which this version does not read: a customer could be prompted again for the same key. Move them, or say that they belong to another shop, as "Upgrade and go back" in the manual shows.';
const EVENTS_LEFT =
  'A former version of malipo has stored events in malipo_inbox."malipo-webhooks_events", which this version does not read: events that wait there would never be processed. Move them,';

const attempt = (store: IdempotencyStore) => store.list();

describe.skipIf(shared === undefined)("the tables of a former version in PostgreSQL", () => {
  stopAll();
  beforeEach(async () => {
    await pool.query(FORMER);
  });
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close();
    await pool.query(
      `DROP SCHEMA IF EXISTS malipo_checkout CASCADE; DROP SCHEMA malipo_inbox CASCADE;
       DROP TABLE IF EXISTS malipo_idempotency, payments_keys, elsewhere.idempotency; DROP SCHEMA IF EXISTS elsewhere, shop CASCADE`,
    );
  });

  test.each(["malipo_checkout", "shop"])(
    "are not left in silence by an engine in the schema %s",
    async (schema) => {
      const db = engineOn({ schema });
      await expect(db.open()).rejects.toMatchObject({ code: "configuration", message: KEYS_LEFT });
      await expect(attempt(db.idempotency())).rejects.toThrow(KEYS_LEFT);
      await expect(db.inbox().accept(newDelivery(1))).rejects.toThrow(EVENTS_LEFT);
      expect(await db.check()).toContain(KEYS_LEFT);
      const { rows } = await pool.query(
        "SELECT 1 FROM pg_tables WHERE tablename IN ('idempotency_meta', 'inbox', 'inbox_meta')",
      );
      expect(rows).toEqual([]);
    },
  );

  test.each([
    [
      "of another name",
      "ALTER TABLE malipo_idempotency RENAME TO payments_keys",
      "public.payments_keys",
    ],
    [
      "of the name that they have now, in another schema",
      "CREATE SCHEMA elsewhere; ALTER TABLE malipo_idempotency SET SCHEMA elsewhere; ALTER TABLE elsewhere.malipo_idempotency RENAME TO idempotency",
      "elsewhere.idempotency",
    ],
  ])("are found if they are %s", async (_, sql, name) => {
    await pool.query(sql);
    await expect(attempt(engineOn().idempotency())).rejects.toThrow(
      `idempotency keys in ${name}, which`,
    );
  });

  test("are not those of a checkout in another schema, nor those that an engine has taken over", async () => {
    await pool.query(`${engineOn().sql()}${MOVE_KEYS}`);
    for (const db of [engineOn(), engineOn({ schema: "shop" })]) await attempt(db.idempotency());
    expect(
      (await pool.query("SELECT obj_description('malipo_checkout.idempotency'::regclass) AS text"))
        .rows,
    ).toEqual([{ text: "Idempotency keys of malipo, format 3" }]);
  });

  test("have keys that go on after the move: none is prompted again", async () => {
    const db = engineOn({ pepper: OPTIONS.pepper });
    await pool.query(`${db.sql()}${MOVE_KEYS}`);
    await expectEachState(db.idempotency({ scope: OPTIONS.scope }));
  });

  test("have events that are listed, recognised and processed after the move", async () => {
    const db = engineOn();
    await pool.query(`${db.sql()}${MOVE_EVENTS}`);
    const inbox = db.inbox();
    const { deadLetters, conflicts } = receiverOn(inbox);
    const jobs: Job[] = [];
    const run = async (job: Job) => void jobs.push(job);
    await inbox.start({ run, concurrency: 8, onError: () => {} });
    await until(() => jobs.length === 4);
    expect(jobs.sort((a, b) => (a.key < b.key ? -1 : 1))).toMatchObject([
      { key: ALL.waiting.key, attempt: 1, traceContext: ALL.waiting.traceContext, source: "read" },
      { key: ALL.newKind.key, attempt: 1 },
      { key: newDelivery(20).key, attempt: 2 },
      { key: expect.any(String), attempt: 1 },
    ]);
    for (const known of [ALL.waiting, ALL.done, ALL.dead, ALL.requeued, ALL.dropped]) {
      expect(await inbox.accept(known)).toMatchObject({ kind: "duplicate" });
    }
    expect(await inbox.accept(ALL.open)).toMatchObject({ kind: "conflict" });
    expect(await deadLetters.list()).toMatchObject([{ id: ALL.dead.key, error: "too old" }]);
    expect(await conflicts.list()).toMatchObject([{ event: ALL.open.event }]);
    await expect(
      until(async () => (await inbox.stats?.())?.waiting === 0),
    ).resolves.toBeUndefined();
  });

  test("refuse the former version after the move", async () => {
    const client = await pool.connect();
    await client.query(`${engineOn().sql()}${MOVE_KEYS}${MOVE_EVENTS}`);
    // What its processes send that go on.
    for (const sql of [
      "UPDATE malipo_idempotency SET state = 'unknown'",
      'SELECT * FROM malipo_inbox."malipo-webhooks_events"',
    ]) {
      await expect(client.query(sql)).rejects.toThrow("does not exist");
    }
    client.release();
    await engineOn().open();
  });

  test("are left if a person says that they belong to another shop", async () => {
    const db = engineOn();
    await pool.query(`${db.sql()}${OF_OTHERS}`);
    await db.open();
    expect(await db.check()).toEqual([]);
  });
});
