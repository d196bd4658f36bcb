import pg from "pg";
import { afterAll, describe } from "vitest";
import { PostgresRoom } from "../../../src/storage/postgres/postgres-room.ts";
import type { Transact } from "../../../src/storage/postgres/transact.ts";
import { storageRoomSuite } from "../../suites/storage-room.ts";
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
