import pg from "pg";
import { afterAll, describe, expect, it, vi } from "vitest";
import { PostgresRoom } from "../../../src/storage/postgres/postgres-room.ts";
import type { Tables, Together } from "../../../src/storage/room.ts";
import { only, type Steps, statement } from "../../../src/storage/sql-steps.ts";
import { isTransactionEnded } from "../../../src/storage/transaction-end.ts";
import type { Transact } from "../../../src/storage/try-transact.ts";
import { type SeatStatement, seats, storageRoomSuite } from "../../suites/storage-room.ts";
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
  // One that is lost would end the process.
  const ignore = () => {};
  client.on("error", ignore);
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
    client.off("error", ignore);
    client.release();
  }
};

const freshSchema = () => `room_${process.pid}_${++schemas}`;

/** A room on a pool of its own. */
function roomIn(schema: string, given?: Transact, config: pg.PoolConfig = {}) {
  const all = { connectionString: engine?.url, max: 3, allowExitOnIdle: true, ...config };
  const own = new pg.Pool(all);
  own.on("error", () => {});
  const options = { pool: own, isOwnPool: true, schema, transact: given, now: undefined };
  return new PostgresRoom<pg.PoolClient>(options);
}

const stage = (given: Transact | undefined) => () => {
  const schema = freshSchema();
  return {
    isAsync: true,
    open: () => roomIn(schema, given) as PostgresRoom<unknown>,
    write: (connection: unknown, sql: string) => (connection as pg.PoolClient).query(sql),
    run: (sql: string) => pool.query(sql),
  };
};

describe.skipIf(engine === undefined)("a pool", () => storageRoomSuite(stage(undefined)));
describe.skipIf(engine === undefined)("a transact of the user", () =>
  storageRoomSuite(stage(transact)),
);

type Parts = Together<SeatStatement, void, unknown, pg.PoolClient>;

/** Code of the merchant, in one transaction with a row of ours. */
const together = (
  tables: Tables<SeatStatement, pg.PoolClient>,
  work: Parts["work"],
  more: Partial<Parts> = {},
) =>
  tables.together({
    *before() {
      yield ["add", { id: "ours", place: 1, code: null }];
    },
    isReady: () => true,
    work,
    *after() {},
    *seen() {},
    caller: "onPaid",
    ...more,
  });

function* idsSteps(): Steps<SeatStatement, string[]> {
  return (yield ["all", {}]).rows.map(({ id }) => String(id));
}

describe.skipIf(engine === undefined).each([
  ["a pool", undefined],
  ["a transact of the user", transact],
] as const)("code of the merchant in a transaction of %s", (_, given) => {
  const opened = () => {
    const schema = freshSchema();
    const tables = roomIn(schema, given).tables(seats());
    const insert = (id: string) => `INSERT INTO ${schema}.seats (id, place) VALUES ('${id}', 7)`;
    return { tables, insert };
  };
  const FAILS = "INSERT INTO no_such_table VALUES (1)";

  it("keeps nothing if a statement of it failed, although the code has caught the error", async () => {
    const { tables, insert } = opened();
    const working = together(tables, async (client) => {
      await client.query(insert("theirs"));
      await client.query(FAILS).catch(() => {});
    });
    await expect(working).rejects.toThrow(
      "PostgreSQL kept nothing of the transaction, since one of its statements failed. If onPaid catches such an error, it must roll back to a savepoint",
    );
    expect(isTransactionEnded(await working.catch((error: unknown) => error))).toBe(false);
    expect(await tables.run(idsSteps)).toEqual([]);
  });

  it("keeps all if the code rolls back to a savepoint of its own after an error", async () => {
    const { tables, insert } = opened();
    await together(tables, async (client) => {
      await client.query(`${insert("theirs")}; SAVEPOINT own`);
      await client.query(FAILS).catch(() => {});
      await client.query("ROLLBACK TO SAVEPOINT own");
    });
    expect(await tables.run(idsSteps)).toEqual(["ours", "theirs"]);
  });

  it("is rolled back if its connection is lost, and that is no fault of the code", async () => {
    const { tables, insert } = opened();
    const working = together(tables, async (client) => {
      const { rows } = await client.query(`${insert("x")} RETURNING pg_backend_pid() AS pid`);
      await pool.query("SELECT pg_terminate_backend($1)", [rows[0].pid]);
    });
    const error: unknown = await working.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(isTransactionEnded(error)).toBe(false);
    expect(await tables.run(idsSteps)).toEqual([]);
  });
});

