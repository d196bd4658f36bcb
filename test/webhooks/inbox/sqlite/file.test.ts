import fs, { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sqliteInbox } from "malipo/inbox/sqlite";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { gateOf, receiverOn, references, stopAll, until } from "../../../suites/inbox-stage.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-inbox-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const freshPath = () => join(folder, `${++files}.db`);
const pace = { leaseMs: 600, backoffMs: () => 5 };

describe("a file that cannot be used", () => {
  const openError = (path: string) => {
    try {
      sqliteInbox(path);
    } catch (error) {
      return error;
    }
    return undefined;
  };

  test("because it is not a database is named and not changed", () => {
    const path = freshPath();
    const text = "Dear diary,\n".repeat(100);
    writeFileSync(path, text);
    expect(openError(path)).toMatchObject({
      code: "configuration",
      message: expect.stringMatching(`cannot use ${path}: .*not a database`),
    });
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("because it is a folder, or its folder is missing, is a configuration error", () => {
    expect(openError(join(folder, "none", "inbox.db"))).toMatchObject({ code: "configuration" });
    expect(openError(folder)).toMatchObject({ code: "configuration" });
  });

  test("because it is read-only is an error when it is opened", () => {
    const path = freshPath();
    sqliteInbox(path).close();
    chmodSync(folder, 0o755);
    chmodSync(path, 0o444);
    // To root, every file is writable.
    const nobody = 65_534;
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(nobody);
    try {
      expect(openError(path)).toMatchObject({
        code: "configuration",
        message: expect.stringContaining("readonly"),
      });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});

describe("the log below the file", () => {
  stopAll();
  afterEach(() => {
    vi.restoreAllMocks();
  });

  test("is on disk before the acknowledgement, and later deliveries share the next write", async () => {
    const receiver = receiverOn(sqliteInbox(freshPath(), { pace }));
    const finish: (() => void)[] = [];
    vi.spyOn(fs, "fdatasync").mockImplementation((_, done) => {
      finish.push(() => done(null));
    });
    const acknowledged: unknown[] = [];
    const post = (reference: string) =>
      receiver.post(reference).then(([status]) => acknowledged.push(reference, status));
    const first = post("PAY-1");
    await until(() => finish.length === 1);
    const rest = ["PAY-2", "PAY-3", "PAY-1"].map(post);
    await sleep(50);
    expect(acknowledged).toEqual([]);
    expect(finish).toHaveLength(1);
    finish[0]?.();
    await first;
    expect(acknowledged).toEqual(["PAY-1", 200]);
    await until(() => finish.length === 2);
    await sleep(50);
    expect(acknowledged).toHaveLength(2);
    finish[1]?.();
    await Promise.all(rest);
    expect(acknowledged.filter((one) => one === 200)).toHaveLength(4);
    expect(finish).toHaveLength(2);
  });

  test("that cannot be written results in 503", async () => {
    const receiver = receiverOn(sqliteInbox(freshPath(), { pace }));
    vi.spyOn(fs, "fdatasync").mockImplementation((_, done) => done(new Error("EIO")));
    expect(await receiver.post("PAY-1")).toEqual([503, "cannot be stored now"]);
    vi.restoreAllMocks();
    expect((await receiver.post("PAY-1"))[0]).toBe(200);
  });

  test("is missing for a database in memory, which works too", async () => {
    const receiver = receiverOn(sqliteInbox(":memory:", { pace }));
    const seen: unknown[] = [];
    receiver.onOther(({ data }) => seen.push(data.reference));
    await receiver.start();
    expect(await receiver.post("PAY-1")).toEqual([200, "received"]);
    await until(() => seen.length === 1);
  });
});

describe("a disk that is full", { timeout: 70_000 }, () => {
  stopAll();

  test("results in 503, loses no accepted delivery, and works again as soon as there is room", async () => {
    const inbox = sqliteInbox(freshPath(), { pace });
    const { database } = inbox;
    const receiver = receiverOn(inbox, { concurrency: 100 });
    const [gate, open] = gateOf<void>();
    const begun: unknown[] = [];
    receiver.on("payment.completed", async ({ data: { reference } }) => {
      begun.push(reference);
      await gate;
    });
    await receiver.start();
    const { page_count: pages } = database.prepare("PRAGMA page_count").get() as {
      page_count: number;
    };
    database.exec(`PRAGMA max_page_count = ${pages + 3}`);
    const accepted: string[] = [];
    const rejected: string[] = [];
    for (const reference of references(60)) {
      const [status] = await receiver.post(reference);
      (status === 200 ? accepted : rejected).push(reference);
    }
    expect(accepted.length).toBeGreaterThan(0);
    expect(rejected.length).toBeGreaterThan(0);
    expect(String(receiver.onError.mock.calls[0]?.[0])).toContain("full");

    // Not even "done" can be written for a while.
    await until(() => begun.length === accepted.length);
    database.exec("BEGIN; PRAGMA max_page_count = 1");
    open();
    await sleep(100);
    database.exec("ROLLBACK; PRAGMA max_page_count = 1000000");
    for (const reference of rejected) expect((await receiver.post(reference))[0]).toBe(200);
    const states = () => database.prepare("SELECT DISTINCT state FROM malipo_inbox").all();
    await until(() => states().every(({ state }) => state === "done"));
    expect(begun.sort()).toEqual(references(60).sort());
  });
});
