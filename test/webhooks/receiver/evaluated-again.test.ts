import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import BetterSqlite3 from "better-sqlite3";
import { Redis } from "ioredis";
import { memory } from "malipo";
import { mysql } from "malipo/mysql";
import { postgres } from "malipo/postgres";
import { redis } from "malipo/redis";
import { sqlite } from "malipo/sqlite";
import { createWebhookReceiver, type WebhookReceiver } from "malipo/webhooks";
import pg from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { InboxEngine } from "../../../src/webhooks/inbox/inbox-engine.ts";
import { SECRET } from "../../suites/webhook-sample.ts";
import { deliver, gate } from "../support/deliver.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-again-"));
const closing: (() => Promise<unknown>)[] = [];
let files = 0;
let file: string;
const info = vi.spyOn(console, "info");

beforeEach(() => {
  vi.stubEnv("NODE_ENV", "development");
  info.mockReset().mockImplementation(() => {});
  file = join(folder, `${++files}.db`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0)) await close();
});
afterAll(() => {
  info.mockRestore();
  rmSync(folder, { recursive: true });
});

/** What a module of a shop does each time it is evaluated. */
function evaluate(version: string, log: string[], kinds = ["payment.completed"]): WebhookReceiver {
  const db = sqlite(file);
  const receiver = createWebhookReceiver({ secret: SECRET, inbox: db, onError() {} });
  for (const kind of kinds) {
    receiver.on(kind as "payment.completed", ({ data }) => {
      log.push(`${version} ${data.reference}`);
    });
  }
  closing.push(async () => {
    await receiver.stop();
    await db.close();
  });
  return receiver;
}

const lines = () => info.mock.calls.map(([line]) => String(line));

describe("in development, a receiver whose module is evaluated again", () => {
  test("gets all events from its start on, and says once that the one before gets none", async () => {
    const log: string[] = [];
    await evaluate("old", log).start();
    await evaluate("new", log).start();
    for (let at = 0; at < 20; at++) {
      const receiver = evaluate("never started", log, []);
      expect(await deliver(receiver, "payment.completed", `PAY-${at}`)).toBe(200);
    }
    await expect.poll(() => log).toHaveLength(20);
    expect(log.filter((line) => !line.startsWith("new "))).toEqual([]);
    expect(lines()).toEqual([expect.stringMatching(/^malipo: .* loaded your code again/)]);
  });

  test("takes over at its first delivery, since Next starts only the first one", async () => {
    const log: string[] = [];
    await evaluate("old", log).start();
    const edited = evaluate("new", log);
    await deliver(edited, "payment.completed", "PAY-1");
    await deliver(edited, "payment.completed", "PAY-2");
    await expect.poll(() => log).toEqual(["new PAY-1", "new PAY-2"]);
    expect(lines()).toHaveLength(1);
    await edited.start(); // a framework that starts it after all
    expect(lines()).toHaveLength(1);
  });

  test("gets the deliveries that still arrive at the one before", async () => {
    const log: string[] = [];
    const old = evaluate("old", log);
    await old.start();
    await evaluate("new", log).start();
    expect(await deliver(old)).toBe(200);
    await expect.poll(() => log).toEqual(["new PAY-71"]);
    await old.stop();
    expect(await deliver(old)).toBe(503);
  });

  test("lets a handler of the one before end", async () => {
    const door = gate();
    const steps: string[] = [];
    const old = evaluate("old", steps, []);
    old.on("payment.completed", async (_, { signal }) => {
      steps.push("old begins");
      await door.opened;
      steps.push(`old ends, aborted: ${signal.aborted}`);
    });
    await old.start();
    await deliver(old);
    await expect.poll(() => steps).toEqual(["old begins"]);
    const edited = evaluate("new", steps);
    const started = edited.start();
    door.open();
    await started;
    await deliver(edited, "payment.completed", "PAY-72");
    await expect
      .poll(() => steps)
      .toEqual(["old begins", "old ends, aborted: false", "new PAY-72"]);
  });
});

describe("each receiver goes on", () => {
  test.each([
    ["of other kinds of events", "development", ["payment.failed"]],
    ["in production", "production", ["payment.completed"]],
    ["in tests", "test", ["payment.completed"]],
  ])("%s", async (_, NODE_ENV, kinds) => {
    vi.stubEnv("NODE_ENV", NODE_ENV);
    const log: string[] = [];
    const first = evaluate("first", log);
    await first.start();
    const second = evaluate("second", log, kinds);
    await second.start();
    await second.stop();
    await deliver(first);
    await expect.poll(() => log).toEqual(["first PAY-71"]);
    expect(lines()).toEqual([]);
  });

  test("on another file", async () => {
    const log: string[] = [];
    const first = evaluate("first", log);
    await first.start();
    file = `${file}-other`;
    await evaluate("second", log).start();
    await deliver(first);
    await expect.poll(() => log).toEqual(["first PAY-71"]);
    expect(lines()).toEqual([]);
  });
});

describe("the place of an engine", () => {
  const pool = (database: string) => new pg.Pool({ host: "db", database });
  const client = (db: number) => new Redis({ host: "redis", db, lazyConnect: true });

  test.each<[string, InboxEngine, InboxEngine, InboxEngine]>([
    ["sqlite", sqlite("a.db"), sqlite("a.db"), sqlite("b.db")],
    [
      "postgres",
      postgres("postgres://a/a"),
      postgres("postgres://a/a"),
      postgres("postgres://a/b"),
    ],
    [
      "a schema of postgres",
      postgres("postgres://a/a", { schema: "one" }),
      postgres("postgres://a/a", { schema: "one" }),
      postgres("postgres://a/a"),
    ],
    ["a pool of pg", postgres(pool("a")), postgres(pool("a")), postgres(pool("b"))],
    ["mysql", mysql("mysql://a/a"), mysql("mysql://a/a"), mysql("mysql://a/b")],
    ["redis", redis("redis://a"), redis("redis://a"), redis("redis://b")],
    ["a client of ioredis", redis(client(0)), redis(client(0)), redis(client(1))],
  ])("%s is the same for the same database only", (_, one, same, other) => {
    const placeOf = (engine: InboxEngine) => engine.inbox().place?.();
    expect(placeOf(one)).toBeDefined();
    expect(placeOf(same)).toBe(placeOf(one));
    expect(placeOf(other)).not.toBe(placeOf(one));
  });

  test("is that of the file, if an open database is passed", () => {
    const database = new DatabaseSync(file);
    const again = new BetterSqlite3(file);
    expect(sqlite(database).inbox().place?.()).toContain(file);
    expect(sqlite(again).inbox().place?.()).toBe(sqlite(database).inbox().place?.());
    database.close();
    again.close();
  });

  test.each([
    ["memory", memory()],
    ["a database in memory", sqlite(":memory:")],
  ])("is none for %s, which nothing else can have", (_, engine) => {
    expect(engine.inbox().place?.()).toBeUndefined();
  });
});
