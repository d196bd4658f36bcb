import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import type { IdempotencyStore } from "malipo";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { memoryIdempotency } from "../../../src/idempotency/memory/store.ts";
import { redisIdempotency } from "../../../src/idempotency/redis/store.ts";
import { KEYS } from "../../../src/idempotency/tables.ts";
import { tableSql } from "../../../src/storage/component.ts";
import { lockTable, mysqlDialect } from "../../../src/storage/mysql/mysql-dialect.ts";
import { postgresDialect } from "../../../src/storage/postgres/postgres-dialect.ts";
import { gatewayWith } from "../../client/support/gateway.ts";
import { json } from "../../client/support/responses.ts";
import { mysqlStage } from "../../storage/mysql/mysql-stage.ts";
import { sharedMysql, sharedPostgres, sharedRedis } from "../../support/engines/shared.ts";
import { mysqlKeys, postgresKeys, sqliteKeys } from "../../support/key-stores.ts";
import {
  expectEachState,
  FUTURE_MS,
  fileOf,
  OPTIONS,
  PAST_MS,
  writeEachState,
} from "./stored-data.ts";

// The folder of a format holds what the first release with this format wrote. It is never written
// again: if a test here fails, stores of another release cannot read what this one writes. Then the
// format needs a new number (`STORE_FORMAT`), and its own folder.

const FORMAT = 3;

/** Rows by table, or whatever an engine has instead. */
type Dump = Readonly<Record<string, unknown>>;

/** A place in an engine in which a store has its default names. */
interface StoredStore {
  open(): Promise<IdempotencyStore>;
  /** Sets the times of every record: its begin to the past, its end to the future. */
  fixTimes(): Promise<void>;
  dump(): Promise<Dump>;
  load(dump: Dump): Promise<void>;
}

type Row = Readonly<Record<string, string | number | null>>;

const folder = mkdtempSync(join(tmpdir(), "malipo-stored-"));
const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
});

let places = 0;

