import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sqliteInbox } from "malipo/inbox/sqlite";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { gateOf, receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-inbox-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const freshPath = () => join(folder, `${++files}.db`);
const pace = { leaseMs: 600, backoffMs: () => 5 };

describe("time", { timeout: 70_000 }, () => {
  stopAll();
  afterEach(() => {
    vi.useRealTimers();
  });

  test("a processed event and its conflicts are remembered for the retention", async () => {
    const inbox = sqliteInbox(freshPath(), { pace, retentionMs: 3_600_000 });
    const receiver = receiverOn(inbox);
    const seen: unknown[] = [];
    receiver.onOther(({ data }) => seen.push(data.amount));
    await receiver.start();
    await receiver.post("PAY-1", "1.00");
    await receiver.post("PAY-1", "2.00");
    await until(() => seen.length === 1);
    const rows = () =>
      inbox.database
        .prepare(`
      SELECT (SELECT COUNT(*) FROM malipo_inbox WHERE state = 'done') AS done,
        (SELECT COUNT(*) FROM malipo_inbox_conflicts) AS conflicts
    `)
        .get();
    await until(() => rows()?.done === 1);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + 3_000_000);
    await sleep(1_200);
    expect(await receiver.post("PAY-1", "1.00")).toEqual([200, "received before"]);
    expect(rows()).toEqual({ done: 1, conflicts: 1 });
    vi.setSystemTime(Date.now() + 1_000_000);
    await sleep(1_200);
    await receiver.post("PAY-2", "3.00");
    await until(() => rows()?.conflicts === 0);
    expect(await receiver.post("PAY-1", "2.00")).toEqual([200, "received"]);
    await until(() => seen.length === 3);
  });

  test("what is over is forgotten by an idle inbox too, and as fast as it arrives", async () => {
    const inbox = sqliteInbox(freshPath(), { pace });
    inbox.database.exec(`
      WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 5000)
      INSERT INTO malipo_inbox (key, digest, event, raw, secret_index, received_at, state, due_at)
      SELECT CAST(n AS BLOB), CAST(n AS BLOB), 'a', x'', 0, 0, 'done', 1 FROM many
    `);
    const receiver = receiverOn(inbox);
    const left = () =>
      inbox.database.prepare("SELECT COUNT(*) AS count FROM malipo_inbox").get()?.count;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    await receiver.start();
    // One batch of 500 a second would take ten of them.
    for (let polls = 0; polls < 15; polls++) vi.advanceTimersByTime(20);
    vi.useRealTimers();
    expect(left()).toBe(0);
  });

  test("setting the clock takes no event from the process that has it", async () => {
    const path = freshPath();
    const [first, second] = [1, 2].map(() => receiverOn(sqliteInbox(path, { pace }))) as [
      ReturnType<typeof receiverOn>,
      ReturnType<typeof receiverOn>,
    ];
    const [gate, open] = gateOf<void>();
    const runs: unknown[] = [];
    for (const worker of [first, second]) {
      worker.onOther(async ({ data }, { attempt, signal }) => {
        runs.push([data.reference, attempt]);
        await gate;
        runs.push(signal.aborted);
      });
      await worker.start();
    }
    await first.post("PAY-1");
    await until(() => runs.length === 1);
    vi.useFakeTimers({ toFake: ["Date"] });
    for (const jump of [86_400_000, -2 * 86_400_000, 86_400_000]) {
      vi.setSystemTime(Date.now() + jump);
      await sleep(700);
    }
    open();
    await until(() => runs.length > 1);
    expect(runs).toEqual([["PAY-1", 1], false]);
  });

  test.each([
    ["expired", "$uptime - 1"],
    ["was given before the machine was restarted", "$uptime + 86400000"],
  ])("a lease that %s can be taken", async (_, dueAt) => {
    const inbox = sqliteInbox(freshPath(), { pace });
    const receiver = receiverOn(inbox);
    const attempts: number[] = [];
    receiver.onOther((_, { attempt }) => attempts.push(attempt));
    await receiver.post("PAY-1");
    inbox.database
      .prepare(
        `UPDATE malipo_inbox SET state = 'leased', attempts = 1, token = 'x/1', due_at = ${dueAt}`,
      )
      .run({ uptime: Math.round(Number(process.hrtime.bigint()) / 1e6) });
    await receiver.start();
    await until(() => attempts.length > 0);
    expect(attempts).toEqual([2]);
  });

  test.each([
    [11, [12], 0],
    [12, [], 1],
  ])("an event during which %d processes died", async (died, expected, dead) => {
    const inbox = sqliteInbox(freshPath(), { pace });
    const receiver = receiverOn(inbox);
    const attempts: number[] = [];
    receiver.on("payment.completed", ({ data }, { attempt }) => {
      if (data.reference === "PAY-1") attempts.push(attempt);
    });
    await receiver.post("PAY-1");
    inbox.database
      .prepare("UPDATE malipo_inbox SET state = 'leased', attempts = ?, token = 'x/1', due_at = 0")
      .run(died);
    await receiver.start();
    await until(async () => attempts.length + (await receiver.deadLetters.list()).length > 0);
    expect(attempts).toEqual(expected);
    const letters = await receiver.deadLetters.list();
    expect(letters).toHaveLength(dead);
    for (const letter of letters)
      expect(letter).toMatchObject({ attempts: 12, error: expect.stringContaining("died") });
  });

  test("a lease that another process took aborts the signal, and writes nothing more", async () => {
    const inbox = sqliteInbox(freshPath(), { pace });
    const receiver = receiverOn(inbox);
    const [begun, begin] = gateOf<AbortSignal>();
    receiver.onOther((_, { signal }) => {
      begin(signal);
      return new Promise(() => {});
    });
    await receiver.start();
    await receiver.post("PAY-1");
    const signal = await begun;
    inbox.database.exec("UPDATE malipo_inbox SET token = 'another/1', due_at = due_at + 3600000");
    await until(() => signal.aborted);
    expect(String(signal.reason)).toContain("lease was lost");
    await sleep(100);
    const row = inbox.database
      .prepare("SELECT state, token, attempts, error FROM malipo_inbox")
      .get();
    expect(row).toEqual({ state: "leased", token: "another/1", attempts: 1, error: null });
  });
});
