import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Gateway, memory } from "malipo";
import { createCheckout } from "malipo/checkout";
import { sqlite } from "malipo/sqlite";
import { createWebhookReceiver } from "malipo/webhooks";
import { afterAll, expect, test } from "vitest";
import { engineSuite } from "../suites/engine.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-engine-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const freshPath = () => join(folder, `${++files}.db`);

engineSuite("sqlite()", (options) => sqlite(freshPath(), options));
engineSuite("sqlite(database)", (options) => sqlite(new DatabaseSync(freshPath()), options));
engineSuite("memory()", (options) => memory(options));

const tablesOf = (database: DatabaseSync) =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'malipo_%'")
    .all()
    .map(({ name }) => name);

test("a file has the tables of what was used, and all of them after open()", async () => {
  const db = sqlite(freshPath());
  expect(tablesOf(db.database)).toEqual([]);
  await db.idempotency().list();
  expect(tablesOf(db.database).sort()).toEqual(["malipo_idempotency", "malipo_idempotency_meta"]);
  await db.open();
  const all = tablesOf(db.database);
  await db.close();

  const own = new DatabaseSync(freshPath());
  const other = sqlite(own);
  own.exec(other.sql());
  expect(tablesOf(own).sort()).toEqual(all.sort());
  await other.open();
  expect(await other.check()).toEqual([]);
  await other.close();
  expect(own.isOpen).toBe(true);
});

test("a gateway with the engine is the gateway of a checkout with it, which does not close it", async () => {
  const db = sqlite(freshPath());
  const gateway = new Gateway({
    apiKey: "sk_test_1",
    baseUrl: "http://127.0.0.1:9/v1",
    idempotency: db,
  });
  const checkout = createCheckout({ store: db, gateway, secret: "whsec_1", onPaid: () => {} });
  await checkout.start();
  await checkout.stop();
  expect((await db.idempotency().list()).attempts).toEqual([]);
  await db.close();
});

test.skipIf(process.platform === "win32")(
  "check() says that others may open the file, and that its tables are of another version",
  async () => {
    const path = freshPath();
    const db = sqlite(path);
    await db.open();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await db.check()).toEqual([]);
    chmodSync(path, 0o644);
    db.database.exec("UPDATE malipo_checkout_meta SET value = '99'");
    expect(await db.check()).toEqual([
      expect.stringMatching(
        /^Other users of this machine may open .*its mode is 644\. Run chmod 600/,
      ),
      expect.stringMatching(/^The tables of orders have format 99/),
    ]);
    await db.close();
  },
);

test("what an engine cannot hold is rejected with what can", () => {
  const wakeups = sqlite(":memory:") as never;
  const says =
    /^`wakeups` must be .*postgres\(url\) or redis\(url\); got an engine that cannot hold them\.$/;
  const options = { apiKey: "sk_test_1", baseUrl: "http://127.0.0.1:9/v1", wakeups };
  expect(() => new Gateway(options)).toThrow(says);
  expect(() => createWebhookReceiver({ secret: "whsec_1", wakeups })).toThrow(says);
  expect(() => sqlite(7 as never)).toThrow(/^`source` must be a path, or an open database/);
});
