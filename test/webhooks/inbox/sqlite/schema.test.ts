import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqliteInbox } from "malipo/inbox/sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { newDelivery, receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-inbox-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const freshPath = () => join(folder, `${++files}.db`);

/** The tables of version 0.1.0. */
const FIRST_TABLES = `
  CREATE TABLE malipo_inbox (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    digest BLOB NOT NULL,
    event TEXT NOT NULL,
    raw BLOB NOT NULL,
    secret_index INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'ready' CHECK (state IN ('ready', 'leased', 'done', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at INTEGER NOT NULL,
    token TEXT,
    error TEXT
  ) STRICT;
  CREATE INDEX malipo_inbox_due ON malipo_inbox (state, due_at);
  CREATE TABLE malipo_inbox_conflicts (
    key BLOB NOT NULL,
    digest BLOB NOT NULL,
    event TEXT NOT NULL,
    raw BLOB NOT NULL,
    secret_index INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    PRIMARY KEY (key, digest)
  ) STRICT;
`;

describe("a file of an earlier version", () => {
  stopAll();

  test("keeps its events, dead letters and conflicts, and takes new ones", async () => {
    const path = freshPath();
    const old = new DatabaseSync(path);
    old.exec(FIRST_TABLES);
    const body = '{"event":"payment.completed","data":{"reference":"PAY-1"}}';
    const insert = old.prepare(`
      INSERT INTO malipo_inbox (key, digest, event, raw, secret_index, received_at, state, attempts, due_at, error)
      VALUES (?1, ?1, 'payment.completed', ?2, 0, 7, ?3, ?4, 7, ?5)
    `);
    const key = (number: number) => Buffer.from(newDelivery(number).key, "hex");
    insert.run(key(1), Buffer.from(body), "ready", 0, null);
    insert.run(key(2), Buffer.from(body), "dead", 12, "Error: no stock");
    old
      .prepare("INSERT INTO malipo_inbox_conflicts VALUES (?, ?, 'payment.completed', ?, 0, 7)")
      .run(key(1), key(3), Buffer.from(body));
    old.close();

    const inbox = sqliteInbox(path, { pace: { leaseMs: 60_000, backoffMs: () => 5 } });
    const receiver = receiverOn(inbox);
    const rest = { event: "payment.completed", body, receivedAt: 7, signature: undefined };
    const letters = await receiver.deadLetters.list();
    expect(letters).toEqual([
      { id: newDelivery(2).key, ...rest, attempts: 12, error: "Error: no stock" },
    ]);
    expect(await receiver.conflicts.list()).toEqual([{ id: expect.any(String), ...rest }]);
    expect(await inbox.accept(newDelivery(4, { deadLetterReason: "too old" }))).toMatchObject({
      kind: "accepted",
    });
    expect((await receiver.deadLetters.list())[1]?.signature).toBe(newDelivery(4).signature);

    const seen: unknown[] = [];
    receiver.onOther(({ data }) => seen.push(data.reference));
    await receiver.start();
    await receiver.deadLetters.requeue(newDelivery(2).key);
    await until(() => seen.length === 2);
    expect(seen).toEqual(["PAY-1", "PAY-1"]);
    inbox.close();
    // It is opened as it is now.
    sqliteInbox(path).close();
  });
});

describe("the data of customers", () => {
  stopAll();

  test("is gone from the file when a dead letter or a conflict is dropped", async () => {
    const inbox = sqliteInbox(freshPath());
    const { deadLetters, conflicts } = receiverOn(inbox);
    const traceContext = { traceparent: "00-1-2-01" };
    await inbox.accept(newDelivery(1, { deadLetterReason: "too old 0712", traceContext }));
    await inbox.accept(newDelivery(1, { digest: newDelivery(2).digest, traceContext }));
    await deadLetters.drop(newDelivery(1).key);
    await conflicts.drop((await conflicts.list())[0]?.id ?? "");
    for (const [table, columns] of [
      ["malipo_inbox", "raw, signature, trace_context, error"],
      ["malipo_inbox_conflicts", "raw, signature, trace_context"],
    ]) {
      const row = inbox.database.prepare(`SELECT ${columns} FROM ${table}`).get() ?? {};
      const { raw, ...others } = row;
      expect(raw).toHaveLength(0);
      expect(new Set(Object.values(others))).toEqual(new Set([null]));
    }
    inbox.close();
  });
});
