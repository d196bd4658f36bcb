import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { sqliteCheckout } from "../support/stores/sqlite-checkout.ts";
import { atEnd, newSandbox, openShop, testClock } from "./stage.ts";

// The shop of "If you sell what is limited", docs/guides/shop.md.

const PHONES = { amina: "0712345678", brian: "0722000111" };
const MINUTE_MS = 60_000;

function openTickets(stock: number) {
  const db = new DatabaseSync(":memory:");
  atEnd(() => db.close());
  db.exec("CREATE TABLE held (id TEXT PRIMARY KEY, sold INTEGER)");
  const sandbox = newSandbox();
  const clock = testClock();
  const shop = openShop(sandbox, sqliteCheckout(db, { now: clock.now } as object), {
    onPaid: async ({ id }, { transaction }) => {
      await transaction((own: DatabaseSync) => {
        own.prepare("UPDATE held SET sold = 1 WHERE id = ?").run(id);
      });
    },
  });
  const { checkout } = shop;
  const hold = (id: string) => {
    const sql = "INSERT OR IGNORE INTO held (id) SELECT ? WHERE (SELECT count(*) FROM held) < ?";
    db.prepare(sql).run(id, stock);
    return db.prepare("SELECT 1 FROM held WHERE id = ?").get(id) !== undefined;
  };
  const order = async (id: keyof typeof PHONES, after: number) => {
    const made = { id, amount: 1500 };
    const expiresAt = new Date(clock.now() + 15 * MINUTE_MS);
    const { status } = await checkout.create({ ...made, expiresAt });
    if (status === "open" && !hold(id)) return "sold out";
    return (await checkout.pay({ ...made, phone: PHONES[id] }, { after })).status;
  };
  const giveBack = async () => {
    for (const { id } of db.prepare("SELECT id FROM held WHERE sold IS NULL").all()) {
      const { status } = (await checkout.get(String(id))) ?? {};
      if (status === "expired" || status === "canceled") {
        db.prepare("DELETE FROM held WHERE id = ? AND sold IS NULL").run(String(id));
      }
    }
  };
  const later = async (ms: number) => {
    await sandbox.clock.advance(ms);
    clock.advance(ms);
    await checkout.reconcile();
  };
  const sold = () =>
    db
      .prepare("SELECT id FROM held WHERE sold = 1")
      .all()
      .map(({ id }) => id);
  return { sandbox, checkout, order, giveBack, later, sold };
}

it("the last piece is not given back while its customer may pay again", async () => {
  const { sandbox, order, giveBack, later, sold } = openTickets(1);
  expect(await order("amina", 0)).toBe("pending");
  sandbox.phone(PHONES.amina).cancel();
  await later(10_000);
  await giveBack();
  expect(await order("brian", 0)).toBe("sold out");
  expect(await order("amina", 1)).toBe("pending");
  await giveBack();
  expect(await order("brian", 0)).toBe("sold out");
  sandbox.phone(PHONES.amina).approve();
  await later(10_000);
  expect(sold()).toEqual(["amina"]);
});

it("the last piece goes to another customer when the time of its order is over", async () => {
  const { sandbox, order, giveBack, later, sold } = openTickets(1);
  expect(await order("amina", 0)).toBe("pending");
  sandbox.phone(PHONES.amina).cancel();
  await later(10_000);
  // A later click does not make the time longer.
  await later(14 * MINUTE_MS);
  expect(await order("amina", 1)).toBe("pending");
  await later(2 * MINUTE_MS);
  await giveBack();
  expect(await order("brian", 0)).toBe("pending");
  expect(await order("amina", 2)).toBe("expired");
  sandbox.phone(PHONES.brian).approve();
  await later(10_000);
  expect(sold()).toEqual(["brian"]);
});
