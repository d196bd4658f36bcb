import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { PostgresRoom } from "../../../src/storage/postgres/postgres-room.ts";
import type { Transact } from "../../../src/storage/postgres/transact.ts";
import { only } from "../../../src/storage/sql-steps.ts";
import { seats, storageRoomSuite } from "../../suites/storage-room.ts";
import type { Engine } from "../../support/engines/engine.ts";
import { closeProxies, proxyTo } from "../../support/engines/proxy.ts";
import { sharedPostgres } from "../../support/engines/shared.ts";

const engine = await sharedPostgres();
const pool = new pg.Pool({ connectionString: engine?.url, allowExitOnIdle: true });
pool.on("error", () => {});
afterAll(() => pool.end());
let schemas = 0;

const transact: Transact = async (run) => {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const executeSql = async (text: string, values?: unknown[]) => {
      const { rows } = await client.query(text, values);
      return { rows };
    };
    const result = await run(client, { executeSql });
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  } finally {
    client.release();
  }
};

const stage = (given: Transact | undefined) => () => {
  const schema = `room_${process.pid}_${++schemas}`;
  return {
    isAsync: true,
    open: () => {
      const own = new pg.Pool({ connectionString: engine?.url, max: 3, allowExitOnIdle: true });
      own.on("error", () => {});
      const options = { pool: own, isOwnPool: true, schema, transact: given, now: undefined };
      return new PostgresRoom<unknown>(options);
    },
    write: (connection: unknown, sql: string) => (connection as pg.PoolClient).query(sql),
    run: (sql: string) => pool.query(sql),
  };
};

describe.skipIf(engine === undefined)("a pool", () => storageRoomSuite(stage(undefined)));
describe.skipIf(engine === undefined)("a transact of the user", () =>
  storageRoomSuite(stage(transact)),
);

describe.skipIf(engine === undefined)("a PostgreSQL that fails", () => {
  closeProxies();

  it("does not keep a statement with a limit waiting, nor the end of the room", async () => {
    const proxy = await proxyTo(engine as Engine);
    const own = new pg.Pool({ connectionString: proxy.url, max: 3 });
    own.on("error", () => {});
    const schema = `room_${process.pid}_${++schemas}`;
    const options = { pool: own, isOwnPool: true, schema, transact: undefined, now: undefined };
    const room = new PostgresRoom(options);
    const tables = room.tables(seats());
    await tables.open();
    proxy.silence();
    const reading = () => only<"all">(["all", {}]);
    await expect(tables.run(reading, 200)).rejects.toMatchObject({ isEngineAway: true });
    await expect(tables.transaction(reading, { timeoutMs: 200 })).rejects.toMatchObject({
      isEngineAway: true,
    });
    // Without a limit, it waits until the room ends.
    const waiting = tables.run(reading).catch((error: unknown) => error);
    await room.close();
    expect(await waiting).toBeInstanceOf(Error);
  });

  it("has tables again by the next call, after they were dropped", async () => {
    const { open, run } = stage(undefined)();
    const room = open();
    const tables = room.tables(seats());
    await tables.open();
    const [schema] = room.dialect.table("seats", "").split(".");
    await run(`DROP SCHEMA ${schema} CASCADE`);
    const reading = () => only<"all">(["all", {}]);
    await expect(tables.run(reading)).rejects.toThrow("does not exist");
    expect((await tables.run(reading)).rows).toEqual([]);
    await room.close();
  });
});
