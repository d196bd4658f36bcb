import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { endWithThisProcess, killChild } from "../../src/drill/child.ts";
import type { Component } from "../../src/storage/component.ts";
import type { Room, Tables } from "../../src/storage/room.ts";
import { only } from "../../src/storage/sql-steps.ts";
import { seatsOf } from "../storage/seat-formats.ts";
import type { RoomStage, SeatStatement } from "./storage-room.ts";

/** A database for one test of migrations. */
export interface MigrationStage extends Pick<RoomStage, "open" | "run"> {
  /** As `migrating.ts` takes it. */
  readonly address: string;
  /** Whether a process is in the middle of the slow statement. */
  isMigrating(): Promise<boolean> | boolean;
  /** A room of a user who may not make tables, but may use those that are there. */
  limited?(): Promise<Room>;
}

const MIGRATING = new URL("../storage/migrating.ts", import.meta.url).pathname;
const NEWER = "A newer version has written them: install that version, or a later one.";

type Seats = Tables<SeatStatement>;

const add = (tables: Seats, id: string) =>
  tables.run(() => only<SeatStatement>(["add", { id, place: 1, code: null }]));

async function idsOf(tables: Seats): Promise<string[]> {
  const { rows } = await tables.run(() => only<SeatStatement>(["all", {}]));
  return rows.map(({ id }) => String(id));
}

/** Adds seats, one after another, until it is to end. Resolves with their ids. */
async function load(tables: Seats, name: string, isOver: (count: number) => boolean) {
  const ids: string[] = [];
  while (!isOver(ids.length)) {
    const id = `${name} ${ids.length}`;
    await add(tables, id);
    ids.push(id);
    // SQLite answers at once: others have their turn.
    await nextTurn();
  }
  return ids;
}

/** What the table of seats says about itself. */
async function aboutSeats(room: Room): Promise<Record<string, string>> {
  const meta = room.dialect.table("seats", "meta");
  const query = { text: `SELECT name, value FROM ${meta}`, isIfAbsent: false };
  const { rows } = await room.look(only<never>([query, {}]));
  const about = rows.map(({ name, value }) => [String(name), String(value)] as const);
  return Object.fromEntries(about.filter(([name]) => name !== "clock"));
}

/** Statements as a person runs them. */
async function runAll({ run }: MigrationStage, sql: string | readonly string[]): Promise<void> {
  const statements = typeof sql === "string" ? sql.split(/;\n?/) : sql;
  for (const one of statements) if (one.trim() !== "") await run(one);
}

