import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { createWebhookReceiver, type Inbox, signWebhook } from "malipo/webhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { redisIdempotency } from "../../src/idempotency/redis/store.ts";
import { bullmqInbox } from "../../src/webhooks/inbox/bullmq/inbox.ts";
import { until } from "../suites/inbox-stage.ts";
import { sharedRedis } from "../support/engines/shared.ts";
import { sqliteIdempotency } from "../support/stores/sqlite-idempotency.ts";
import { sqliteInbox } from "../support/stores/sqlite-inbox.ts";
import { malipo, type Running, startSandbox } from "./in-process.ts";

// A night of an operator, survived with only the command line: handlers fail, a conflict and a double
// payment came in, a replay of an old event waits for a person, and five payments have no known outcome.

const PROJECT = resolve(fileURLToPath(new URL("../..", import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "malipo-night-"));
const redisEngine = await sharedRedis();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await redisEngine?.stop();
});

const SECRET = "whsec_night";
const FAILING = 200;

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

const QUIET = { onError: () => {}, onConflict: () => {}, onDoublePayment: () => {} };

async function fill(inbox: Inbox): Promise<void> {
  const receiver = createWebhookReceiver({ secret: SECRET, inbox, ...QUIET });
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
  await until(async () => {
    const { retrying, running } = await receiver.stats();
    return retrying === FAILING + 1 && running === 0;
  });
  await receiver.stop();
}

/** The receiver after the fix: processes what waits, and returns the payments. */
async function process(inbox: Inbox): Promise<unknown[]> {
  const handled: unknown[] = [];
  const receiver = createWebhookReceiver({ secret: SECRET, inbox, ...QUIET });
  receiver.on("payment.completed", ({ data }) => {
    handled.push(`${data.reference} ${data.amount}`);
  });
  await receiver.start();
  await expect.poll(() => receiver.stats()).toMatchObject({ waiting: 0, running: 0 });
  await receiver.stop();
  return handled;
}

const MANY = 2_500;

const addDouble = (inbox: Inbox, number: number) =>
  inbox.doublePayments?.add({
    id: createHash("sha256").update(`pair ${number}`).digest("hex"),
    receivedAt: Date.now() - 1_000_000 + number,
    by: "account_reference",
    value: `ORDER-${number}`,
    references: [`PAY-${number}a`, `PAY-${number}b`],
    merchant: number % 100 === 0 ? "duka-2" : "duka-1",
  });

const ENDPOINT = "POST /mobile-money/payment/initiate";
type Attempts = ReturnType<typeof redisIdempotency>;

/** An attempt whose response was lost, and whose request cannot be on its way any more. */
async function lose(store: Attempts, sandbox: Running, order: number): Promise<void> {
  const idempotencyKey = `ORDER-${order}/1`;
  const name = `${ENDPOINT} ${idempotencyKey}`;
  const owner = `owner of ${idempotencyKey}`;
  await store.begin(name, {
    parameters: "{}",
    owner,
    leaseMs: -5_000,
    endpoint: ENDPOINT,
    idempotencyKey,
    baseUrl: sandbox.ready.base_url,
    payment: { accountReference: `ORDER-${order}`, amount: "15.00", phone: `7123456${order}` },
  });
  await store.finish(name, owner, { state: "unknown" });
}

/** What the service did with the lost requests: nothing with ORDER-95, and ORDER-94 was paid twice. */
async function charge(sandbox: Running): Promise<Map<number, string[]>> {
  const made = new Map<number, string[]>();
  for (const order of [91, 92, 93, 94, 94]) {
    const phone = `07123456${order}`;
    const response = await sandbox.call("POST", "/mobile-money/payment/initiate", {
      ...{ amount: 15, phone, account_reference: `ORDER-${order}` },
    });
    const { data } = await response.json();
    made.set(order, [...(made.get(order) ?? []), data.reference]);
    await malipo(["phone", "approve", phone, ...sandbox.url]);
  }
  return made;
}

let sandbox: Running;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

const file = join(folder, "inbox.db");
const attemptsFile = join(folder, "payments.db");
const PLACES = [
  {
    name: "SQLite",
    store: `sqlite:${file}`,
    open: () => sqliteInbox(file),
    close: (inbox: Inbox) => (inbox as ReturnType<typeof sqliteInbox>).close(),
    attemptsStore: `sqlite:${attemptsFile}`,
    openAttempts: () => {
      const store = sqliteIdempotency(attemptsFile);
      return { store: store as Attempts, end: () => store.close() };
    },
  },
  {
    name: "Redis",
    store: redisEngine?.url,
    open: () => bullmqInbox({ connection: { url: redisEngine?.url } }),
    close: (inbox: Inbox) => inbox.stop(0),
    attemptsStore: redisEngine?.url,
    openAttempts: () => {
      const redis = new Redis(redisEngine?.url ?? "");
      return { store: redisIdempotency(redis), end: () => redis.disconnect() };
    },
  },
];

