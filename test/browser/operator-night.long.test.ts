import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { nodeHandler } from "malipo/node";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { redisIdempotency } from "../../src/idempotency/redis/store.ts";
import { bullmqInbox } from "../../src/webhooks/inbox/bullmq/inbox.ts";
import { OF_EACH, shopNight } from "../operator/shop-night.ts";
import { HOSTILE, nightShift } from "../operator/stage.ts";
import { hasChromium } from "../support/chromium.ts";
import { sharedRedis } from "../support/engines/shared.ts";
import { sqliteIdempotency } from "../support/stores/sqlite-idempotency.ts";
import { sqliteInbox } from "../support/stores/sqlite-inbox.ts";
import { browserForSuite } from "./browser-for-suite.ts";

// A night of an operator, done by the page: see test/cli/inbox-night.long.test.ts for the same by the
// command line.

const SIZE = { orders: 200, replays: 20, lost: 5 };

/** What a person does about each kind of review: its list, words of its row, and the button. */
const REVIEWS = [
  ["twice", "more came", "I have paid it back"],
  ["amount", "The customer paid KES 1.00.", "Give the goods"],
  ["amount", "another currency", "I have paid it back"],
  ["refunds", "canceled", "Give the goods after all"],
  ["late", "two different things", "Keep the order"],
  ["late", "no order", "I have paid it back"],
  ["unknown", "not known whether the customer", "The customer has not paid"],
  ["goods", "It tries again every", "Try again now"],
] as const;

/** How much each list has at first: reviews, and what stands beside them. */
const COUNTS = {
  twice: OF_EACH + 1,
  amount: 2 * OF_EACH,
  late: 2 * OF_EACH,
  refunds: OF_EACH,
  unknown: OF_EACH + SIZE.lost,
  goods: OF_EACH + 1,
  rejected: 0,
  failing: SIZE.orders + 1,
  conflicts: 1,
  tooOld: SIZE.replays,
  dead: 0,
};

const folder = mkdtempSync(join(tmpdir(), "malipo-night-page-"));
const redisEngine = await sharedRedis();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await redisEngine?.stop();
});

const ENGINES = [
  {
    name: "SQLite",
    isHere: true,
    open: () => ({
      inbox: sqliteInbox(join(folder, "inbox.db")),
      idempotency: sqliteIdempotency(join(folder, "payments.db")),
    }),
  },
  {
    name: "Redis",
    isHere: redisEngine !== undefined,
    open: () => ({
      inbox: bullmqInbox({ connection: { url: redisEngine?.url } }),
      idempotency: redisIdempotency(new Redis(redisEngine?.url ?? "")),
    }),
  },
];