function sqlitePlace(): StoredStore {
  const path = join(folder, `${places++}.db`);
  const withDatabase = async <T>(work: (database: DatabaseSync) => T): Promise<T> => {
    const database = new DatabaseSync(path);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  const clock = JSON.stringify({ wallMs: PAST_MS, uptimeMs: 1, nowMs: PAST_MS });
  return {
    open: async () => {
      const store = sqliteKeys(path, { ...OPTIONS, onWarning: () => {} });
      stops.push(() => store.close());
      return store;
    },
    fixTimes: () =>
      withDatabase((database) => {
        database.exec(`UPDATE malipo_idempotency SET begun_at = ${PAST_MS}, lease_from = 1`);
        database.exec(
          `UPDATE malipo_idempotency SET keep_until = ${FUTURE_MS} WHERE keep_until IS NOT NULL`,
        );
        database
          .prepare("UPDATE malipo_idempotency_meta SET value = ? WHERE name = 'clock'")
          .run(clock);
      }),
    dump: () =>
      withDatabase((database) => {
        const schema = database
          .prepare(
            "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, name",
          )
          .all();
        const rows = (table: string) => database.prepare(`SELECT * FROM ${table} ORDER BY 1`).all();
        return {
          schema: Object.fromEntries(schema.map(({ name, sql }) => [name, sql])),
          malipo_idempotency: rows("malipo_idempotency"),
          malipo_idempotency_meta: rows("malipo_idempotency_meta"),
        };
      }),
    load: ({ schema, ...tables }) =>
      withDatabase((database) => {
        for (const sql of Object.values(schema as Record<string, string>)) database.exec(sql);
        for (const [table, rows] of Object.entries(tables)) {
          for (const row of rows as Row[]) {
            const values = Object.keys(row).map((name) => `$${name}`);
            database
              .prepare(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${values})`)
              .run(row);
          }
        }
      }),
  };
}

const redisEngine = await sharedRedis();
stops.push(() => redisEngine?.stop());

async function redisPlace(): Promise<StoredStore> {
  const place = `malipo-test-${crypto.randomUUID()}:`;
  const connect = (options = {}) => {
    const redis = new Redis(redisEngine?.url ?? "", options);
    stops.push(() => redis.disconnect());
    return redis;
  };
  const raw = connect();
  const keys = async () => (await raw.keys(`${place}*`)).sort();
  stops.push(async () => {
    const left = connect();
    for (const key of await left.keys(`${place}*`)) await left.del(key);
  });
  const READ: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    string: (key) => raw.get(key),
    hash: async (key) => ({
      ...Object.fromEntries(Object.entries(await raw.hgetall(key)).sort()),
      expires: (await raw.pttl(key)) >= 0,
    }),
    zset: async (key) => {
      const list = await raw.zrange(key, "0", "-1", "WITHSCORES");
      const pairs = list.flatMap((member, at) => (at % 2 === 0 ? [[member, list[at + 1]]] : []));
      return { scores: Object.fromEntries(pairs.sort()) };
    },
  };
  return {
    open: async () => redisIdempotency(connect({ keyPrefix: place }), OPTIONS),
    fixTimes: async () => {
      for (const key of await keys()) {
        const type = await raw.type(key);
        if (type === "hash" && key.includes("attempt:")) {
          await raw.hset(key, { begun_at: PAST_MS, lease_from: PAST_MS });
        }
        if (type !== "zset") continue;
        const score = key.endsWith("expiry") ? FUTURE_MS : PAST_MS;
        for (const member of await raw.zrange(key, "0", "-1")) await raw.zadd(key, score, member);
      }
    },
    dump: async () => {
      const dump: Record<string, unknown> = {};
      for (const key of await keys()) {
        dump[key.slice(place.length)] = await READ[await raw.type(key)]?.(key);
      }
      return dump;
    },
    load: async (dump) => {
      for (const [name, value] of Object.entries(dump)) {
        const key = place + name;
        if (typeof value === "string") await raw.set(key, value);
        else if ("scores" in (value as object)) {
          const { scores } = value as { scores: Record<string, string> };
          for (const [member, score] of Object.entries(scores)) await raw.zadd(key, score, member);
        } else {
          const { expires, ...fields } = value as Record<string, string>;
          await raw.hset(key, fields);
          if (expires) await raw.pexpireat(key, FUTURE_MS);
        }
      }
    },
  };
}

const postgresEngine = await sharedPostgres();
stops.push(() => postgresEngine?.stop());

/** The schema of an engine that has no other name for its tables. */
const SCHEMA = "malipo_checkout";

/** @param isFormer - With the tables of a version whose table said its format in a comment, under another name. */
async function postgresPlace(isFormer: boolean): Promise<StoredStore> {
  const schema = `malipo_test_${crypto.randomUUID().replaceAll("-", "_")}`;
  const pool = new pg.Pool({
    connectionString: postgresEngine?.url,
    options: `-c search_path=${schema}`,
  });
  pool.on("error", () => {});
  await pool.query(`CREATE SCHEMA ${schema}`);
  stops.push(async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  });
  const rowsOf = async (table: string) =>
    (await pool.query(`SELECT * FROM ${table} ORDER BY 1`)).rows;
  const insert = async (table: string, rows: readonly Row[]) => {
    for (const row of rows) {
      const values = Object.keys(row).map((_, at) => `$${at + 1}`);
      await pool.query(
        `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${values})`,
        Object.values(row),
      );
    }
  };
  return {
    open: async () => postgresKeys(pool, schema, OPTIONS),
    fixTimes: async () => {
      await pool.query(
        `UPDATE idempotency SET begun_at = $1, lease_from = $1,
           keep_until = CASE WHEN keep_until IS NOT NULL THEN $2::timestamptz END`,
        [new Date(PAST_MS), new Date(FUTURE_MS)],
      );
    },
    dump: async () => ({
      schema: tableSql(postgresDialect(SCHEMA), KEYS),
      idempotency: await rowsOf("idempotency"),
      idempotency_meta: await rowsOf("idempotency_meta"),
    }),
    load: async ({ schema: sql, ...tables }) => {
      const former = () => (sql as string).replaceAll("malipo_idempotency", "idempotency");
      const made = isFormer ? former() : (sql as string[]).join(";").replaceAll(SCHEMA, schema);
      await pool.query(made);
      // The statements have said the format.
      const { malipo_idempotency: rows, idempotency = rows } = tables;
      await insert("idempotency", idempotency as Row[]);
    },
  };
}

const mysqlEngine = await sharedMysql();
stops.push(() => mysqlEngine?.stop());
const { newDatabase, poolOf } = mysqlStage(mysqlEngine);

async function mysqlPlace(): Promise<StoredStore> {
  const pool = poolOf(await newDatabase());
  const rowsOf = async (table: string) =>
    (await pool.query(`SELECT * FROM ${table} ORDER BY 1`))[0];
  return {
    open: async () => mysqlKeys(pool, OPTIONS),
    fixTimes: async () => {
      await pool.query(
        `UPDATE malipo_idempotency SET begun_at = ${PAST_MS}, lease_from = ${PAST_MS},
          keep_until = IF(keep_until IS NULL, NULL, ${FUTURE_MS})`,
      );
    },
    dump: async () => ({
      schema: [...lockTable(), ...tableSql(mysqlDialect(), KEYS)],
      malipo_idempotency: await rowsOf("malipo_idempotency"),
      malipo_idempotency_meta: await rowsOf("malipo_idempotency_meta"),
    }),
    load: async ({ schema, malipo_idempotency: rows }) => {
      // They say the format, too.
      for (const sql of schema as string[]) await pool.query(sql);
      for (const row of rows as Row[])
        await pool.query("INSERT INTO malipo_idempotency SET ?", row);
    },
  };
}

const PLACES = [
  { name: "sqlite", place: sqlitePlace, isThere: true },
  { name: "redis", place: redisPlace, isThere: redisEngine !== undefined },
  {
    name: "postgres-schema",
    place: () => postgresPlace(false),
    isThere: postgresEngine !== undefined,
  },
  { name: "mysql", place: mysqlPlace, isThere: mysqlEngine !== undefined },
] as const;

/** A statement means the same with other blanks. */
const squeezed = (json: string) => json.replaceAll(/(?:\\n|\s)+/g, " ");

describe.each(PLACES)("stored data of $name", ({ name, place, isThere }) => {
  const path = fileURLToPath(fileOf(FORMAT, name));

  test.skipIf(!isThere)(`is written in format ${FORMAT}, to the letter`, async () => {
    const here = await place();
    await writeEachState(await here.open());
    await here.fixTimes();
    const written = `${JSON.stringify(await here.dump(), null, 2)}\n`;
    if (existsSync(path)) expect(squeezed(written)).toBe(squeezed(readFileSync(path, "utf8")));
    else await expect(written).toMatchFileSnapshot(path);
  });

  test.skipIf(!isThere)(`is read in format ${FORMAT}`, async () => {
    const here = await place();
    await here.load(JSON.parse(readFileSync(path, "utf8")));
    await expectEachState(await here.open());
  });
});

test.skipIf(postgresEngine === undefined)(
  "a table of PostgreSQL that says its format in a comment is read",
  async () => {
    const here = await postgresPlace(true);
    await here.load(JSON.parse(readFileSync(fileOf(FORMAT, "postgres"), "utf8")));
    await expectEachState(await here.open());
  },
);

test("a gateway describes an attempt and its result to a store as it always did", async () => {
  const store = memoryIdempotency();
  const calls: unknown[] = [];
  const recording: IdempotencyStore = {
    ...store,
    begin: (key, attempt) => {
      calls.push([key, { ...attempt, owner: "" }]);
      return store.begin(key, attempt);
    },
    finish: (key, owner, end) => {
      calls.push([key, end]);
      return store.finish(key, owner, end);
    },
  };
  const paid = json({ success: true, data: { reference: "PAY-1" } });
  const { gateway } = gatewayWith([paid], { idempotency: recording });
  await gateway.mobileMoney.initiate(
    { phone: "+254 712-345678", amount: 100, account_reference: "ORDER-42" },
    { idempotencyKey: "ORDER-42/1" },
  );
  await expect(`${JSON.stringify(calls, null, 2)}\n`).toMatchFileSnapshot(
    fileURLToPath(fileOf(FORMAT, "gateway")),
  );
});
