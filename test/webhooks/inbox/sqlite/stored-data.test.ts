import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import type { Job } from "../../../../src/webhooks/inbox/inbox-types.ts";
import { newDelivery, receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import { expectEventsToGoOn, expectNewKindToGoOn } from "../../../suites/inbox-stored-data.ts";
import { sqliteInbox } from "../../../support/stores/sqlite-inbox.ts";
import { freshPaths } from "./fresh-paths.ts";
import { fill } from "./stored-data/fill.ts";

const STORED = new URL("./stored-data/", import.meta.url).pathname;
/** By the number of the format. */
const FORMATS = readdirSync(STORED).filter((name) => /^\d+/.test(name));

const paths = freshPaths();
afterAll(paths.remove);

/** A file with the data of a format, as the version that wrote it left it. */
function load(format: string): string {
  const path = paths.fresh();
  const database = new DatabaseSync(path);
  database.exec(readFileSync(join(STORED, format, "inbox.sql"), "utf8"));
  database.close();
  return path;
}

/** The tables and their indexes, whatever these are named. */
const schemaOf = (database: DatabaseSync) =>
  database
    .prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")
    .all()
    .map(({ sql }) => String(sql).replaceAll('"', "").replaceAll(/\s+/g, " "))
    .map((sql) => sql.replaceAll("( ", "(").replaceAll(" )", ")"))
    .map((sql) => sql.replace(/^CREATE INDEX \w+/, "CREATE INDEX"))
    .sort();

/** All rows, without what depends on the time. */
function rowsOf(database: DatabaseSync): unknown[] {
  return ["", "_conflicts", "_double_payments", "_meta"].flatMap((suffix) =>
    database
      .prepare(`SELECT * FROM malipo_inbox${suffix} ORDER BY 1, 2`)
      .all()
      .map((row) => {
        const { due_at: _, forget_at: forgetAt, ...rest } = row;
        const value = row.name === "clock" ? Object.keys(JSON.parse(String(row.value))) : row.value;
        return { ...rest, isForgotten: typeof forgetAt === "number", value };
      }),
  );
}

describe.each(FORMATS)("the stored data of format %s", (format) => {
  stopAll();

  test("is recognised, listed and processed", async () => {
    await expectEventsToGoOn(sqliteInbox(load(format)));
  });
});

test("a process that works on no other kind takes an event that was stored before its kind was known", async () => {
  await expectNewKindToGoOn(sqliteInbox(load("1")));
});

test("the last format is what this version writes", async () => {
  const inbox = sqliteInbox(paths.fresh());
  await fill(inbox);
  const stored = new DatabaseSync(load(FORMATS.at(-1) ?? ""));
  expect(schemaOf(inbox.database)).toEqual(schemaOf(stored));
  expect(rowsOf(inbox.database)).toEqual(rowsOf(stored));
  stored.close();
  inbox.close();
});

test("a row that cannot be read is a dead letter, and its neighbours are processed", async () => {
  const inbox = sqliteInbox(paths.fresh());
  for (const number of [1, 2, 3]) await inbox.accept(newDelivery(number));
  inbox.database
    .prepare("UPDATE malipo_inbox SET trace_context = '{' WHERE key = ?")
    .run(Buffer.from(newDelivery(2).key, "hex"));
  const keys: string[] = [];
  const run = async ({ key }: Job) => void keys.push(key);
  await inbox.start({ run, concurrency: 8, onError: () => {} });
  await until(() => keys.length === 2);
  const { deadLetters } = receiverOn(inbox);
  expect(keys.sort()).toEqual([newDelivery(1).key, newDelivery(3).key]);
  expect(await deadLetters.list()).toMatchObject([
    { id: newDelivery(2).key, error: expect.stringContaining("The stored event cannot be read: ") },
  ]);
  await inbox.stop(1_000);
});
