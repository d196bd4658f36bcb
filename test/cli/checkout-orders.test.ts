import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { type Checkout, type CheckoutStore, createCheckout } from "malipo/checkout";
import { createSandbox } from "malipo/sandbox";
import { signWebhook } from "malipo/webhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedPostgres } from "../support/engines/shared.ts";
import { postgresCheckout } from "../support/stores/postgres-checkout.ts";
import { sqliteCheckout } from "../support/stores/sqlite-checkout.ts";
import { malipo } from "./in-process.ts";

// A project in which pg is installed.
const PROJECT = resolve(fileURLToPath(new URL("../..", import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "malipo-checkout-command-"));
const postgresEngine = await sharedPostgres();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await postgresEngine?.stop();
});

const PHONE = "0712345678";
const file = join(folder, "shop.db");
const sandbox = createSandbox({ seed: 1, clock: "virtual" });

const PLACES: readonly [string, string | undefined, () => CheckoutStore][] = [
  ["SQLite", `sqlite:${file}`, () => sqliteCheckout(file)],
  [
    "PostgreSQL",
    postgresEngine?.url,
    () => postgresCheckout({ connectionString: postgresEngine?.url ?? "" }),
  ],
];

function shop(store: CheckoutStore): Checkout {
  const { baseUrl, fetch, keys, webhookSecret: secret } = sandbox;
  const gateway = { apiKey: keys.secret, baseUrl, fetch };
  // The merchant looks at each part: a payment by hand makes a review.
  const partPayments = "review";
  return createCheckout({
    ...{ store, gateway, secret, partPayments },
    onPaid: () => {},
    onError: () => {},
  });
}

async function deliver(
  checkout: Checkout,
  reference: string,
  accountReference: string,
  amount = "1400.00",
) {
  const data = {
    payment_id: `id of ${reference}`,
    reference,
    status: "completed",
    amount,
    currency: "KES",
    account_reference: accountReference,
  };
  const timestamp = new Date().toISOString();
  const body = JSON.stringify({ event: "payment.completed", timestamp, data });
  const headers = { "x-service-signature": signWebhook(body, sandbox.webhookSecret) };
  expect(await checkout.receiver.handle({ method: "POST", headers, body })).toMatchObject({
    status: 200,
  });
}

