import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { gateOf, newDelivery, receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import { type SqliteInbox, sqliteInbox } from "../../../support/stores/sqlite-inbox.ts";
import { freshPaths } from "./fresh-paths.ts";

const { fresh: freshPath, remove } = freshPaths();
afterAll(remove);
const pace = { leaseMs: 600, backoffMs: () => 5 };

describe("time", () => {
  stopAll();
  afterEach(() => {
    vi.useRealTimers();
  });

  const DAY_MS = 86_400_000;

  /** Lets the retention clock of a closed file advance. */
  function advance(path: string, ms: number): void {
    const database = new DatabaseSync(path);
    database
      .prepare(`
        UPDATE malipo_inbox_meta
        SET value = json_set(value, '$.nowMs', json_extract(value, '$.nowMs') + ?)
        WHERE name = 'clock'
      `)
      .run(ms);
    database.close();
  }

  const run = async () => {};
  const worker = { run, concurrency: 8, onError: () => {} };

  /** Opens the file, has the inbox do its work once, and closes it. */
  async function opened(path: string, work: (inbox: SqliteInbox) => Promise<void>): Promise<void> {
    const inbox = sqliteInbox(path, { pace });
    await inbox.start(worker);
    await work(inbox);
    await inbox.stop(1_000);
    inbox.close();
  }

  test("a processed event is remembered for the retention, and an open conflict without end", async () => {
    const path = freshPath();
    const conflict = newDelivery(1, { digest: newDelivery(2).digest });
    await opened(path, async (inbox) => {
      await inbox.accept(newDelivery(1));
      await inbox.accept(conflict);
    });
    advance(path, 13.9 * DAY_MS);
    await opened(path, async (inbox) => {
      expect(await inbox.accept(newDelivery(1))).toMatchObject({ kind: "duplicate" });
    });
    advance(path, 0.2 * DAY_MS);
    await opened(path, async (inbox) => {
      expect(await inbox.accept(newDelivery(1))).toMatchObject({ kind: "accepted" });
      expect(await inbox.accept(conflict)).toMatchObject({ kind: "conflict" });
    });
  });

  test.each([31, -31])("a wall clock that is set by %i days forgets nothing", async (jumpDays) => {
    const inbox = sqliteInbox(freshPath(), { pace });
    const onError = vi.fn();
    await inbox.start({ ...worker, kinds: ["payment.completed"], onError });
    await inbox.accept(newDelivery(1));
    await inbox.accept(newDelivery(2, { event: "invoice.paid" }));
    await until(async () => (await inbox.stats?.())?.running === 0);
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + jumpDays * DAY_MS);
    await sleep(1_500);
    expect(await inbox.accept(newDelivery(1))).toMatchObject({ kind: "duplicate" });
    vi.useRealTimers();
    await sleep(1_500);
    expect(await inbox.accept(newDelivery(1))).toMatchObject({ kind: "duplicate" });
    expect(await inbox.accept(newDelivery(2))).toMatchObject({ kind: "duplicate" });
    expect(onError.mock.calls[0]?.[0].message).toContain("Check the date of this machine.");
    await inbox.stop(0);
  });

  test("what is over is forgotten by an idle inbox too, and as fast as it arrives", async () => {
    const inbox = sqliteInbox(freshPath(), { pace });
    inbox.database.exec(`
      WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 5000)
      INSERT INTO malipo_inbox
        (key, digest, kind, raw, secret_index, received_at, signed_at, state, forget_at, queue, due_at)
      SELECT CAST(n AS BLOB), CAST(n AS BLOB), 'a', x'', 0, 0, 0, 'done', 1, 'other', 0 FROM many
    `);
    const receiver = receiverOn(inbox);
    const left = () =>
      inbox.database.prepare("SELECT COUNT(*) AS count FROM malipo_inbox").get()?.count;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    await receiver.start();
    // One batch of 500 a second would take ten of them.
    for (let polls = 0; polls < 15; polls++) await vi.advanceTimersByTimeAsync(20);
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
      .prepare(`UPDATE malipo_inbox SET attempts = 1, token = 1, due_at = ${dueAt}`)
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
    inbox.database.prepare("UPDATE malipo_inbox SET attempts = ?, token = 1, due_at = 0").run(died);
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
    inbox.database.exec("UPDATE malipo_inbox SET token = 1, due_at = due_at + 3600000");
    await until(() => signal.aborted);
    expect(String(signal.reason)).toContain("was lost: another process");
    await sleep(100);
    const row = inbox.database
      .prepare("SELECT state, token, attempts, error FROM malipo_inbox")
      .get();
    expect(row).toEqual({ state: "pending", token: 1, attempts: 1, error: null });
  });
});
