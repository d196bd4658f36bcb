import type mysql from "mysql2/promise";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { Component } from "../../../src/storage/component.ts";
import { only, type Steps, statement } from "../../../src/storage/sql-steps.ts";
import { isTransactionEnded } from "../../../src/storage/transaction-end.ts";
import { seats } from "../../suites/storage-room.ts";
import { startEngine } from "../../support/engines/engine.ts";
import { mysqlRecipe } from "../../support/engines/mysql.ts";
import { column, mysqlStage, roomOn, untilOneWaits } from "./mysql-stage.ts";

// Of its own, since it is killed. Its local time has an hour that comes twice.
const recipe = process.env.MYSQL_URL ? undefined : mysqlRecipe("--innodb-lock-wait-timeout=3");
const engine =
  recipe &&
  (await startEngine({
    ...recipe,
    command: (folder, port) => ["env", "TZ=Europe/Berlin", ...recipe.command(folder, port)],
  }));
afterAll(() => engine?.stop());
const { newDatabase, poolOf } = mysqlStage(engine);

type Name = ReturnType<typeof seats> extends Component<infer Of> ? Of : never;

function* add(id: string): Steps<Name, number> {
  return (yield ["add", { id, place: 1, code: null }]).changed;
}
function* put(...ids: string[]): Steps<Name, void> {
  for (const id of ids) yield ["put", { id, place: 2 }];
}
function* nothing(): Steps<Name, void> {}

async function opened() {
  const url = await newDatabase();
  const pool = poolOf(url, { connectionLimit: 3 });
  const room = roomOn(pool);
  const tables = room.tables(seats());
  await tables.open();
  /** Another client of the database. */
  const other = await poolOf(url).getConnection();
  const together = (
    work: (connection: mysql.PoolConnection) => unknown,
    more: { idleMs?: number; signal?: AbortSignal; after?: () => Steps<Name, void> } = {},
  ) =>
    tables
      .together({
        before: () => add("ours"),
        isReady: () => true,
        work,
        after: nothing,
        seen: nothing,
        caller: "onPaid",
        ...more,
      })
      .then(
        () => undefined,
        (error: unknown) => error,
      );
  const ids = async () => column(other, "SELECT id FROM malipo_seats ORDER BY id");
  return { pool, room, tables, other, together, ids };
}

