import { expect, it, vi } from "vitest";
import type { Component, Migration } from "../../src/storage/component.ts";
import type { Dialect } from "../../src/storage/dialect.ts";
import type { Room } from "../../src/storage/room.ts";
import { insertIfAbsent, only, type Steps, statement } from "../../src/storage/sql-steps.ts";
import { isTransactionEnded } from "../../src/storage/transaction-end.ts";

export type SeatStatement = "add" | "put" | "read" | "all" | "some" | "drop";
type Name = SeatStatement;

const FIRST: Migration = {
  format: 1,
  sql: ({ types, suffix, table, index }) => {
    const seats = table("seats", "");
    return [
      `CREATE TABLE IF NOT EXISTS ${seats} (id ${types.key} PRIMARY KEY, place ${types.integer} NOT NULL,
        code ${types.bytes}, made_at ${types.time})${suffix}`,
      index(seats, "place", "(place)", "place > 0"),
    ];
  },
};

/** Adds a table: a version that does not know it goes on working. */
const SECOND: Migration = {
  format: 2,
  sql: ({ types, suffix, table }) => [
    `CREATE TABLE IF NOT EXISTS ${table("seats", "notes")} (id ${types.key} PRIMARY KEY)${suffix}`,
  ],
};

/** A component of its own, with two formats of its tables. */
export function seats(migrations: readonly Migration[] = [FIRST]): Component<Name> {
  return {
    name: "seats",
    what: "seats",
    migrations,
    types: { place: "integer", code: "bytes" },
    statements: ({ table, clocks }) => ({
      add: insertIfAbsent(
        `INSERT INTO ${table("seats", "")} (id, place, code, made_at) VALUES ($id, $place, $code, ${clocks.wall})`,
      ),
      put: statement(`UPDATE ${table("seats", "")} SET place = $place WHERE id = $id`),
      read: statement(`SELECT id, place, code FROM ${table("seats", "")} WHERE id = $id`),
      all: statement(`SELECT id FROM ${table("seats", "")} ORDER BY id`),
      some: statement(`SELECT id FROM ${table("seats", "")} ORDER BY id LIMIT $place`),
      drop: statement(`DELETE FROM ${table("seats", "")} WHERE id = $id`),
    }),
  };
}

const CODE = new Uint8Array([0, 255, 39]);

/** How many rows were written. */
function* add(id: string, place = 1): Steps<Name, number> {
  return (yield ["add", { id, place, code: CODE }]).changed;
}

function* ids(): Steps<Name, string[]> {
  return (yield ["all", {}]).rows.map(({ id }) => String(id));
}

function* nothing(): Steps<Name, void> {}

/** A database for one test. */
export interface RoomStage {
  /** Opens it, as another process would. */
  open(): Room;
  /** What a merchant's code writes on its connection: `INSERT`, `COMMIT`. */
  write(connection: unknown, sql: string): unknown;
  /** Whether the code may be async. */
  readonly isAsync: boolean;
  /** Runs a statement outside of everything. */
  run(sql: string): Promise<unknown> | unknown;
}

