import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { redisIdempotency } from "malipo/idempotency/redis";
import { sqliteIdempotency } from "malipo/idempotency/sqlite";
import { bullmqInbox } from "malipo/inbox/bullmq";
import { sqliteInbox } from "malipo/inbox/sqlite";
import { onNode } from "malipo/operator";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { HOSTILE, nightShift } from "../operator/stage.ts";
import { hasChromium } from "../support/chromium.ts";
import { startRedis } from "../support/engines/redis.ts";
import { browserForSuite } from "./browser-for-suite.ts";

// A night of an operator, done by the page: see test/cli/inbox-night.test.ts for the same by the
// command line.

const SIZE = { orders: 200, replays: 20, lost: 5 };

const folder = mkdtempSync(join(tmpdir(), "malipo-night-page-"));
const redisEngine = await startRedis();
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

describe.each(ENGINES)("a night on $name", { timeout: 90_000 }, ({ isHere, open }) => {
  describe.skipIf(!hasChromium || !isHere)("by the page of an operator, without scripts", () => {
    const browser = browserForSuite();
    let night: Awaited<ReturnType<typeof nightShift>>;
    let server: Server;
    let page: Page;
    beforeAll(async () => {
      night = await nightShift({ actions: true }, { ...open(), ...SIZE });
      server = createServer(onNode(night.handler)).listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      page = await (await browser().newContext({ javaScriptEnabled: false })).newPage();
      page.setDefaultTimeout(5_000);
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    }, 60_000);
    afterAll(async () => {
      server?.close();
      await night?.receiver.stop();
    });

    const list = (name: string) => page.getByRole("region", { name });
    const count = (name: string) => list(name).getByRole("heading").locator("small").textContent();
    const rows = (name: string) => list(name).getByRole("listitem");
    const press = async (name: string, button: string) => {
      await list(name).getByRole("button", { name: button, exact: true }).first().click();
      return page.getByRole("status").textContent();
    };

    test("one bug is one line, and its orders are below it", async () => {
      expect(await count("Failing now")).toBe("201");
      const groups = list("Failing now").locator("summary");
      expect(await groups.allTextContents()).toEqual([
        "200TypeError: no stock for …",
        `1TypeError: no stock for ${HOSTILE}`,
      ]);
      await groups.first().click();
      expect(await rows("Failing now").filter({ hasText: "order ORDER-7123" }).count()).toBe(1);
    });

    test("tells the whole story of one payment, though it is one of the last", async () => {
      const row = rows("Failing now").filter({ hasText: "order ORDER-7199" });
      const reference = await row.getByRole("link").textContent();
      await row.getByRole("link").click();
      expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
        `Payment ${reference}`,
        "Its events that wait 1",
      ]);
      expect(await list("Its events").textContent()).toContain("no stock for ORDER-7199");
      expect(await list(`Payment ${reference}`).textContent()).toContain("completed");
      await page.getByRole("link", { name: "Everything" }).click();
      night.recover(); // the fix is deployed
    });

    test("replays of old events are two lines: one event is processed, the others are dropped at once", async () => {
      expect(await count("Dead letters")).toBe("20");
      expect(await list("Dead letters").locator("summary .badge").allTextContents()).toEqual([
        "18",
        "2",
      ]);
      await list("Dead letters").locator("summary").first().click();
      const requeued = await press("Dead letters", "Process again");
      expect(requeued).toBe("What you chose is processed again.");
      expect(new URL(page.url()).hash).toBe("#deadLetters");
      await list("Dead letters").locator("summary").first().click();
      await press("Dead letters", "Drop: all 17");
      expect(await count("Dead letters")).toBe("2");
      await press("Dead letters", "Drop: all 2");
      expect(await count("Dead letters")).toBe("0");
    });

    test("a conflict is decided, and a double payment is done", async () => {
      expect(await rows("Conflicts").textContent()).toContain("KES 1.00 order ORDER-1");
      await press("Conflicts", "Process as a new event");
      expect(await count("Conflicts")).toBe("0");
      expect(await rows("Double payments").textContent()).toContain("PAY-2");
      await press("Double payments", "Done");
      expect(await count("Double payments")).toBe("0");
    });

    test("each unknown attempt gets its payment", async () => {
      expect(await count("Unknown attempts")).toBe("5");
      for (let number = 2; number <= 6; number++) {
        const row = rows("Unknown attempts").filter({ hasText: `ORDER-${number}/1` });
        expect(await row.getByRole("button").count()).toBe(1);
        await row.getByRole("button", { name: /^It made PAY-/ }).click();
        expect(await page.getByRole("status").textContent()).toBe("The attempt is resolved.");
      }
      expect(await count("Unknown attempts")).toBe("0");
    });

    test("in the morning, each order is shipped once, and nothing is left", async () => {
      const isEmpty = async () => {
        await page.reload();
        expect(await count("Failing now")).toBe("0");
        expect(await night.receiver.stats()).toMatchObject({ waiting: 0, running: 0 });
      };
      await vi.waitFor(isEmpty, { timeout: 80_000, interval: 1_000 });
      const orders = Array.from({ length: SIZE.orders - 1 }, (_, at) => `ORDER-7${at + 1} 1500.00`);
      const others = [
        "ORDER-1 1500.00",
        "ORDER-1 1.00",
        "ORDER-OLD-2 1500.00",
        `${HOSTILE} 1500.00`,
      ];
      expect(night.shipped.sort()).toEqual([...orders, ...others].sort());
      for (const name of ["Dead letters", "Conflicts", "Double payments", "Unknown attempts"]) {
        expect(await list(name).textContent()).toContain("None.");
      }
    });
  });
});
