import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { IdempotencyStore } from "malipo";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type SqliteIdempotency,
  sqliteIdempotency,
} from "../../../src/idempotency/sqlite/store.ts";
import { gatewayWith, rejection } from "../../client/support/gateway.ts";
import { neverResponds } from "../../client/support/responses.ts";
import { attemptOf, freshKey, LONG_OVER_MS } from "../../suites/idempotency-stage.ts";

// What becomes of the file below a store while a process uses it.

let folder: string;
let path: string;
const stores: SqliteIdempotency[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "malipo-idempotency-"));
  path = join(folder, "keys.db");
});
afterEach(() => {
  vi.useRealTimers();
  for (const store of stores.splice(0)) store.close();
  rmSync(folder, { recursive: true });
});

function open(): SqliteIdempotency {
  const store = sqliteIdempotency(path);
  stores.push(store);
  return store;
}

/** Every operation of a store. */
const OPERATIONS: readonly [string, (store: IdempotencyStore, key: string) => Promise<unknown>][] =
  [
    ["begin", (store, key) => store.begin(key, attemptOf("b"))],
    ["finish", (store, key) => store.finish(key, "a", { state: "unknown" })],
    ["forget", (store, key) => store.forget(key, "a")],
    ["resolve", (store, key) => store.resolve(key, "R")],
    ["list", (store) => store.list()],
  ];

const remove = () => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
};

/** What happens to files: a new disk, a backup that is restored, a deploy that cleans up. */
const LOSSES: readonly [string, () => void][] = [
  ["was deleted", remove],
  [
    "was replaced by a backup",
    () => {
      copyFileSync(path, `${path}.backup`);
      renameSync(`${path}.backup`, path);
    },
  ],
  [
    "was deleted and made again by another process",
    () => {
      remove();
      open();
    },
  ],
  ["lost its log", () => rmSync(`${path}-wal`)],
];

describe.each(LOSSES)("a file that %s", (_, lose) => {
  test.each(OPERATIONS)("is noticed by %s, which rejects", async (_name, operation) => {
    const store = open();
    const key = freshKey();
    await store.begin(key, attemptOf("a", { leaseMs: LONG_OVER_MS }));
    lose();
    await expect(operation(store, key)).rejects.toThrow("was deleted or replaced");
  });

  test("is noticed before a payment is sent", async () => {
    const { gateway, sent } = gatewayWith([neverResponds], { idempotency: open() });
    lose();
    const order = { amount: 100, phone: "0712345678" };
    const call = gateway.mobileMoney.initiate(order, { idempotencyKey: "ORDER-42/1" });
    expect(await rejection(call)).toMatchObject({
      code: "connection",
      outcome: "not_sent",
      cause: { message: expect.stringContaining("was deleted or replaced") },
    });
    expect(sent).toHaveLength(0);
  });
});

test("a file that is put back is used again", async () => {
  const store = open();
  const key = freshKey();
  await store.begin(key, attemptOf("a"));
  const away = join(folder, "away.db");
  renameSync(path, away);
  await expect(store.begin(key, attemptOf("b"))).rejects.toThrow("was deleted or replaced");
  renameSync(away, path);
  expect(await store.begin(key, attemptOf("b"))).toMatchObject({ state: "in_flight" });
});

test.each([":memory:", "file:keys?mode=memory"])("%s has no file to lose", async (name) => {
  const store = sqliteIdempotency(name);
  stores.push(store);
  expect(await store.begin("k", attemptOf("a"))).toEqual({ state: "begun" });
  expect(await store.begin("k", attemptOf("b"))).toMatchObject({ state: "in_flight" });
});

describe.skipIf(process.platform === "win32")("the mode of the files", () => {
  const modes = () =>
    readdirSync(folder)
      .sort()
      .map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);

  test("lets only their owner read new ones", async () => {
    await open().begin(freshKey(), attemptOf("a"));
    expect(modes()).toEqual([
      ["keys.db", "600"],
      ["keys.db-shm", "600"],
      ["keys.db-wal", "600"],
    ]);
  });

  test("stays what it is where the file exists", async () => {
    writeFileSync(path, "");
    chmodSync(path, 0o640);
    await open().begin(freshKey(), attemptOf("a"));
    expect(modes()[0]).toEqual(["keys.db", "640"]);
  });
});

/** Another thread that locks the file until it gets a message. */
const HOLDER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const database = new (require("node:sqlite").DatabaseSync)(workerData);
  database.exec("BEGIN EXCLUSIVE");
  parentPort.postMessage("held");
  parentPort.once("message", () => {
    database.exec("COMMIT");
    database.close();
  });
`;

async function hold() {
  const holder = new Worker(HOLDER, { eval: true, workerData: path });
  const exited = once(holder, "exit");
  await once(holder, "message");
  return { letGo: () => holder.postMessage("let go"), exited };
}

/** Calls the function after that number of turns of the event loop. */
function afterTurns(turns: number, done: () => void): void {
  if (turns === 0) done();
  else setTimeout(afterTurns, 1, turns - 1, done);
}

describe("a file that another process has locked", () => {
  test("is waited for by several payments while the event loop goes on", async () => {
    const store = open();
    const { letGo, exited } = await hold();
    // The lock ends only because the event loop turns.
    afterTurns(10, letGo);
    const begun = Array.from({ length: 6 }, () => store.begin(freshKey(), attemptOf("a")));
    expect(await Promise.all(begun)).toEqual(Array(6).fill({ state: "begun" }));
    await exited;
  });

  test("rejects after five seconds, and nothing was written", async () => {
    const store = open();
    const { letGo, exited } = await hold();
    vi.useFakeTimers({ toFake: ["performance"] });
    const key = freshKey();
    const begun = store.begin(key, attemptOf("a"));
    const second = store.begin(freshKey(), attemptOf("a"));
    const ended = Promise.allSettled([begun, second]);
    await new Promise((resolve) => setTimeout(resolve, 1));
    vi.advanceTimersByTime(5_000);
    for (const { status, reason } of (await ended) as PromiseRejectedResult[]) {
      expect(status).toBe("rejected");
      expect(reason.message).toBe(
        `The SQLite file ${path} cannot be used: another connection has had it locked for 5 s. Find the process that holds a transaction open on the file, and end it.`,
      );
    }
    letGo();
    await exited;
    expect(await store.begin(key, attemptOf("b"))).toEqual({ state: "begun" });
  });

  test("is set up by the first operation if it was locked when it was opened", async () => {
    const { letGo, exited } = await hold();
    const store = open();
    afterTurns(3, letGo);
    expect(await store.begin(freshKey(), attemptOf("a"))).toEqual({ state: "begun" });
    await exited;
    expect(readdirSync(folder)).toContain("keys.db-wal");
  });
});
