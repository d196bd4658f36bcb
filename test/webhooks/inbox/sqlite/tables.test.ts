import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { newDelivery, receiverOn, stopAll } from "../../../suites/inbox-stage.ts";
import { sqliteInbox } from "../../../support/stores/sqlite-inbox.ts";
import { freshPaths } from "./fresh-paths.ts";

const { fresh: freshPath, remove } = freshPaths();
afterAll(remove);

describe("a file of another format", () => {
  test("that has no number is not changed, and nothing is acknowledged", async () => {
    const path = freshPath();
    // For its owner only: another mode would be reported.
    writeFileSync(path, "", { mode: 0o600 });
    const old = new DatabaseSync(path);
    old.exec("CREATE TABLE malipo_inbox (id INTEGER PRIMARY KEY, key BLOB, event TEXT, raw BLOB)");
    old.exec("INSERT INTO malipo_inbox VALUES (1, x'01', 'payment.completed', x'7b7d')");
    const inbox = sqliteInbox(path);
    await expect(inbox.accept(newDelivery(1))).rejects.toThrow("no such column");
    expect(old.prepare("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "malipo_inbox" }]);
    inbox.close();
    old.close();
  });

  test("of a later version is rejected, at each start", async () => {
    const path = freshPath();
    const inbox = sqliteInbox(path);
    inbox.database.exec("UPDATE malipo_inbox_meta SET value = '2' WHERE name = 'format'");
    inbox.close();
    for (let times = 0; times < 2; times++) {
      const next = sqliteInbox(path);
      const receiver = receiverOn(next);
      expect(await receiver.post("PAY-1")).toEqual([503, "cannot be stored now"]);
      expect(receiver.onError.mock.calls[0]?.[0]).toMatchObject({
        code: "configuration",
        message:
          "The tables of events have format 2, and this version of malipo knows the formats up to 1. A newer version has written them: install that version, or a later one.",
      });
      next.close();
    }
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
