import { copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import BetterSqlite3 from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { completed, deliver, referenceOf } from "../../suites/checkout-stage.ts";
import { sqliteCheckout } from "../../support/stores/sqlite-checkout.ts";
import { atEnd, newSandbox, ORDER, openShop } from "../stage.ts";

function freshPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "malipo-checkout-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "shop.db");
}

const SOURCES: readonly [
  string,
  (path: string) => string | DatabaseSync | BetterSqlite3.Database,
][] = [
  ["a path", (path) => path],
  ["a database of node:sqlite", (path) => new DatabaseSync(path)],
  ["a database of better-sqlite3", (path) => new BetterSqlite3(path)],
];

const LOSSES: readonly [string, (path: string) => void][] = [
  ["was deleted", (path) => rmSync(path)],
  [
    "was replaced by a backup",
    (path) => {
      copyFileSync(path, `${path}.backup`);
      renameSync(`${path}.backup`, path);
    },
  ],
  ["lost its log", (path) => rmSync(`${path}-wal`)],
];

const SAYS = /was deleted or replaced while it was open.*Put the file back/;

describe.each(SOURCES)("orders in %s", (_, sourceOf) => {
  it.each(LOSSES)("are not acknowledged in a file that %s", async (_how, lose) => {
    const path = freshPath();
    const sandbox = newSandbox();
    const { checkout, errors, given } = openShop(sandbox, sqliteCheckout(sourceOf(path)));
    const order = await checkout.pay(ORDER);
    lose(path);
    await expect(checkout.create({ id: "ORDER-2", amount: 5 })).rejects.toThrow(SAYS);
    await expect(checkout.pay({ ...ORDER, id: "ORDER-3" })).rejects.toThrow(SAYS);
    await expect(checkout.cancel(ORDER.id)).rejects.toThrow(SAYS);
    await expect(checkout.decisions.append({ state: "planned" })).rejects.toThrow(SAYS);
    for (const event of [
      completed(order, referenceOf(order)),
      completed(order, "STRANGER", { account_reference: "NONE" }),
    ]) {
      expect((await deliver(checkout, sandbox, "payment.completed", event)).status).toBe(503);
    }
    expect((await deliver(checkout, sandbox, "invoice.paid", { id: 7 })).status).toBe(503);
    expect(errors.map(String).join("\n")).toMatch(SAYS);
    expect(given).toEqual([]);
  });
});

it("an order is not made in a transaction of the merchant on a file that was deleted", async () => {
  const path = freshPath();
  const database = new DatabaseSync(path);
  const { checkout } = openShop(newSandbox(), sqliteCheckout(database));
  await checkout.create(ORDER);
  rmSync(path);
  database.exec("BEGIN");
  const made = checkout.create({ id: "ORDER-2", amount: 5 }, { transaction: database });
  await expect(made).rejects.toThrow(SAYS);
  database.exec("ROLLBACK");
});

it("a file that is put back is used again", async () => {
  const path = freshPath();
  const { checkout } = openShop(newSandbox(), sqliteCheckout(path));
  await checkout.create(ORDER);
  renameSync(path, `${path}.away`);
  await expect(checkout.create({ id: "ORDER-2", amount: 5 })).rejects.toThrow(SAYS);
  renameSync(`${path}.away`, path);
  expect(await checkout.create({ id: "ORDER-2", amount: 5 })).toMatchObject({ status: "open" });
});