describe.each(ENGINES)("a night on $name", ({ isHere, open }) => {
  describe.skipIf(!hasChromium || !isHere)("by the page of an operator, without scripts", () => {
    const browser = browserForSuite();
    let night: Awaited<ReturnType<typeof nightShift>>;
    let shop: Awaited<ReturnType<typeof shopNight>>;
    let server: Server;
    let page: Page;
    let address: string;
    beforeAll(async () => {
      shop = await shopNight();
      const { checkout } = shop;
      const authorize = () => ({ operator: "Amina" });
      night = await nightShift({ actions: true, checkout, authorize }, { ...open(), ...SIZE });
      server = createServer(nodeHandler(night.handler)).listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      page = await (await browser().newContext({ javaScriptEnabled: false })).newPage();
      page.setDefaultTimeout(30_000);
      address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    });
    afterAll(async () => {
      server?.close();
      await night?.receiver.stop();
    });

    const show = async (list: string) => {
      await page.goto(`${address}?list=${list}`);
      return page.getByRole("region").getByRole("heading").locator("small").textContent();
    };
    const rows = () => page.getByRole("region").first().getByRole("listitem");
    /** Opens the first row that has a text, and decides it as a person does. */
    const decide = async (
      text: string | RegExp,
      choice: string | RegExp,
      sure: string | RegExp,
    ) => {
      await rows().filter({ hasText: text }).getByRole("link").first().click();
      await page.getByRole("link", { name: choice }).click();
      await page.getByRole("button", { name: sure }).click();
      return page.getByRole("status").textContent();
    };

    test("the first page counts everything, money first", async () => {
      await page.goto(address);
      const counters = page.getByRole("navigation", { name: "Lists" }).locator("a");
      const counts = await counters.evaluateAll((links) =>
        links.map((one) => [
          new URL((one as HTMLAnchorElement).href).searchParams.get("list"),
          Number(one.querySelector("b")?.textContent),
        ]),
      );
      expect(counts.slice(0, 5).map(([name]) => name)).toEqual(Object.keys(COUNTS).slice(0, 5));
      expect(Object.fromEntries(counts)).toEqual(COUNTS);
    });

    test("one bug is one line, and its orders are below it", async () => {
      expect(await show("failing")).toBe("201");
      const group = rows().filter({ hasText: "no stock for …" }).first();
      expect(await group.textContent()).toContain("200 TypeError: no stock for …");
      await group.getByRole("link").click();
      expect(await rows().first().textContent()).toContain("KES 1,500.00");
      await page.getByRole("link", { name: "Next 25" }).click();
      expect(await rows().count()).toBe(25);
    });

    test("finds one of the last orders, and tells the whole story of its payment", async () => {
      await page.goto(`${address}?q=ORDER-7199`);
      await rows().first().getByRole("link").click();
      const item = page.locator("#item");
      expect(await item.textContent()).toContain("no stock for ORDER-7199");
      expect(await item.textContent()).toContain("completed");
      night.recover(); // the fix is deployed
    });

    test.each(REVIEWS)(
      "reviews in %s, %s: three are decided by clicks",
      async (list, cause, label) => {
        shop.restock(); // the goods are there again
        for (let times = 0; times < OF_EACH; times++) {
          await show(list);
          await decide(cause, `${label}…`, label);
        }
        await show(list);
        expect(await rows().filter({ hasText: cause }).count()).toBe(0);
      },
    );

    test("what was decided about the money of an order stands in its story, with the name", async () => {
      expect(await shop.checkout.reviews.list()).toEqual([]);
      await page.goto(`${address}?q=TWICE-2`);
      await rows().filter({ hasText: "Order TWICE-2" }).getByRole("link").first().click();
      const story = await page.locator("#item").textContent();
      expect(story).toContain("Paid back, by Amina: KES");
      await page.goto(`${address}?decisions=1`);
      const made = page.getByRole("main").getByRole("listitem").filter({ hasText: "Amina done" });
      expect(await made.count()).toBe(REVIEWS.length * OF_EACH);
    });

    test("replays of old events are two causes: one event is processed, the others are dropped", async () => {
      expect(await show("tooOld")).toBe("20");
      expect(await show("dead")).toBe("0");
      await show("tooOld");
      const shown = await decide("ORDER-OLD-2", "Process…", "Process");
      expect(shown).toContain("1 event will be processed again.");
      for (const left of ["2", "0"]) {
        await show("tooOld");
        await rows().first().getByRole("link").click();
        await page.getByRole("link", { name: /^Drop: all/ }).click();
        await page.getByRole("button", { name: /^Drop: all/ }).click();
        expect(await show("tooOld")).toBe(left);
      }
    });

    test("a conflict is decided beside its first version, and a double payment is done", async () => {
      await show("conflicts");
      const shown = await decide("KES 1.00", "Process as a new event…", "Process as a new event");
      expect(shown).toContain("1 event will be processed again.");
      expect(await show("conflicts")).toBe("0");
      await show("twice");
      await decide("PAY-2", "Done…", "Done");
      expect(await show("twice")).toBe("0");
    });

    test("each unknown attempt gets its payment", async () => {
      expect(await show("unknown")).toBe("5");
      for (let number = 2; number <= 6; number++) {
        await show("unknown");
        const shown = await decide(`ORDER-${number}/1`, /^It made PAY-/, /^It made PAY-/);
        expect(shown).toContain("The request is closed: it made PAY-");
      }
      expect(await show("unknown")).toBe("0");
    });

    test("in the morning, each order is shipped once, and nothing is left", async () => {
      const left = async () => ({
        failing: await show("failing"),
        ...(await night.receiver.stats()),
      });
      await expect
        .poll(left, { interval: 1_000 })
        .toMatchObject({ failing: "0", waiting: 0, running: 0 });
      await shop.checkout.reconcile();
      const given = [1, 2, 3].flatMap((number) => [
        `LESS-${number}`,
        `LATE-${number}`,
        `GOODS-${number}`,
      ]);
      expect(shop.given).toEqual(expect.arrayContaining([...given, "GOODS-NEW"]));
      expect(new Set(shop.given).size).toBe(shop.given.length);
      expect(shop.given.filter((id) => id.startsWith("DOLLARS"))).toEqual([]);
      const orders = Array.from({ length: SIZE.orders - 1 }, (_, at) => `ORDER-7${at + 1} 1500.00`);
      const others = [
        "ORDER-1 1500.00",
        "ORDER-1 1.00",
        "ORDER-OLD-2 1500.00",
        `${HOSTILE} 1500.00`,
      ];
      expect(night.shipped.sort()).toEqual([...orders, ...others].sort());
      await page.goto(address);
      expect(await page.textContent("main")).toContain("Nothing waits for a person.");
    });
  });
});
