import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { sqliteInbox } from "../../../../src/webhooks/inbox/sqlite/inbox.ts";
import { newDelivery, receiverOn, stopAll } from "../../../suites/inbox-stage.ts";
import { freshPaths } from "./fresh-paths.ts";

const { fresh: freshPath, remove } = freshPaths();
afterAll(remove);

describe("a file of another format", () => {
  test("that has no number is rejected, and not changed", () => {
    const path = freshPath();
    const old = new DatabaseSync(path);
    old.exec("CREATE TABLE malipo_inbox (id INTEGER PRIMARY KEY, key BLOB, event TEXT, raw BLOB)");
    old.exec("INSERT INTO malipo_inbox VALUES (1, x'01', 'payment.completed', x'7b7d')");
    expect(() => sqliteInbox(path)).toThrow(
      expect.objectContaining({
        code: "configuration",
        message: `sqliteInbox cannot use ${path}: its inbox has format 0, and this version of malipo reads format 1. Run the version that wrote it until receiver.stats() counts nothing that waits, and then pass the path of a new file.`,
      }),
    );
    expect(old.prepare("SELECT name FROM sqlite_schema").all()).toEqual([{ name: "malipo_inbox" }]);
    old.close();
  });

  test("of a later version is rejected, at each start", () => {
    const path = freshPath();
    const inbox = sqliteInbox(path);
    inbox.database.exec("UPDATE malipo_inbox_meta SET value = '2' WHERE name = 'format'");
    inbox.close();
    for (let times = 0; times < 2; times++) {
      expect(() => sqliteInbox(path)).toThrow(
        /has format 2, and this version of malipo reads format 1/,
      );
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
