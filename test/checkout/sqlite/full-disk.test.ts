import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { sqliteCheckout } from "../../support/stores/sqlite-checkout.ts";
import { atEnd, newSandbox, ORDER, openShop, PHONE, testClock } from "../stage.ts";

const GOODS = "CREATE TABLE goods (text TEXT) STRICT";
const PARCEL = "x".repeat(40_000);

it.each(["a path", "an open database"])(
  "with %s, a full disk loses no goods, and its error says so",
  async (source) => {
    const folder = mkdtempSync(join(tmpdir(), "malipo-checkout-"));
    atEnd(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, "shop.db");
    const own = new DatabaseSync(path);
    atEnd(() => own.close());
    own.exec(GOODS);
    const sandbox = newSandbox();
    const clock = testClock();
    const store = sqliteCheckout(source === "a path" ? path : own, { now: clock.now });
    let isFull = true;
    const { checkout, errors } = openShop(sandbox, store, {
      onPaid: (_, { transaction }) =>
        transaction((db: DatabaseSync) => {
          const { page_count: pages } = db.prepare("PRAGMA page_count").get() as object as {
            page_count: number;
          };
          db.exec(`PRAGMA max_page_count = ${isFull ? pages : 1_000_000}`);
          db.prepare("INSERT INTO goods VALUES (?)").run(PARCEL);
        }),
    });
    await checkout.pay(ORDER);
    sandbox.phone(PHONE).approve();
    await sandbox.clock.advance("10s");
    clock.advance(10_000);
    await checkout.reconcile();
    expect(await checkout.get(ORDER.id)).toMatchObject({ status: "paid", effect: "due" });
    expect(errors.map(String)).toEqual([expect.stringMatching(/disk is full/)]);
    isFull = false;
    clock.advance(60_000);
    await checkout.reconcile();
    expect(await checkout.get(ORDER.id)).toMatchObject({ effect: "done" });
    expect(own.prepare("SELECT count(*) AS count FROM goods").get()).toEqual({ count: 1 });
  },
);