function start(
  room: Room,
  { address }: MigrationStage,
  format: number,
  isSlow = false,
): ChildProcess {
  const { name } = room.dialect;
  const child = spawn(
    process.execPath,
    [MIGRATING, name, address, String(format), isSlow ? "slow" : ""],
    {
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  endWithThisProcess(child);
  onTestFinished(() => killChild(child));
  return child;
}

/** What every database promises while versions of malipo come and go. */
export function storageMigrationsSuite(
  fresh: () => Promise<MigrationStage> | MigrationStage,
): void {
  const tablesOn = (stage: MigrationStage, format: number): Seats =>
    stage.open().tables(seatsOf(format));

  it("an older version goes on, under load, while a newer one brings the tables to the next formats", async () => {
    const stage = await fresh();
    const old = tablesOn(stage, 2);
    await old.open();
    let left = Number.POSITIVE_INFINITY;
    const loading = ["a", "b"].map((name) => load(old, name, (count) => count >= left));
    await add(old, "first");
    const next = tablesOn(stage, 3);
    await next.open();
    const added = load(next, "next", (count) => count === 50);
    left = 100;
    const ids = (await Promise.all([...loading, added])).flat();
    expect(await idsOf(old)).toEqual([...ids, "first"].sort());
    expect(ids.length).toBeGreaterThanOrEqual(250);
    expect(await idsOf(next)).toEqual(await idsOf(old));
  });

  it("an older version starts on tables to which a newer one has added, and the newer one goes on after it", async () => {
    const stage = await fresh();
    await add(tablesOn(stage, 2), "new");
    const old = tablesOn(stage, 1);
    await add(old, "old");
    const room = stage.open();
    expect(await aboutSeats(room)).toEqual({ format: "2", readable_since: "1" });
    const again = tablesOn(stage, 2);
    await add(again, "again");
    expect(await idsOf(again)).toEqual(["again", "new", "old"]);
    expect(await aboutSeats(room)).toEqual({ format: "2", readable_since: "1" });
  });

  it("a version does not start on tables of which something was removed that it uses", async () => {
    const stage = await fresh();
    const running = tablesOn(stage, 1);
    await add(running, "running");
    await add(tablesOn(stage, 3), "new");
    await expect(tablesOn(stage, 1).open()).rejects.toMatchObject({
      code: "configuration",
      message: `The tables of seats have format 3, and this version of malipo knows the formats up to 1. ${NEWER}`,
    });
    const previous = tablesOn(stage, 2);
    await add(previous, "previous");
    expect(await idsOf(previous)).toEqual(["new", "previous", "running"]);
  });

  it("a version does not start while a newer one removes something that it uses", async () => {
    const stage = await fresh();
    await tablesOn(stage, 2).open();
    const meta = stage.open().dialect.table("seats", "meta");
    await stage.run(`UPDATE ${meta} SET value = '2' WHERE name = 'readable_since'`);
    await expect(tablesOn(stage, 1).open()).rejects.toThrow(`have format 2, and this version`);
    const next = tablesOn(stage, 3);
    await add(next, "next");
    expect(await idsOf(next)).toEqual(["next"]);
  });

  it("tables that were half made are completed by the next start", async () => {
    const statementsOf = (room: Room, format: number) =>
      room
        .sql([seatsOf(format)])
        .split(/;\n?/)
        .filter((sql) => sql !== "");
    const example = (await fresh()).open();
    const { dialect } = example;
    const count = statementsOf(example, 3).length;
    const first = dialect.isMadeAtOnce ? statementsOf(example, 1).length : 0;
    for (let made = first; made <= count; made++) {
      const stage = await fresh();
      const room = stage.open();
      await runAll(stage, statementsOf(room, 3).slice(0, made));
      const tables = tablesOn(stage, 3);
      await add(tables, "a");
      expect(await idsOf(tables)).toEqual(["a"]);
      expect(await aboutSeats(room)).toEqual({ format: "3", readable_since: "2" });
      for (const name of ["notes", "marks"]) {
        await stage.run(`INSERT INTO ${room.dialect.table("seats", name)} (id) VALUES ('x')`);
      }
    }
  });

  it("the SQL that a person runs brings older tables to the newest format, again and again, and never back", async () => {
    const stage = await fresh();
    const room = stage.open();
    const sqlOf = (format: number) => room.sql([seatsOf(format)]);
    await runAll(stage, sqlOf(1));
    await add(tablesOn(stage, 1), "first");
    expect(await aboutSeats(room)).toEqual({ format: "1" });
    for (const format of [2, 3, 3]) {
      await runAll(stage, sqlOf(format));
      const about = { format: String(format), readable_since: String(format - 1) };
      expect(await aboutSeats(room)).toEqual(about);
      await add(tablesOn(stage, format), `by ${format}`);
    }
    for (const format of [1, 2]) await runAll(stage, sqlOf(format));
    expect(await aboutSeats(room)).toEqual({ format: "3", readable_since: "2" });
    expect(await idsOf(tablesOn(stage, 3))).toEqual(["by 2", "by 3", "first"]);
  });

  it("a user who may not make tables is told to run the SQL, before the first start and after an update", async () => {
    const stage = await fresh();
    if (stage.limited === undefined) return;
    const admin = stage.open();
    const open = async (component: Component<SeatStatement>) =>
      add((await stage.limited?.())?.tables(component) as Seats, "a");
    for (const format of [1, 2, 3]) {
      const component = seatsOf(format);
      await expect(open(component)).rejects.toMatchObject({
        code: "configuration",
        message: expect.stringMatching(/db\.sql\(\)|GRANT/),
      });
      await runAll(stage, admin.sql([component]));
      await open(component);
    }
  });

  it("a process is killed in the middle: the older version goes on, and the next start completes the tables", async () => {
    const stage = await fresh();
    const old = tablesOn(stage, 1);
    await add(old, "old");
    const room = stage.open();
    const child = start(room, stage, 3, true);
    await expect.poll(() => stage.isMigrating()).toBe(true);
    await killChild(child);
    expect(child.signalCode).toBe("SIGKILL");
    expect(await aboutSeats(room)).toMatchObject({ format: "1" });
    await add(old, "older");
    const next = tablesOn(stage, 3);
    await add(next, "next");
    expect(await aboutSeats(room)).toEqual({ format: "3", readable_since: "2" });
    expect(await idsOf(next)).toEqual(["next", "old", "older"]);
    await stage.run(`INSERT INTO ${room.dialect.table("seats", "notes")} (id) VALUES ('x')`);
  });

  it("several processes that start at once bring the tables to the newest format, each step once", async () => {
    const stage = await fresh();
    const old = tablesOn(stage, 2);
    await add(old, "old");
    const room = stage.open();
    let isOver = false;
    const loading = load(old, "load", () => isOver);
    const children = Array.from({ length: 4 }, () => start(room, stage, 3));
    const ends = await Promise.all(children.map((child) => once(child, "exit")));
    isOver = true;
    const loaded = await loading;
    expect(ends).toEqual(children.map(() => [0, null]));
    const ids = children.map(({ pid }) => `process ${pid}`);
    expect(await idsOf(old)).toEqual(["old", ...ids, ...loaded].sort());
    expect(await aboutSeats(room)).toEqual({ format: "3", readable_since: "2" });
  });
}