for (const place of PLACES) {
  const { name, store = "", open, close, attemptsStore = "", openAttempts } = place;
  describe.skipIf(store === "")(`a night on ${name}`, () => {
    const run = (...args: string[]) =>
      malipo(["inbox", ...args, "--store", store], { cwd: PROJECT });
    const attempts = (...args: string[]) =>
      malipo(["attempts", ...args, "--store", attemptsStore], { cwd: PROJECT, env: sandbox.env });

    beforeAll(async () => {
      const inbox = open();
      await fill(inbox);
      await close(inbox);
    }, 90_000);

    test("stats counts what fails now, what is dead and the conflicts", async () => {
      const { json } = await run("stats", "--json");
      expect(json()).toMatchObject({
        retrying: FAILING + 1,
        waiting: FAILING + 1,
        dead: 1,
        conflicts: 1,
        oldestRetrying: expect.stringMatching(/^20\d\d-/),
      });
      expect((await run("stats")).stdout).toMatch(/retrying +201\n/);
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
      expect(all.items).toHaveLength(100);
      const rest = (await run("list", "--waiting", "--after", all.next, "--json")).json();
      expect(rest.items).toHaveLength(100);
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

    test("a conflict is shown with its body, and requeued by a beginning of its id", async () => {
      const { stdout } = await run("list", "--conflicts");
      expect(stdout).toMatch(/PAY-70 +999\.00 +\w{7,}/);
      const { items } = (await run("list", "--conflicts", "--json")).json();
      const short = items[0].id.slice(0, 12);
      const shown = await run("show", short, "--conflicts");
      expect(shown.stdout).toContain('"amount":"999.00"');
      const dry = await run("requeue", short, "--conflicts", "--dry-run");
      expect(dry.stderr).toContain("1 conflict would be requeued:\n");
      expect(dry.stdout).toBe("Nothing was changed.\n");
      const requeued = await run("requeue", short, "--conflicts");
      expect(requeued.stdout).toBe("1 conflict is requeued.\n");
    });

    test("the replay of an old event is read, and dropped after it was shown", async () => {
      const { stdout } = await run("list");
      expect(stdout).toMatch(/PAY-OLD +100\.00[\s\S]*\n1 of 1 dead letter\.\n$/);
      const dry = await run("drop", "--all", "--dry-run");
      expect(dry.stderr).toMatch(/1 dead letter would be dropped:\ncount +oldest/);
      const dropped = await run("drop", "--all", "--yes");
      expect(dropped.stderr).toContain("1 dead letter would be dropped:\n");
      expect(dropped.stdout).toBe("1 dead letter is dropped.\n");
    });

    test("five attempts of unknown outcome are resolved, and none before it was shown", async () => {
      await malipo(["reset", ...sandbox.url]);
      const { store: records, end } = openAttempts();
      for (const order of [91, 92, 93, 94, 95]) await lose(records, sandbox, order);
      await end();
      const made = await charge(sandbox);
      const unknown = async () => (await attempts("list", "--state", "unknown", "--json")).json();
      expect((await unknown()).items).toHaveLength(5);

      const asked = await attempts("resolve-unknown");
      expect([asked.code, asked.stdout]).toEqual([2, ""]);
      expect(asked.stderr).toContain("3 attempts would be resolved:\n");
      expect(asked.stderr).toMatch(new RegExp(`ORDER-91/1 +resolved +${made.get(91)}\n`));
      expect((await unknown()).items).toHaveLength(5);

      const { stdout } = await attempts("resolve-unknown", "--yes");
      expect(stdout).toMatch(new RegExp(`ORDER-93/1 +resolved +${made.get(93)}\n`));
      expect(stdout).toMatch(/ORDER-94\/1 +unclear +PAY-\w+, PAY-\w+\n/);
      expect(stdout).toMatch(/ORDER-95\/1 +none/);

      // The rest is for a person: which of two payments, and whether there is none.
      const [first = ""] = made.get(94) ?? [];
      expect((await attempts("resolve", "ORDER-94/1", "PAY-OTHER")).code).toBe(1);
      expect((await attempts("resolve", "ORDER-94/1", first)).code).toBe(0);
      expect((await attempts("resolve", "ORDER-95/1", "not_sent")).code).toBe(0);
      expect((await attempts("list", "--state", "unknown")).stdout).toBe("No attempts.\n");
    });

    test("in the morning, the fixed receiver has processed each event once, and nothing is left", async () => {
      const inbox = open();
      const handled = await process(inbox);
      await close(inbox);
      const failed = Array.from({ length: FAILING }, (_, number) => `PAY-7${number} 100.00`);
      const expected = [...failed, "PAY-LATE 100.00", "PAY-70 999.00"];
      expect(handled.sort()).toEqual(expected.sort());
      expect((await run("stats", "--json")).json()).toMatchObject({
        ...{ waiting: 0, retrying: 0, running: 0, dead: 0, conflicts: 0 },
      });
    });

    test("many double payments are listed by pages, with the merchant of each, and dropped", async () => {
      const inbox = open();
      for (let from = 0; from < MANY; from += 500) {
        await Promise.all(Array.from({ length: 500 }, (_, at) => addDouble(inbox, from + at)));
      }
      await close(inbox);
      const ids = new Set<string>();
      const merchants = new Map<string, number>();
      let after: string[] = [];
      let pages = 0;
      do {
        const list = ["list", "--double-payments", "--limit", "1000", "--json"];
        const page = (await run(...list, ...after)).json();
        expect(page.total).toBe(MANY);
        for (const { id, merchant } of page.items) {
          ids.add(id);
          merchants.set(merchant, (merchants.get(merchant) ?? 0) + 1);
        }
        after = page.next === undefined ? [] : ["--after", page.next];
        pages++;
      } while (after.length > 0);
      expect([pages, ids.size]).toEqual([3, MANY]);
      // One merchant with nearly all of them hides none of the other.
      expect(merchants.get("duka-2")).toBe(MANY / 100);
      const text = (await run("list", "--double-payments", "--limit", "1")).stdout;
      expect(text).toMatch(/payments +merchant +id/);
      expect(text).toMatch(
        /PAY-0a, PAY-0b +duka-2 +\w{7,}\n1 of 2500 double payments\. More: --after /,
      );
      const dropped = await run("drop", "--all", "--double-payments", "--yes");
      expect(dropped.stderr).toContain(`${MANY} double payments would be dropped:\n`);
      expect((await run("list", "--double-payments")).stdout).toBe("No double payments.\n");
    });
  });
}