/** What every database promises to the stores that stand on it. */
export function storageRoomSuite(fresh: () => Promise<RoomStage> | RoomStage): void {
  const opened = async (component = seats()) => {
    const stage = await fresh();
    const room = stage.open();
    await room.open();
    return { stage, room, tables: room.tables(component) };
  };
  /** Code of the merchant in a transaction with a row of ours. */
  const together = (
    tables: Awaited<ReturnType<typeof opened>>["tables"],
    work: (connection: unknown) => unknown,
    more: { onEmpty?: () => void; isReady?: () => boolean } = {},
  ) =>
    tables.together({
      before: () => add("ours"),
      isReady: () => true,
      work,
      *after() {
        if ((yield ["read", { id: "ours" }]).rows.length === 0) throw new Error("It is gone.");
      },
      seen: nothing,
      caller: "onPaid",
      ...more,
    });
  const insert = ({ dialect }: { dialect: Dialect }, id: string) =>
    `INSERT INTO ${dialect.table("seats", "")} (id, place) VALUES ('${id}', 7)`;

  it("returns rows with the values that were written, and how many rows a statement wrote", async () => {
    const { tables } = await opened();
    expect(await tables.run(() => add("a", 3))).toBe(1);
    expect(await tables.run(() => add("a", 4))).toBe(0);
    const put = (id: string) => tables.run(() => only(["put", { id, place: 5 }]));
    expect([(await put("a")).changed, (await put("b")).changed]).toEqual([1, 0]);
    const { rows } = await tables.run(() => only(["read", { id: "a" }]));
    expect(rows.map(({ id, place }) => [id, Number(place)])).toEqual([["a", 5]]);
    expect(new Uint8Array(rows[0]?.code as Uint8Array)).toEqual(CODE);
  });

  it("compares the text of a key exactly", async () => {
    const { tables } = await opened();
    for (const id of ["a", "A", "a ", "ä"]) expect(await tables.run(() => add(id))).toBe(1);
    expect(await tables.run(ids)).toEqual(["A", "a", "a ", "ä"]);
  });

  it("counts time in milliseconds", async () => {
    const { room, tables } = await opened();
    const { clocks, fromMs, inMs, later } = room.dialect;
    const read = statement(
      `SELECT ${clocks.wallMs} AS now, ${inMs(clocks.wall)} AS wall, ${inMs(later(fromMs("$place"), "$place"))} AS sum`,
    );
    const { rows } = await tables.run(() => only<Name>([read, { place: 1_500 }]));
    const { now, wall, sum } = rows[0] ?? {};
    expect(Number(sum)).toBe(3_000);
    // To the minute, whatever the time zone of the server.
    for (const one of [now, wall]) expect(Math.abs(Number(one) - Date.now())).toBeLessThan(60_000);
  });

  it("reads at most a number of rows", async () => {
    const { tables } = await opened();
    for (const id of ["a", "b", "c"]) await tables.run(() => add(id));
    const { rows } = await tables.run(() => only(["some", { place: 2 }]));
    expect(rows.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("keeps nothing of a transaction that throws, or whose result is not to be kept", async () => {
    const { tables } = await opened();
    const failing = function* (): Steps<Name, void> {
      yield* add("a");
      throw new Error("no");
    };
    await expect(tables.transaction(failing)).rejects.toThrow("no");
    expect(await tables.transaction(() => add("b"), { isKept: () => false })).toBe(1);
    expect(await tables.run(ids)).toEqual([]);
    await tables.transaction(() => add("c"), { isLater: true });
    await tables.sync();
    expect(await tables.run(ids)).toEqual(["c"]);
  });

  it("commits rows of ours and of the merchant together, or none of them", async () => {
    const { stage, tables } = await opened();
    await expect(
      together(tables, () => {
        throw new Error("out of paper");
      }),
    ).rejects.toThrow("out of paper");
    expect(await tables.run(ids)).toEqual([]);
    const done = await together(tables, (connection) =>
      stage.write(connection, insert(tables, "theirs")),
    );
    expect(done.worked).toBeDefined();
    expect(await tables.run(ids)).toEqual(["ours", "theirs"]);
  });

  it("does not run the merchant's code, and keeps nothing, if what comes first says so", async () => {
    const { tables } = await opened();
    const work = vi.fn();
    const done = await together(tables, work, { isReady: () => false });
    expect([done.before, done.worked]).toEqual([1, undefined]);
    expect(work).not.toHaveBeenCalled();
    expect(await tables.run(ids)).toEqual([]);
  });

  it("says if the merchant's code has written nothing", async () => {
    const { stage, tables } = await opened();
    const onEmpty = vi.fn();
    await together(tables, (on) => stage.write(on, insert(tables, "x")), { onEmpty });
    expect(onEmpty).not.toHaveBeenCalled();
    await tables.run(() => only(["drop", { id: "ours" }]));
    await together(tables, () => undefined, { onEmpty });
    expect(onEmpty).toHaveBeenCalledOnce();
  });

  it.each(["COMMIT", "ROLLBACK"])(
    "does not believe a transaction that the merchant's code ended with %s",
    async (end) => {
      const { stage, tables } = await opened();
      const error = await together(tables, (on) => stage.write(on, end)).catch((one) => one);
      expect(isTransactionEnded(error)).toBe(true);
      expect(String(error)).toContain("onPaid committed or rolled back the transaction");
    },
  );

  it("refuses async code if the transaction ends when the code returns", async () => {
    const { stage, tables } = await opened();
    const working = together(tables, async (on) => stage.write(on, insert(tables, "x")));
    if (stage.isAsync) await working;
    else await expect(working).rejects.toThrow("takes a function that is not async");
  });

  it("makes the tables once, although many processes begin at the same moment", async () => {
    const stage = await fresh();
    const all = Array.from({ length: 5 }, () => stage.open());
    await Promise.all(all.map(async (room, at) => room.tables(seats()).run(() => add(String(at)))));
    expect(await stage.open().tables(seats()).run(ids)).toEqual(["0", "1", "2", "3", "4"]);
  });

  it("goes on with tables of an older format, and both versions work side by side", async () => {
    const { stage, tables: old } = await opened();
    await old.run(() => add("old"));
    const next = stage.open().tables(seats([FIRST, SECOND]));
    await next.run(() => add("new"));
    await old.run(() => add("older"));
    expect(await next.run(ids)).toEqual(["new", "old", "older"]);
    const notes = stage.open().dialect.table("seats", "notes");
    await stage.run(`INSERT INTO ${notes} (id) VALUES ('x')`);
  });

  it("refuses tables of a newer format, and says which version to install", async () => {
    const { stage, tables } = await opened(seats([FIRST, SECOND]));
    await tables.open();
    await expect(stage.open().tables(seats()).open()).rejects.toThrow(
      "The tables of seats have format 2, and this version of malipo knows the formats up to 1. A newer version has written them: install that version, or a later one.",
    );
  });

  it("knows tables without a table about them by what the component says, or refuses them", async () => {
    const { stage, tables } = await opened();
    await tables.run(() => add("old"));
    if (!tables.dialect.isMadeAtOnce) return;
    const dropMeta = () => stage.run(`DROP TABLE ${tables.dialect.table("seats", "meta")}`);
    const withFormat = (format: string) =>
      stage.open().tables({ ...seats(), withoutMeta: { table: "", formatIn: () => format } });
    for (const format of ["0", "2"]) {
      await dropMeta();
      const refused = `The tables of seats have format ${format}, and this version`;
      await expect(withFormat(format).open()).rejects.toThrow(refused);
      const known = withFormat("1");
      await known.run(() => add(format));
      // From here on, the table says it.
      await withFormat("none").run(() => add(`after ${format}`));
    }
    expect(await tables.run(ids)).toEqual(["0", "2", "after 0", "after 2", "old"]);
  });

  it("prints SQL that makes the tables, and that may be run again", async () => {
    const stage = await fresh();
    const room = stage.open();
    for (let times = 0; times < 2; times++) {
      for (const sql of room.sql([seats()]).split(/;\n?/)) {
        if (sql.trim() !== "") await stage.run(sql);
      }
    }
    expect(await room.tables(seats()).run(() => add("a"))).toBe(1);
  });

  it("takes the values of many rows in one statement", async () => {
    const { tables } = await opened();
    const names = ["a", "b", "c"];
    const tuples = names.map((_, at) => `($id_${at}, $place_${at}, $code_${at})`).join(", ");
    const table = tables.dialect.table("seats", "");
    const many = insertIfAbsent(`INSERT INTO ${table} (id, place, code) VALUES ${tuples}`);
    const values = names.flatMap((id, at) => [
      [`id_${at}`, id],
      [`place_${at}`, at],
      [`code_${at}`, CODE],
    ]);
    await tables.run(() => add("b", 7));
    const added = await tables.run(() => only<Name>([many, Object.fromEntries(values)]));
    expect(added.changed).toBe(2);
    const { rows } = await tables.run(() => only(["read", { id: "c" }]));
    expect(rows.map(({ place }) => Number(place))).toEqual([2]);
  });

  it("has clocks in whole milliseconds", async () => {
    const { tables } = await opened();
    const { leaseMs, retentionMs } = tables.dialect.clocks;
    const now = statement(`SELECT ${leaseMs} AS lease, ${retentionMs} AS retention`);
    const { rows } = await tables.run(() => only<Name>([now, {}]));
    const [lease, retention] = [Number(rows[0]?.lease), Number(rows[0]?.retention)];
    expect([lease, retention].every(Number.isSafeInteger)).toBe(true);
    expect(Math.abs(retention - Date.now())).toBeLessThan(60_000);
  });

  it("rejects a call after its end", async () => {
    const { room, tables } = await opened();
    await tables.open();
    await room.close();
    await expect(tables.run(ids)).rejects.toThrow("This engine was closed");
  });
}
