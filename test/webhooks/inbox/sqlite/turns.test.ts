import fs from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { uptimeMs } from "../../../../src/internal/retention-clock.ts";
import type { Job } from "../../../../src/webhooks/inbox/inbox-types.ts";
import { gateOf, newDelivery, receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import { sqliteInbox } from "../../../support/stores/sqlite-inbox.ts";
import { freshPaths } from "./fresh-paths.ts";

const { fresh: freshPath, remove } = freshPaths();
afterAll(remove);
// Long leases: no renewal happens during a test.
const pace = { leaseMs: 600_000, backoffMs: () => 5 };

const STATE = `
  CASE WHEN state <> 'pending' THEN state WHEN token IS NULL THEN 'waiting' ELSE 'leased' END
`;

const rowsOf = (database: DatabaseSync) =>
  database
    .prepare(`SELECT ${STATE} AS state, attempts, due_at, error, forget_at FROM malipo_inbox`)
    .all();

describe("a poll", () => {
  stopAll();
  afterEach(() => {
    vi.useRealTimers();
  });

  test("comes twice a second, and when a retry is due", async () => {
    const inbox = sqliteInbox(freshPath(), { pace: { ...pace, backoffMs: (at) => at * 100 } });
    const attempts: number[] = [];
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date", "hrtime"] });
    const run = ({ attempt }: Job) => {
      attempts.push(attempt);
      return Promise.reject(new Error("no stock"));
    };
    await inbox.start({ run, concurrency: 2, onError: () => {} });
    const nextPoll = async () => {
      const before = Date.now();
      await vi.advanceTimersToNextTimerAsync();
      return Date.now() - before;
    };
    expect(await nextPoll()).toBe(500);
    const rest = { digest: "d1", event: "e", raw: Buffer.from("{}"), secretIndex: 0 };
    await inbox.accept({ key: "a1", ...rest, receivedAt: Date.now() });
    for (const [failed, waitMs] of [100, 200, 300, 400, 500].entries()) {
      const hasFailed = () =>
        rowsOf(inbox.database).some(
          ({ state, attempts: made }) => state === "waiting" && made === failed + 1,
        );
      while (!hasFailed()) await new Promise(setImmediate);
      expect(attempts).toHaveLength(failed + 1);
      expect(await nextPoll()).toBe(waitMs);
    }
    await inbox.stop(0);
    inbox.close();
  });

  /** Has another process write to the file for longer than the time between two polls. */
  async function whileLocked(path: string, database: DatabaseSync): Promise<void> {
    database.exec("PRAGMA busy_timeout = 0");
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    await sleep(700);
    other.exec("ROLLBACK");
    other.close();
  }

  test("that finds nothing does not wait for other processes", async () => {
    const path = freshPath();
    const inbox = sqliteInbox(path, { pace });
    const receiver = receiverOn(inbox);
    receiver.onOther(() => {});
    await receiver.start();
    await whileLocked(path, inbox.database);
    expect(receiver.onError).not.toHaveBeenCalled();
  });

  test("without a free slot does not wait for other processes, whatever is due", async () => {
    const path = freshPath();
    const inbox = sqliteInbox(path, { pace });
    const receiver = receiverOn(inbox, { concurrency: 1 });
    const [gate, open] = gateOf<void>();
    const begun: unknown[] = [];
    receiver.onOther(async ({ data }) => {
      begun.push(data.reference);
      await gate;
    });
    await receiver.start();
    for (const reference of ["PAY-1", "PAY-2"]) await receiver.post(reference);
    await until(() => begun.length === 1);
    await whileLocked(path, inbox.database);
    expect(receiver.onError).not.toHaveBeenCalled();
    open();
    await until(() => begun.length === 2);
  });
});

describe("a commit", () => {
  stopAll();
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  const endOfTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const turns = async () => {
    for (let left = 5; left > 0; left--) await endOfTurn();
  };

  /** A started receiver whose handlers wait, with its timers stopped and one event in progress. */
  async function inProgress() {
    const inbox = sqliteInbox(freshPath(), { pace });
    const receiver = receiverOn(inbox);
    const [gate, open] = gateOf<void>();
    receiver.onOther(() => gate);
    await receiver.start();
    await receiver.post("PAY-1");
    const states = () => rowsOf(inbox.database).map(({ state }) => state);
    await until(() => states()[0] === "leased");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    return { ...receiver, inbox, open, states };
  }

  /** Makes the disk wait. Returns the calls that wait for it. */
  function heldDisk(): (() => void)[] {
    const finish: (() => void)[] = [];
    vi.spyOn(fs, "fdatasync").mockImplementation((_, done) => {
      finish.push(() => done(null));
    });
    return finish;
  }

  test("takes what waits, however many new events come", async () => {
    const inbox = sqliteInbox(freshPath(), { pace });
    const waiting = Array.from({ length: 40 }, (_, at) => newDelivery(at));
    for (const delivery of waiting) await inbox.accept(delivery);
    const left = new Set(waiting.map(({ key }) => key));
    let number = waiting.length;
    const accepting: Promise<unknown>[] = [];
    const flood = () => {
      for (let more = 8; more > 0; more--) accepting.push(inbox.accept(newDelivery(number++)));
    };
    await inbox.start({
      run: async ({ key }) => {
        left.delete(key);
        // While anything waits, more comes than is processed.
        if (left.size > 0) flood();
      },
      concurrency: 4,
      onError: () => {},
    });
    await until(() => left.size === 0);
    await Promise.all(accepting);
    await inbox.stop(1_000);
    inbox.close();
  });

  test("of the end of an event does not wait for the disk", async () => {
    const { open, states } = await inProgress();
    await turns();
    open();
    await turns();
    expect(states()).toEqual(["done"]);
  });

  test("waits for the one before it, and contains all deliveries that arrived meanwhile", async () => {
    const { post, open, states } = await inProgress();
    const finish = heldDisk();
    const first = post("PAY-2");
    while (finish.length === 0) await endOfTurn();
    const rest = [post("PAY-3"), post("PAY-4")];
    await turns();
    vi.advanceTimersByTime(500);
    await turns();
    expect(states()).toHaveLength(2);
    expect(finish).toHaveLength(1);
    finish[0]?.();
    await first;
    while (finish.length === 1) await endOfTurn();
    finish[1]?.();
    expect(await Promise.all(rest)).toEqual([
      [200, "received"],
      [200, "received"],
    ]);
    expect(finish).toHaveLength(2);
    open();
    await turns();
    expect(states()).toEqual(["done", "done", "done", "done"]);
  });

  test("of deliveries that arrive together is scheduled once", async () => {
    const inbox = sqliteInbox(freshPath(), { pace });
    vi.useFakeTimers({ toFake: ["setImmediate"] });
    const receipts = ["a1", "b2", "c3"].map((key) => {
      const rest = { digest: key, event: "e", raw: Buffer.from(key), secretIndex: 0 };
      return inbox.accept({ key, ...rest, receivedAt: 0 });
    });
    expect(vi.getTimerCount()).toBe(1);
    vi.runAllTimers();
    expect(rowsOf(inbox.database)).toHaveLength(3);
    const accepted = { kind: "accepted" };
    expect(await Promise.all(receipts)).toEqual([accepted, accepted, accepted]);
    inbox.close();
  });

  test.each([
    ["500 deliveries", 1_200, 10, [500, 500, 200]],
    ["4 MB", 11, 1_000_000, [4, 4, 3]],
    ["one delivery, if it is larger", 2, 4_500_000, [1, 1]],
  ])("has at most %s, and the next commit has the rest", async (_, count, bytes, groups) => {
    const inbox = sqliteInbox(freshPath(), { pace });
    const finish = heldDisk();
    const raw = Buffer.alloc(bytes, "x");
    const receipts = Array.from({ length: count }, (_, at) =>
      inbox.accept(newDelivery(at, { raw })),
    );
    const sizes: number[] = [];
    let stored = 0;
    while (sizes.length < groups.length) {
      while (finish.length === sizes.length) await endOfTurn();
      const { length } = rowsOf(inbox.database);
      sizes.push(length - stored);
      stored = length;
      finish.at(-1)?.();
    }
    expect(sizes).toEqual(groups);
    expect(await Promise.all(receipts)).toHaveLength(count);
    inbox.close();
  });

  test("that fails rejects all its deliveries, and the next one succeeds", async () => {
    const path = freshPath();
    const inbox = sqliteInbox(path, { pace });
    inbox.database.exec("PRAGMA busy_timeout = 0");
    const receiver = receiverOn(inbox);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const posted = ["PAY-1", "PAY-2"].map((reference) => receiver.post(reference));
    expect(await Promise.all(posted)).toEqual([
      [503, "cannot be stored now"],
      [503, "cannot be stored now"],
    ]);
    other.exec("ROLLBACK");
    other.close();
    expect(await receiver.post("PAY-1")).toEqual([200, "received"]);
    expect(rowsOf(inbox.database)).toHaveLength(1);
  });

  test("of a processed event writes until when it is remembered: 14 days by default", async () => {
    const inbox = sqliteInbox(freshPath(), { pace });
    await inbox.start({ run: async () => {}, concurrency: 1, onError: () => {} });
    const before = Date.now();
    await inbox.accept(newDelivery(1, { signedAt: 1 }));
    await until(() => rowsOf(inbox.database)[0]?.state === "done");
    const forgetAt = Number(rowsOf(inbox.database)[0]?.forget_at) - 14 * 86_400_000;
    expect(forgetAt).toBeGreaterThanOrEqual(before - 10);
    expect(forgetAt).toBeLessThanOrEqual(Date.now() + 10);
    await inbox.stop(0);
  });

  test("of a failed event writes when it is retried", async () => {
    const inbox = sqliteInbox(freshPath(), { pace: { ...pace, backoffMs: (at) => at * 60_000 } });
    const receiver = receiverOn(inbox);
    receiver.onOther(() => {
      throw new Error("no stock");
    });
    await receiver.start();
    const before = uptimeMs();
    await receiver.post("PAY-1");
    await until(() => rowsOf(inbox.database)[0]?.error !== null);
    const [row] = rowsOf(inbox.database);
    expect(row).toMatchObject({ attempts: 1, error: "Error: no stock", forget_at: null });
    expect(row?.due_at).toBeGreaterThanOrEqual(before + 60_000);
    expect(row?.due_at).toBeLessThanOrEqual(uptimeMs() + 60_000);
  });
});