describe.skipIf(engine === undefined)("a MySQL of its own", () => {
  it.each(["CREATE TABLE theirs (id int)", "START TRANSACTION", "SET autocommit = 0; COMMIT"])(
    "does not believe a transaction that %s has committed",
    async (sql) => {
      const { together } = await opened();
      const error = await together(async (on) => {
        for (const one of sql.split("; ")) await on.query(one);
      });
      expect(isTransactionEnded(error)).toBe(true);
    },
  );

  it.each(["START TRANSACTION", "SET autocommit = 0"])(
    "uses no connection on which other code of the user has left %s",
    async (sql) => {
      const { pool, tables, other, ids } = await opened();
      const left = await Promise.all([0, 1, 2].map(() => pool.getConnection()));
      for (const one of left) {
        await one.query(sql);
        // From here on, it sees what was committed until now.
        await one.query("SELECT id FROM malipo_seats");
        one.release();
      }
      await other.query("INSERT INTO malipo_seats (id, place) VALUES ('theirs', 1)");
      expect((await tables.run(() => only(["all", {}]))).rows).toEqual([{ id: "theirs" }]);
      await tables.run(() => add("a"));
      await tables.transaction(() => add("b"));
      expect(await ids()).toEqual(["a", "b", "theirs"]);
      expect(tables.takeWarnings()).toEqual([expect.stringMatching(/left open.*COMMIT/)]);
    },
  );

  it("holds its rows for ten seconds at most if its process is frozen, and for a minute in the merchant's code", async () => {
    const { tables, together } = await opened();
    const limits: unknown[] = [];
    const limit = "SELECT @@SESSION.wait_timeout AS seconds";
    function* note(): Steps<Name, void> {
      limits.push((yield [statement(limit), {}]).rows[0]?.seconds);
    }
    await tables.transaction(note);
    const work = async (on: mysql.PoolConnection) => limits.push(...(await column(on, limit)));
    expect(await together(work, { after: note })).toBeUndefined();
    expect(limits).toEqual([10, 60, 10]);
  });

  it("leaves no transaction open on a server that chains them", async () => {
    const { pool, tables, ids } = await opened();
    const all = await Promise.all([0, 1, 2].map(() => pool.getConnection()));
    for (const one of all) {
      await one.query("SET SESSION completion_type = 1");
      one.release();
    }
    for (const id of ["a", "b", "c", "d"]) await tables.transaction(() => add(id));
    await tables.run(() => add("e"));
    expect(await ids()).toEqual(["a", "b", "c", "d", "e"]);
    expect(tables.takeWarnings()).toEqual([]);
  });

  it("does not believe a transaction that a deadlock has ended while the merchant's code goes on", async () => {
    const { tables, other, together, ids } = await opened();
    await tables.run(() => add("a"));
    await tables.run(() => add("b"));
    const error = await together(async (on) => {
      await on.query("UPDATE malipo_seats SET place = 7 WHERE id = 'a'");
      await beHeavy(other);
      await other.query("UPDATE malipo_seats SET place = 8 WHERE id = 'b'");
      const caught = on.query("UPDATE malipo_seats SET place = 7 WHERE id = 'b'").catch(() => {});
      await untilOneWaits(other);
      await other.query("UPDATE malipo_seats SET place = 8 WHERE id = 'a'");
      await other.query("ROLLBACK");
      await caught;
    });
    expect(isTransactionEnded(error)).toBe(true);
    expect(await ids()).toEqual(["a", "b"]);
  });

  it("runs a transaction again after a deadlock", async () => {
    const { tables, other } = await opened();
    await tables.run(() => add("a"));
    await tables.run(() => add("b"));
    await beHeavy(other);
    await other.query("UPDATE malipo_seats SET place = 8 WHERE id = 'b'");
    const steps = vi.fn(() => put("a", "b"));
    const working = tables.transaction(steps);
    await untilOneWaits(other);
    await other.query("UPDATE malipo_seats SET place = 8 WHERE id = 'a'");
    await other.query("COMMIT");
    await working;
    expect(steps).toHaveBeenCalledTimes(2);
    expect(await column(other, "SELECT place FROM malipo_seats WHERE id < 'c'")).toEqual([2, 2]);
  });

  it("runs a transaction again, from its beginning, after it waited too long for a lock", async () => {
    const { tables, other, ids } = await opened();
    await tables.run(() => add("a"));
    await other.query("START TRANSACTION");
    await other.query("UPDATE malipo_seats SET place = 8 WHERE id = 'a'");
    const steps = vi.fn(function* (): Steps<Name, void> {
      yield* add(`b${steps.mock.calls.length}`);
      yield* put("a");
    });
    const working = tables.transaction(steps);
    await expect.poll(() => steps.mock.calls.length).toBe(2);
    await other.query("COMMIT");
    await working;
    expect(await ids()).toEqual(["a", "b2"]);
  });

  it("keeps nothing if the connection is killed, its process is frozen, or a signal aborts", async () => {
    const { other, together, ids } = await opened();
    const idOf = async (on: mysql.PoolConnection) =>
      (await column(on, "SELECT CONNECTION_ID()"))[0];
    const isOver = async (id: unknown) =>
      (await column(other, `SELECT 1 FROM information_schema.processlist WHERE id = ${id}`))
        .length === 0;
    const killed = await together(async (on) => other.query(`KILL ${await idOf(on)}`));
    const frozen = await together(
      async (on) => {
        const id = await idOf(on);
        await expect.poll(() => isOver(id)).toBe(true);
      },
      { idleMs: 1_000 },
    );
    const stop = new AbortController();
    const aborted = await together(
      async (on) => {
        const id = await idOf(on);
        stop.abort(new Error("stop"));
        await expect.poll(() => isOver(id)).toBe(true);
      },
      { signal: stop.signal },
    );
    for (const error of [killed, frozen, aborted]) {
      expect(error).toBeInstanceOf(Error);
      expect(isTransactionEnded(error)).toBe(false);
    }
    expect(await ids()).toEqual([]);
  });

  it("leaves the settings of a connection of the pool as they were", async () => {
    const { pool, together } = await opened();
    const settings = "SELECT CONCAT_WS(' ', @@wait_timeout, @@autocommit, @@tx_isolation)";
    const before = await column(pool, settings);
    expect(await together((on) => on.query("SET autocommit = 0"))).toBeUndefined();
    await together(() => Promise.reject(new Error("no")));
    expect(await column(pool, settings)).toEqual(before);
  });

  it("makes transactions of one name wait for each other until they end", async () => {
    const { room, tables, other } = await opened();
    const lock = statement(room.dialect.lockName);
    const lockOn = (name: string) => tables.transaction(() => only<Name>([lock, { name }]));
    const working = { isOver: false };
    let second: Promise<unknown> = Promise.resolve();
    await tables.together({
      before: () => only<Name>([lock, { name: "254712345678" }]),
      isReady: () => true,
      work: async () => {
        await lockOn("another");
        second = lockOn("254712345678").then(() => {
          working.isOver = true;
        });
        await untilOneWaits(other);
        expect(working.isOver).toBe(false);
      },
      after: nothing,
      seen: nothing,
      caller: "onPaid",
    });
    await second;
  });

  it("takes rows that no other transaction has taken", async () => {
    const { room, tables } = await opened();
    for (const id of ["a", "b", "c"]) await tables.run(() => add(id));
    const take = statement(
      `SELECT id FROM malipo_seats WHERE place > 0 ORDER BY place LIMIT $place ${room.dialect.takeRows}`,
    );
    function* taken(): Steps<Name, unknown[]> {
      return (yield [take, { place: 2 }]).rows.map(({ id }) => id);
    }
    const { before, worked } = await tables.together({
      before: taken,
      isReady: () => true,
      work: () => tables.transaction(taken),
      after: nothing,
      seen: nothing,
      caller: "onPaid",
    });
    expect([before, worked?.result]).toEqual([["a", "b"], ["c"]]);
  });

  it("knows the time of day also in the hour that comes twice", async () => {
    const { room, other } = await opened();
    for (const at of [1_792_886_400_250, 1_792_890_000_250]) {
      await other.query(`SET timestamp = ${at / 1_000}`);
      expect(await column(other, `SELECT ${room.dialect.clocks.wallMs}`)).toEqual([at]);
    }
  });

  it("gives up on a server that does not reply, and goes on when it does", async () => {
    const { tables, ids } = await opened();
    await tables.run(() => add("a"));
    engine?.hang();
    const waited = await tables
      .transaction(() => add("b"), { timeoutMs: 300 })
      .catch((error: unknown) => error);
    expect((waited as { isEngineAway?: boolean }).isEngineAway).toBe(true);
    engine?.resume();
    await tables.transaction(() => add("c"));
    expect(await ids()).toEqual(["a", "c"]);
  });

  it("has what it acknowledged after a crash of the server, and goes on by itself", async () => {
    const { tables } = await opened();
    await tables.transaction(() => add("a"));
    await engine?.restart();
    const read = () =>
      tables
        .run(() => only(["all", {}]))
        .then(
          ({ rows }) => rows,
          () => [],
        );
    await expect.poll(read).toEqual([{ id: "a" }]);
  });
});

/** A transaction with many rows, so that the server ends another one in a deadlock. */
async function beHeavy(connection: mysql.Connection): Promise<void> {
  const rows = Array.from({ length: 50 }, (_, at) => `('heavy ${at}', 1)`).join(", ");
  await connection.query("START TRANSACTION");
  await connection.query(`INSERT INTO malipo_seats (id, place) VALUES ${rows}`);
}