for (const [name, url, open] of PLACES) {
  describe.skipIf(url === undefined)(`malipo checkout in ${name}`, () => {
    const run = (...args: string[]) =>
      malipo(["checkout", ...args, "--store", url ?? ""], { cwd: PROJECT });

    beforeAll(async () => {
      const store = open();
      await store.open();
      const checkout = shop(store);
      await checkout.pay({ id: `${name}-1`, amount: 1500, phone: PHONE });
      const { accountReference } = await checkout.create({ id: `${name}-2`, amount: 1500 });
      await deliver(checkout, `PAY-${name}`, accountReference);
      await deliver(checkout, "PAY-STRANGER", "ANOTHER");
      await checkout.stop();
    });

    test("lists orders with their money, and no whole phone", async () => {
      const { code, stdout } = await run("list");
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`${name}-1 +0.00 +1500.00 KES +pending`));
      expect(stdout).toMatch(new RegExp(`${name}-2 .*amount_mismatch`));
      const json = (await run("list", "--json", "--status", "pending")).json();
      expect(json.items.map(({ id }: { id: string }) => id)).toEqual([`${name}-1`]);
    });

    test("lists the reviews, also of payments that belong to no order", async () => {
      const { reviews, items } = (await run("list", "--review", "--json")).json();
      expect(items).toMatchObject([{ id: `${name}-2` }]);
      expect(reviews).toMatchObject([
        { kind: "amount_mismatch", orderId: `${name}-2` },
        { id: "unmatched:PAY-STRANGER" },
      ]);
    });

    test("shows an order with its attempts, their phones masked", async () => {
      const { code, stdout } = await run("show", `${name}-1`);
      expect(code).toBe(0);
      expect(stdout).toContain("0712 *** 678");
      expect(stdout).toContain("0.00 of 1500.00 KES");
      expect(stdout).not.toContain("345678");
    });

    test("takes --env-file, as the other commands do", async () => {
      const file = join(folder, `${name}.env`);
      writeFileSync(file, "MALIPO_PAGE_URL=https://shop.example/pay\n");
      expect(await run("show", `${name}-1`, "--env-file", file)).toMatchObject({ code: 0 });
    });

    test("changes nothing without a yes, and names what it would do", async () => {
      const { code, stderr } = await run("cancel", `${name}-1`);
      expect(code).toBe(2);
      expect(stderr).toContain("add --yes");
      expect((await run("show", `${name}-1`, "--json")).json()).toMatchObject({
        status: "pending",
      });
    });

    test("accepts money: the order is paid, and its goods are left to the shop", async () => {
      const review = `${name}-2:amount_mismatch:PAY-${name}`;
      const { code } = await run("resolve", review, "accept", "--by", "Amina", "--yes");
      expect(code).toBe(0);
      expect((await run("show", `${name}-2`, "--json")).json()).toMatchObject({
        status: "paid",
        effect: "due",
        received: "1400.00",
      });
      expect((await run("cancel", `${name}-2`, "--yes")).code).toBe(1);
    });

    test("says who decided a review first, and what, and changes nothing", async () => {
      const review = `${name}-2:amount_mismatch:PAY-${name}`;
      const { code, stderr } = await run("resolve", review, "refunded", "--by", "Brian", "--yes");
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /Amina has decided the review .* already at 2\d{3}-.*: it was accepted/,
      );
      expect((await run("show", `${name}-2`, "--json")).json()).toMatchObject({
        received: "1400.00",
      });
    });

    test("does not accept a second payment, and ends the goods of one that was paid back", async () => {
      const checkout = shop(open());
      const { accountReference } = (await checkout.get(`${name}-2`)) ?? {};
      await deliver(checkout, `MORE-${name}`, accountReference ?? "", "1600.00");
      await deliver(checkout, `PAY-${name}`, accountReference ?? "", "1300.00");
      await checkout.stop();
      const more = `${name}-2:overpaid:MORE-${name}`;
      const { code, stderr } = await run("resolve", more, "accept", "--yes");
      expect(code).toBe(1);
      expect(stderr).toContain(`the payment "PAY-${name}" has paid the order`);
      const wrong = await run("resolve", more, "dismiss", "--reference", "RB7", "--yes");
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("reference") });
      const note = ["--reference", "RB7", "--reason", "He paid twice.", "--yes"];
      expect((await run("resolve", more, "refunded", ...note)).code).toBe(0);
      expect((await run("show", `${name}-2`, "--json")).json()).toMatchObject({
        refunds: [{ amount: "1600.00", reference: "RB7", reason: "He paid twice." }],
      });
      const paid = `${name}-2:contradiction:PAY-${name}`;
      const { stdout } = await run("resolve", paid, "refunded", "--by", "Brian", "--yes");
      expect(stdout).toContain("The goods of the order are not given any more.");
      expect((await run("show", `${name}-2`, "--json")).json()).toMatchObject({
        ...{ status: "paid", effect: "refunded", received: "0.00", reviews: [] },
      });
      expect((await run("show", `${name}-2`)).stdout).toMatch(/goods +refunded/);
    });

    test("cancels an order, and ends a review that has no order", async () => {
      const cancel = ["cancel", `${name}-1`, "--reason", "paid_elsewhere", "--yes", "--json"];
      expect((await run(...cancel)).json()).toMatchObject({ cancelReason: "paid_elsewhere" });
      const resolve = ["resolve", "unmatched:PAY-STRANGER", "refunded", "--by", "Amina", "--yes"];
      expect((await run(...resolve)).code).toBe(0);
      expect((await run("list", "--review", "--json")).json()).toMatchObject({ reviews: [] });
    });

    test("every decision is in the log of the operator's page, once", async () => {
      const checkout = shop(open());
      const lines = (await checkout.decisions.read()) as Record<"state" | "by" | "about", string>[];
      await checkout.stop();
      const done = lines.filter(({ state }) => state === "done");
      expect(done.map(({ by, about }) => [by, about])).toEqual([
        ["Amina", `${name}-2, PAY-${name}`],
        [undefined, `${name}-2, MORE-${name}`],
        ["Brian", `${name}-2, PAY-${name}`],
        ["Amina", "PAY-STRANGER"],
      ]);
      expect(lines).toHaveLength(3 * done.length);
    });

    test("notes a refund, once, and never more than came", async () => {
      const checkout = shop(open());
      const id = `${name}-3`;
      const { accountReference } = await checkout.create({ id, amount: 1500 });
      await deliver(checkout, `PAY-3-${name}`, accountReference, "1500.00");
      await checkout.stop();
      const refund = (amount: string, ...more: string[]) =>
        run("refund", id, "--amount", amount, "--by", "Amina", "--yes", ...more);
      for (const says of ["500 KES is noted as paid back.", "RB1 was noted before."]) {
        const { code, stdout } = await refund("500", "--reference", "RB1", "--reason", "Less.");
        expect(code).toBe(0);
        expect(stdout).toContain(says);
        expect(stdout).toContain(`This moved no money. 1000.00 KES of ${id} is left.`);
      }
      const none = await run("refund", id, "--by", "Amina", "--yes");
      expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("--amount")]);
      const much = await refund("1000.01");
      expect(much.code).toBe(2);
      expect(much.stderr).toContain("is more than the 1000.00 KES that came");
      const { stdout } = await run("show", id);
      expect(stdout).toMatch(/500\.00 KES +RB1/);
    });

    test("makes an order and its link, which the pay page of the shop opens", async () => {
      const pageUrl = "https://shop.test/pay";
      const secret = "a secret of thirty-two characters";
      const env = { MALIPO_PAGE_SECRET: secret, MALIPO_PAGE_URL: pageUrl };
      const runWith = (...args: string[]) =>
        malipo(["checkout", ...args, "--store", url ?? ""], { env, cwd: PROJECT });
      const id = `${name}-INVOICE`;
      const made = await runWith(
        "create",
        id,
        "--amount",
        "1500",
        "--description",
        "Chairs",
        "--link",
      );
      expect([made.code, made.stderr]).toEqual([0, ""]);
      const again = await runWith("create", id, "--amount", "1500", "--json");
      expect(again.json()).toMatchObject({ id, amount: "1500.00", status: "open" });
      const other = await runWith("create", id, "--amount", "1400");
      expect([other.code, other.stderr]).toEqual([1, expect.stringContaining("1500.00 KES")]);
      const link = await runWith("create", id, "--amount", "1500", "--link", "--days", "2");
      const checkout = shop(open());
      const page = checkout.page({ merchant: { name: "Duka" }, secret, url: pageUrl });
      for (const { stdout } of [made, link]) {
        expect(stdout.trim()).toMatch(/^https:\/\/shop\.test\/pay\/\S+$/);
        const response = await page(new Request(stdout.trim()));
        expect([response.status, await response.text()]).toEqual([
          200,
          // An amount is never broken between two lines.
          expect.stringContaining("KES\u00a01,500.00"),
        ]);
      }
      await checkout.stop();
      const bare = await malipo(
        ["checkout", "create", id, "--amount", "1500", "--link", "--store", url ?? ""],
        { cwd: PROJECT },
      );
      expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("MALIPO_PAGE_URL")]);
    });

    test("an order that is not there fails", async () => {
      expect(await run("show", "STRANGER")).toMatchObject({ code: 1 });
      expect(await run("resolve", "x", "perhaps")).toMatchObject({ code: 2 });
    });
  });
}

test("a file without a checkout is left as it is", async () => {
  const other = join(folder, "other.db");
  new DatabaseSync(other).exec("CREATE TABLE mine (id TEXT)");
  const { code, stderr } = await malipo(["checkout", "list", "--store", `sqlite:${other}`]);
  expect(code).toBe(2);
  expect(stderr).toContain("no orders of a checkout");
  const names = new DatabaseSync(other).prepare("SELECT name FROM sqlite_schema").all();
  expect(names).toEqual([{ name: "mine" }]);
});

test("an order is made in the currency in which the shop has sold before", async () => {
  const file = join(folder, "kampala.db");
  await sqliteCheckout(file).open();
  const url = `sqlite:${file}`;
  const create = async (id: string, ...more: string[]) => {
    const args = ["checkout", "create", id, "--amount", "1500", ...more, "--json", "--store", url];
    return (await malipo(args)).json();
  };
  expect(await create("1", "--currency", "UGX")).toMatchObject({ currency: "UGX" });
  expect(await create("2")).toMatchObject({ currency: "UGX" });
  expect(await create("3", "--currency", "KES")).toMatchObject({ currency: "KES" });
});
