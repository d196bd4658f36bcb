import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { mysqlStage, schemaOf } from "../../../storage/mysql/mysql-stage.ts";
import { receiverOn, stopAll } from "../../../suites/inbox-stage.ts";
import { expectEventsToGoOn, expectNewKindToGoOn } from "../../../suites/inbox-stored-data.ts";
import { sharedMysql } from "../../../support/engines/shared.ts";
import { mysqlInbox } from "../../../support/stores/mysql-inbox.ts";
import { fill } from "../sqlite/stored-data/fill.ts";
import { pace, TABLES } from "./stage.ts";

const STORED = new URL("./stored-data/", import.meta.url).pathname;
const FORMATS = readdirSync(STORED);
const LAST = FORMATS.at(-1) ?? "";
const engine = await sharedMysql();
const { newDatabase, loaded, poolOf } = mysqlStage(engine);

/** A database with the data of a format, as the version that wrote it left it. */
const load = (format: string) => loaded(`${STORED}${format}/inbox.sql`);

describe.skipIf(engine === undefined)("events in MariaDB", () => {
  stopAll();

  test.each(FORMATS)("of format %s are recognised, listed and processed", async (format) => {
    await expectEventsToGoOn(mysqlInbox(await load(format), { pace }));
  });

  test("of format 1 have one that was stored before its kind was known: its handler gets it", async () => {
    await expectNewKindToGoOn(mysqlInbox(await load("1"), { pace }));
  });

  test("of the last format are what this version writes", async () => {
    const fresh = poolOf(await newDatabase());
    const inbox = mysqlInbox(fresh);
    await fill(inbox);
    await inbox.stop(1_000);
    const stored = await load(LAST);
    expect(await schemaOf(stored)).toEqual(await schemaOf(fresh));
    const columns = "HEX(`key`), HEX(digest), kind, raw, signature, trace_context, source, state";
    for (const sql of [
      `SELECT ${columns}, queue, attempts, error FROM ${TABLES.events} ORDER BY 1`,
      `SELECT ${columns} FROM ${TABLES.conflicts} ORDER BY 1, 2`,
      `SELECT * FROM ${TABLES.doubles}`,
      `SELECT name FROM ${TABLES.meta} ORDER BY 1`,
    ]) {
      expect((await stored.query(sql))[0]).toEqual((await fresh.query(sql))[0]);
    }
  });

  test("of another number are an error that says what to do", async () => {
    const pool = await load("1");
    await pool.query(`UPDATE ${TABLES.meta} SET value = '2' WHERE name = 'format'`);
    const receiver = receiverOn(mysqlInbox(pool, { pace }));
    expect((await receiver.post("PAY-1"))[0]).toBe(503);
    expect(receiver.onError.mock.calls[0]?.[0]).toMatchObject({
      code: "configuration",
      message: expect.stringMatching(/have format 2, .* install that version/),
    });
  });
});