describe.skipIf(engine === undefined)("a room on PostgreSQL", () => {
  const opened = (config?: pg.PoolConfig) => {
    const schema = freshSchema();
    const room = roomIn(schema, undefined, config);
    const insert = (id: string) => `INSERT INTO ${schema}.seats (id, place) VALUES ('${id}', 7)`;
    return { room, tables: room.tables(seats()), insert };
  };

  it("waits for a query whose await was forgotten, as a part of the transaction", async () => {
    const { tables, insert } = opened();
    await together(tables, (client) => void client.query(insert("theirs")));
    expect(await tables.run(idsSteps)).toEqual(["ours", "theirs"]);
  });

  it("says that nothing was written only if PostgreSQL counts what is written", async () => {
    for (const [options, calls] of [
      ["-c track_counts=on", 1],
      ["-c track_counts=off", 0],
    ] as const) {
      const { tables } = opened({ options });
      const onEmpty = vi.fn();
      await together(tables, () => undefined, { onEmpty });
      expect(onEmpty).toHaveBeenCalledTimes(calls);
    }
  });

  it("sends no query after the end of the transaction, and says so", async () => {
    const { tables, insert } = opened();
    const onLate = vi.fn();
    let kept: pg.PoolClient | undefined;
    const keep = (client: pg.PoolClient) => {
      kept = client;
    };
    await together(tables, keep, { onLate });
    await expect(kept?.query(insert("late"))).rejects.toThrow(
      "The transaction of onPaid has ended: this query was not sent. An `await` is missing.",
    );
    expect(onLate).toHaveBeenCalledOnce();
    expect(await tables.run(idsSteps)).toEqual(["ours"]);
  });

  it("rolls back when the signal aborts, although the code goes on", async () => {
    const { tables, insert } = opened();
    const controller = new AbortController();
    const working = together(
      tables,
      async (client) => {
        await client.query(insert("theirs"));
        controller.abort();
        await client.query(insert("more")).catch(() => {});
      },
      { signal: controller.signal },
    );
    await expect(working).rejects.toThrow();
    expect(await tables.run(idsSteps)).toEqual([]);
  });

  it("holds its rows for ten seconds at most if its process is frozen, and for a minute in the merchant's code", async () => {
    const tables = roomIn(freshSchema()).tables(seats());
    const limits: unknown[] = [];
    const limit = "SELECT current_setting('idle_in_transaction_session_timeout') AS most";
    function* note(): Steps<SeatStatement, void> {
      limits.push((yield [statement(limit), {}]).rows[0]?.most);
    }
    await tables.transaction(note);
    const work: Parts["work"] = async (on) => limits.push((await on.query(limit)).rows[0]?.most);
    await together(tables, work, { after: note });
    expect(limits).toEqual(["10s", "1min", "10s"]);
  });

  it.each(["BEGIN", "BEGIN ISOLATION LEVEL REPEATABLE READ"])(
    "uses no connection on which other code of the user has left %s",
    async (sql) => {
      const schema = freshSchema();
      const shared = new pg.Pool({ connectionString: engine?.url, max: 2, allowExitOnIdle: true });
      const options = { pool: shared, isOwnPool: false, transact: undefined, now: undefined };
      const tables = new PostgresRoom({ ...options, schema }).tables(seats());
      await tables.open();
      const left = await Promise.all([shared.connect(), shared.connect()]);
      for (const one of left) {
        await one.query(sql);
        await one.query(`SELECT id FROM ${schema}.seats`);
        one.release();
      }
      await tables.run(() => only(["add", { id: "a", place: 1, code: null }]));
      const { rows } = await pool.query(`SELECT id FROM ${schema}.seats`);
      expect(rows).toEqual([{ id: "a" }]);
      await tables.transaction(() => only(["add", { id: "b", place: 1, code: null }]));
      expect(await tables.run(idsSteps)).toEqual(["a", "b"]);
      expect(tables.takeWarnings()).toEqual([expect.stringMatching(/left open.*COMMIT/)]);
      await shared.end();
    },
  );

  it("says that the database was closed if the merchant has ended the pool", async () => {
    const own = new pg.Pool({ connectionString: engine?.url, allowExitOnIdle: true });
    const schema = freshSchema();
    const options = { pool: own, isOwnPool: false, schema, transact: undefined, now: undefined };
    const tables = new PostgresRoom(options).tables(seats());
    await tables.open();
    await own.end();
    await expect(tables.run(idsSteps)).rejects.toThrow("This engine was closed");
  });

  it("runs a transaction again that was in a deadlock", async () => {
    const { tables } = opened();
    for (const id of ["a", "b"]) {
      await tables.run(() => only(["add", { id, place: 0, code: null }]));
    }
    const put = (first: string, then: string) =>
      tables.transaction(function* (): Steps<SeatStatement, void> {
        yield ["put", { id: first, place: 1 }];
        yield ["put", { id: then, place: 1 }];
      });
    const puts = Array.from({ length: 40 }, (_, at) => (at % 2 ? put("a", "b") : put("b", "a")));
    await expect(Promise.all(puts)).resolves.toHaveLength(40);
  });

  it.each([undefined, transact])(
    "works in a role that may not make tables, after what sql() prints was run",
    async (own) => {
      const schema = freshSchema();
      const role = `${schema}_role`;
      await pool.query(`CREATE ROLE ${role} LOGIN`);
      const url = new URL(engine?.url ?? "");
      url.username = role;
      const room = roomIn(schema, own, { connectionString: url.href });
      const tables = room.tables(seats());
      await expect(tables.open()).rejects.toThrow(
        /GRANT CREATE ON DATABASE \w+ TO \w+\. Or have another role run the SQL that db\.sql\(\) prints/,
      );
      await pool.query(room.sql([seats()]));
      await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
      await room.open();
      await tables.run(() => only(["add", { id: "a", place: 1, code: null }]));
      const { rows } = await pool.query("SELECT 1 FROM pg_tables WHERE tableowner = $1", [role]);
      expect(rows).toEqual([]);
    },
  );
});

describe.skipIf(engine === undefined)("a PostgreSQL that fails", () => {
  closeProxies();

  it("does not keep a statement with a limit waiting, nor the end of the room", async () => {
    const proxy = await proxyTo(engine as Engine);
    const own = new pg.Pool({ connectionString: proxy.url, max: 3 });
    own.on("error", () => {});
    const schema = freshSchema();
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
