import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bullmqInbox } from "malipo/inbox/bullmq";
import { sqliteInbox } from "malipo/inbox/sqlite";
import { createWebhookReceiver, type Inbox, signWebhook } from "malipo/webhooks";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startRedis } from "../support/engines/redis.ts";
import { malipo } from "./command-line.ts";

// A night of an operator: handlers fail, a conflict and a double payment came in, and replays of old
// events wait for a person.

const PROJECT = resolve(fileURLToPath(new URL("../..", import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "malipo-night-"));
const redisEngine = await startRedis();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await redisEngine?.stop();
});

const SECRET = "whsec_night";
const FAILING = 20;

/** A signed delivery about a payment. */
function delivery(reference: string, data: object = {}, timestamp = new Date()) {
  const body = JSON.stringify({
    event: "payment.completed",
    timestamp: timestamp.toISOString(),
    data: { reference, status: "completed", amount: "100.00", ...data },
  });
  const headers = { "x-service-signature": signWebhook(body, SECRET) };
  return { method: "POST", headers, body };
}

async function fill(inbox: Inbox): Promise<void> {
  const options = { onError: () => {}, onConflict: () => {}, onDoublePayment: () => {} };
  const receiver = createWebhookReceiver({ secret: SECRET, inbox, ...options });
  receiver.on("payment.completed", ({ data: { reference } }) => {
    if (reference === "PAY-LATE") throw new Error(`No order for ${reference}`);
    if (reference.startsWith("PAY-7")) throw new Error(`Out of stock: order ORDER-${reference}`);
  });
  const handle = async (...given: Parameters<typeof delivery>) =>
    expect((await receiver.handle(delivery(...given))).status).toBe(200);
  for (let number = 0; number < FAILING; number++) {
    await handle(`PAY-7${number}`, { account_reference: `ORDER-7${number}` });
  }
  await handle("PAY-LATE");
  await handle("PAY-70", { amount: "999.00" });
  await handle("PAY-81", { account_reference: "ORDER-8" });
  await handle("PAY-82", { account_reference: "ORDER-8" });
  await handle("PAY-OLD", {}, new Date("2020-01-01T09:00:00Z"));
  await receiver.start();
  const expected = { retrying: FAILING + 1, running: 0 };
  const isFailing = async () => expect(await receiver.stats()).toMatchObject(expected);
  await vi.waitFor(isFailing, { timeout: 20_000 });
  await receiver.stop();
}

const file = join(folder, "inbox.db");
const PLACES = [
  {
    name: "SQLite",
    store: `sqlite:${file}`,
    open: () => sqliteInbox(file),
    close: (inbox: Inbox) => (inbox as ReturnType<typeof sqliteInbox>).close(),
  },
  {
    name: "Redis",
    store: redisEngine?.url,
    open: () => bullmqInbox({ connection: { url: redisEngine?.url } }),
    close: (inbox: Inbox) => inbox.stop(0),
  },
];

for (const { name, store = "", open, close } of PLACES) {
  describe.skipIf(store === "")(`a night on ${name}`, { timeout: 70_000 }, () => {
    const run = (...args: string[]) =>
      malipo(["inbox", ...args, "--store", store], { cwd: PROJECT });

    beforeAll(async () => {
      const inbox = open();
      await fill(inbox);
      await close(inbox);
    }, 60_000);

    test("stats counts what fails now, what is dead and the conflicts", async () => {
      const { json } = await run("stats", "--json");
      expect(json()).toMatchObject({
        retrying: FAILING + 1,
        waiting: FAILING + 1,
        dead: 1,
        conflicts: 1,
        oldestRetrying: expect.stringMatching(/^20\d\d-/),
      });
      expect((await run("stats")).stdout).toMatch(/retrying +21\n/);
    });

    test("events that fail now are listed as work, with order and amount, and grouped by error", async () => {
      const { stdout } = await run("list", "--retrying", "--limit", "2");
      expect(stdout).toMatch(/PAY-70 +ORDER-70 +100\.00 +\d +\w{7,} +Error: Out of stock/);
      expect(stdout).toContain(`\n2 of ${FAILING + 1} retrying events.`);
      const { groups } = (await run("list", "--retrying", "--group-by", "error", "--json")).json();
      expect(groups).toMatchObject([
        { count: FAILING, kind: "payment.completed", error: "Error: Out of stock: order …" },
        { count: 1, error: "Error: No order for PAY-LATE" },
      ]);
      const all = (await run("list", "--waiting", "--json")).json();
      expect(all.total).toBe(FAILING + 1);
    });

    test("a beginning of an id that two events have is rejected with both ids", async () => {
      const { items } = (await run("list", "--waiting", "--json")).json();
      const beginnings = items.map(({ id }: { id: string }) => id.slice(0, 1));
      const shared = beginnings.find((one: string, at: number) => beginnings.indexOf(one) < at);
      const { code, stderr } = await run("show", shared, "--waiting");
      expect([code, stderr]).toEqual([2, expect.stringContaining("Give more of the id")]);
    });

    test("requeue --all leaves out replays of old events, and changes nothing without a yes", async () => {
      const nothing = await run("requeue", "--all");
      expect(nothing.stderr).toContain("1 dead letter that no handler was given");
      expect(nothing.stdout).toBe("No dead letter matches.\n");
      const asked = await run("requeue", "--all", "--never-tried");
      expect([asked.code, asked.stderr]).toEqual([
        2,
        expect.stringMatching(/1 dead letter would be requeued.*To do it, add --yes/s),
      ]);
      const dry = await run("requeue", "--all", "--never-tried", "--dry-run", "--json");
      expect(dry.json()).toEqual({ requeued: [], ids: [expect.any(String)] });
      expect((await run("stats", "--json")).json().dead).toBe(1);
    });

    test("double payments are listed once a pair, and dropped", async () => {
      const { stdout } = await run("list", "--double-payments");
      expect(stdout).toMatch(/account_reference +ORDER-8 +PAY-81, PAY-82/);
      expect(stdout).toContain("\n1 of 1 double payment.\n");
      const { items } = (await run("list", "--double-payments", "--json")).json();
      const short = items[0].id.slice(0, 8);
      const dropped = await run("drop", short, "--double-payments");
      expect(dropped.stdout).toBe("1 double payment is dropped.\n");
      expect((await run("list", "--double-payments")).stdout).toBe("No double payments.\n");
    });
  });
}
