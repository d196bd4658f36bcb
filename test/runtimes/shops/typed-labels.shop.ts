// Customers who pay at a paybill and type the label of their order by hand, and what staff then read.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Gateway } from "malipo";
import { createCheckout } from "malipo/checkout";
import { nodeHandler } from "malipo/node";
import { createSandbox } from "malipo/sandbox";
import { sqlite } from "malipo/sqlite";
import { expect, onTestFinished, test } from "vitest";
import { shopRows } from "../../support/shop-rows.ts";

const AMOUNT = 1500;
const note = shopRows(() => "A paybill");

/** A shop with open orders, a served sandbox, and customers who type. */
async function openShop(...ids: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), "malipo-typed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const sandbox = createSandbox({ clock: "real" });
  const service = await sandbox.serve({ port: 0 });
  const gateway = { apiKey: sandbox.keys.secret, baseUrl: service.baseUrl };
  const file = join(folder, "shop.db");
  const db = sqlite(file);
  const given: string[] = [];
  const checkout = createCheckout({
    ...{ store: db, gateway, secret: sandbox.webhookSecret },
    onPaid: ({ id }) => given.push(id),
  });
  const server = createServer(nodeHandler(checkout.receiver)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    await checkout.stop();
    await db.close();
    await service.close();
  });
  await checkout.start();
  const { mobileMoney, webhooks } = new Gateway(gateway);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await webhooks.register({ name: "shop", url, events: ["payment.completed"] });
  for (const id of ids) await checkout.create({ id, amount: AMOUNT });
  return {
    checkout,
    given,
    type: async (label: string) => {
      const phone = "0712000777";
      await mobileMoney.initiate({ amount: AMOUNT, phone, account_reference: label });
      sandbox.phone(phone).approve();
    },
    /** What `malipo checkout list --review` prints. */
    staffRead: () => {
      const args = ["dist/cli.js", "checkout", "list", "--review", "--store", `sqlite:${file}`];
      return spawnSync(process.execPath, args, { encoding: "utf8" }).stdout;
    },
  };
}

test.each(["ORDER 42", "ORDER_42", "42"])("%j pays the only order that fits", async (label) => {
  const { checkout, given, type } = await openShop("ORDER-42", "OTHER-9");
  await type(label);
  await expect.poll(async () => (await checkout.get("ORDER-42"))?.status).toBe("paid");
  await expect.poll(() => given).toEqual(["ORDER-42"]);
  expect(await checkout.reviews.list()).toEqual([]);
  note("ORDER-42 is paid");
});

test("if two orders fit, staff read what was typed, and both orders", async () => {
  const { checkout, given, type, staffRead } = await openShop("ORDER-42", "INV-42", "OTHER-9");
  await type("42");
  await expect.poll(() => checkout.reviews.list()).toHaveLength(1);
  const read = staffRead();
  expect(read).toContain('Its account reference is "42".');
  expect(read).toMatch(/Orders with one like it: .*ORDER-42 \(open\)/);
  expect(read).toMatch(/Orders with one like it: .*INV-42 \(open\)/);
  expect(read).not.toContain("OTHER-9");
  expect(given).toEqual([]);
  note(read.match(/Its account reference.*/)?.[0]);
});
