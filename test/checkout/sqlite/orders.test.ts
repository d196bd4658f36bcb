import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import BetterSqlite3 from "better-sqlite3";
import { signWebhook } from "malipo/webhooks";
import { expect, it } from "vitest";
import { ORDERS } from "../../../src/checkout/orders/tables.ts";
import { SqliteRoom } from "../../../src/storage/sqlite/sqlite-room.ts";
import { checkoutSuite } from "../../suites/checkout.ts";
import { strayUpdatesSuite } from "../../suites/stray-updates.ts";
import { sqliteCheckout } from "../../support/stores/sqlite-checkout.ts";
import { atEnd, newSandbox, ORDER, openShop, PHONE, testClock } from "../stage.ts";

function freshPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "malipo-checkout-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "shop.db");
}

interface Connection {
  exec(sql: string): unknown;
  close(): unknown;
}

/**
 * Deletes all rows of tables by a connection of the merchant. It is of the library that the store uses: two copies
 * of SQLite in one process do not see each other's locks (https://www.sqlite.org/howtocorrupt.html).
 */
function deleteRowsIn(connect: () => Connection) {
  return (...tables: readonly string[]) => {
    const database = connect();
    for (const table of tables) database.exec(`DELETE FROM malipo_checkout_${table}`);
    database.close();
  };
}

checkoutSuite("sqliteCheckout with a path", {
  fresh: async (now) => {
    const path = freshPath();
    const deleteRows = deleteRowsIn(() => new DatabaseSync(path));
    return { open: () => sqliteCheckout(path, { now }), deleteRows };
  },
});

strayUpdatesSuite("sqliteCheckout", async () => {
  const path = freshPath();
  const room = new SqliteRoom(path, { now: Date.now });
  atEnd(() => room.close());
  return {
    tables: room.tables(ORDERS),
    begin: async () => {
      const transaction = new DatabaseSync(path);
      transaction.exec("BEGIN IMMEDIATE");
      const commit = () => {
        transaction.exec("COMMIT");
        transaction.close();
      };
      return { transaction, commit };
    },
    // It tries again and again while the file is locked.
    untilOneWaits: async () => {},
  };
});

checkoutSuite("sqliteCheckout with a database of node:sqlite", {
  fresh: async (now) => {
    const path = freshPath();
    const open = () => sqliteCheckout(new DatabaseSync(path), { now });
    return { open, deleteRows: deleteRowsIn(() => new DatabaseSync(path)) };
  },
});

checkoutSuite("sqliteCheckout with a database of better-sqlite3", {
  fresh: async (now) => {
    const path = freshPath();
    const open = () => sqliteCheckout(new BetterSqlite3(path), { now });
    return { open, deleteRows: deleteRowsIn(() => new BetterSqlite3(path)) };
  },
});

it("an invoice reaches its handler, with a database of better-sqlite3", async () => {
  const sandbox = newSandbox();
  const { checkout, errors } = openShop(sandbox, sqliteCheckout(new BetterSqlite3(freshPath())));
  const invoices: unknown[] = [];
  checkout.receiver.on("invoice.paid", ({ data }) => invoices.push(data.id));
  const timestamp = new Date().toISOString();
  const data = { id: 7, reference: "I-7" };
  const body = JSON.stringify({ event: "invoice.paid", timestamp, data });
  const headers = { "x-service-signature": signWebhook(body, sandbox.webhookSecret) };
  const answer = await checkout.receiver.handle({ method: "POST", headers, body });
  expect(answer).toMatchObject({ status: 200 });
  await checkout.reconcile();
  expect(invoices).toEqual([7]);
  expect(errors).toEqual([]);
});

it("says that the shop itself has left a transaction open on the connection", async () => {
  const database = new DatabaseSync(freshPath());
  const { checkout } = openShop(newSandbox(), sqliteCheckout(database));
  await checkout.get("");
  database.exec("BEGIN");
  await expect(checkout.create({ id: "ORDER-1", amount: 5 })).rejects.toMatchObject({
    code: "configuration",
    message: expect.stringMatching(
      /this process has had a transaction open on the same connection/,
    ),
  });
  database.exec("ROLLBACK");
  expect(await checkout.create({ id: "ORDER-1", amount: 5 })).toMatchObject({ status: "open" });
});

it("says that onPaid writes by another connection to the file that its transaction has locked", async () => {
  const path = freshPath();
  const outer = new DatabaseSync(path, { timeout: 1 });
  atEnd(() => outer.close());
  const sandbox = newSandbox();
  const clock = testClock();
  const { checkout, errors } = openShop(sandbox, sqliteCheckout(path, { now: clock.now }), {
    onPaid: (_, { transaction }) =>
      transaction(() => outer.exec("CREATE TABLE IF NOT EXISTS goods (id TEXT)")),
  });
  await checkout.pay(ORDER);
  sandbox.phone(PHONE).approve();
  await sandbox.clock.advance("10s");
  clock.advance(10_000);
  await checkout.reconcile();
  expect(errors.map(String)).toEqual([
    expect.stringMatching(/Write by the connection that `transaction` passes on/),
  ]);
});
