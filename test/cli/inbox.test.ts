import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import type { NewDelivery } from "malipo/types";
import { type Inbox, signWebhook } from "malipo/webhooks";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bullmqInbox } from "../../src/webhooks/inbox/bullmq/inbox.ts";
import { newDelivery } from "../suites/inbox-stage.ts";
import { sharedPostgres, sharedRedis } from "../support/engines/shared.ts";
import { postgresInbox } from "../support/stores/postgres-inbox.ts";
import { sqliteInbox } from "../support/stores/sqlite-inbox.ts";
import { startReceiver } from "./command-line.ts";
import { malipo } from "./in-process.ts";

// A project in which the packages of the engines are installed.
const PROJECT = resolve(fileURLToPath(new URL("../..", import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "malipo-inbox-command-"));
const redisEngine = await sharedRedis();
const postgresEngine = await sharedPostgres();
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await redisEngine?.stop();
  await postgresEngine?.stop();
});

const DAY_MS = 86_400_000;
const NOW = Date.now();
const NASTY = "no \u001b]0;stock\u0007\nROW\u202e \u009b2J";

/** A dead letter that was received some days ago. */
function dead(number: number, daysAgo: number, given: Partial<NewDelivery> = {}): NewDelivery {
  const event = number % 2 === 0 ? "invoice.paid" : "payment.completed";
  const raw = Buffer.from(
    JSON.stringify({
      event,
      data: {
        reference: `PAY-${number}`,
        account_reference: `ORDER-${number}`,
        amount: `${number}00.00`,
        text: NASTY,
      },
    }),
  );
  return newDelivery(number, {
    key: createHash("sha256").update(`event ${number}`).digest("hex"),
    event,
    raw,
    signature: signWebhook(raw, "whsec_1"),
    receivedAt: NOW - daysAgo * DAY_MS,
    deadLetterReason: `Error: ${NASTY}`,
    ...given,
  });
}

async function fill(inbox: Inbox): Promise<void> {
  for (const [number, daysAgo] of [4, 3, 2, 1].entries()) {
    await inbox.accept(dead(number + 1, daysAgo));
  }
  await inbox.accept({ ...dead(1, 0), digest: newDelivery(9).digest });
}

interface InboxOfTest {
  readonly name: string;
  readonly here: boolean;
  readonly flags: readonly string[];
  open(): Inbox;
  close(inbox: Inbox): unknown;
  /** How long the event of a key is still remembered, in milliseconds. */
  remembersFor(key: string): Promise<number>;
}

const QUEUE = "shop-webhooks";
const file = join(folder, "inbox.db");
const retentionMs = 30 * DAY_MS;

const INBOXES: readonly InboxOfTest[] = [
  {
    name: "SQLite",
    here: true,
    flags: ["--store", `sqlite:${file}`],
    open: () => sqliteInbox(file, { retentionMs }),
    close: (inbox) => (inbox as ReturnType<typeof sqliteInbox>).close(),
    remembersFor: async (key) => {
      const database = new DatabaseSync(file);
      const forgetAt = "SELECT forget_at AS at FROM malipo_inbox WHERE key = ?";
      const row = database.prepare(forgetAt).get(Buffer.from(key, "hex"));
      database.close();
      return Number(row?.at) - Date.now();
    },
  },
  {
    name: "Redis",
    here: redisEngine !== undefined,
    flags: ["--store", redisEngine?.url ?? "", "--queue", QUEUE],
    open: () => bullmqInbox({ connection: { url: redisEngine?.url }, queue: QUEUE, retentionMs }),
    close: (inbox) => inbox.stop(0),
    remembersFor: async (key) => {
      const redis = new Redis(redisEngine?.url ?? "");
      const kinds = ["invoice.paid", "payment.completed"];
      const lives = kinds.map((kind) => redis.pttl(`{${QUEUE}-${kind}}:${key}`));
      return Math.max(...(await Promise.all(lives).finally(() => redis.disconnect())));
    },
  },
  {
    name: "PostgreSQL",
    here: postgresEngine !== undefined,
    flags: ["--store", postgresEngine?.url ?? "", "--schema", "shop_jobs"],
    open: () =>
      postgresInbox({
        connectionString: postgresEngine?.url ?? "",
        schema: "shop_jobs",
        retentionMs,
      }),
    close: (inbox) => inbox.stop(0),
    remembersFor: async (key) => {
      const pool = new pg.Pool({ connectionString: postgresEngine?.url });
      const text = `SELECT forget_at AS at FROM shop_jobs.inbox WHERE key = $1`;
      const { rows } = await pool.query(text, [Buffer.from(key, "hex")]);
      await pool.end();
      return Number(rows[0]?.at) - Date.now();
    },
  },
];

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

for (const place of INBOXES) {
  describe.skipIf(!place.here)(`malipo inbox on ${place.name}`, () => {
    const run = (...args: string[]) => malipo(["inbox", ...args, ...place.flags], { cwd: PROJECT });
    const ids = async (...args: string[]) =>
      (await run("list", "--json", ...args)).json().items.map(({ id }: { id: string }) => id);

    beforeAll(async () => {
      const inbox = place.open();
      await fill(inbox);
      await place.close(inbox);
    });

    test("lists in pages and by kind and time, without bodies, and processes nothing", async () => {
      const all = await run("list", "--json");
      expect(all).toMatchObject({ code: 0, stderr: "" });
      expect(all.json().items).toHaveLength(4);
      expect(all.json().items[0]).toEqual({
        id: expect.any(String),
        event: "payment.completed",
        attempts: 0,
        error: expect.stringContaining("stock"),
        receivedAt: new Date(dead(1, 4).receivedAt).toISOString(),
        signature: dead(1, 4).signature,
        reference: "PAY-1",
        account_reference: "ORDER-1",
        amount: "100.00",
      });
      expect(all.json().total).toBe(4);
      const [first, second, third, fourth] = await ids();
      expect(await ids("--kind", "invoice.paid")).toEqual([second, fourth]);
      expect(await ids("--since", "60h")).toEqual([third, fourth]);
      expect(await ids("--until", new Date(NOW - 2 * DAY_MS).toISOString())).toEqual([
        first,
        second,
      ]);
      const page = (await run("list", "--json", "--limit", "3")).json();
      expect(await ids("--after", page.next)).toEqual([fourth]);
      expect((await run("list", "--kind", "none")).stdout).toBe("No dead letters.\n");
      expect(await ids("--conflicts")).toHaveLength(1);
    });

    test("shows one with its body, and no control character reaches the terminal", async () => {
      const [first = ""] = await ids();
      const listed = await run("list");
      expect(listed.stdout.split("\n")).toHaveLength(7);
      expect(listed.stdout).toMatch(/PAY-1 +ORDER-1 +100\.00 +0 +\w{7} /);
      expect(listed.stdout).toContain("\n4 of 4 dead letters.\n");
      const short = / (\w{7}) +Error/.exec(listed.stdout)?.[1] ?? "";
      expect((await run("show", short)).stdout).toContain(first);
      const shown = await run("show", first);
      expect(shown.stdout).toContain('"reference":"PAY-1"');
      const json = await run("show", first, "--json");
      expect(json.json().body).toBe(Buffer.from(dead(1, 4).raw).toString());
      for (const { stdout } of [listed, shown, json, await run("list", "--json")]) {
        expect(stdout).not.toMatch(CONTROL);
      }
    });

    test("replays stored bytes with their signature to a receiver on this machine", async () => {
      const receiver = await startReceiver((_, response) => {
        response.writeHead(receiver.received.length === 1 ? 200 : 500).end(NASTY);
      });
      const [first = "", , third = ""] = await ids();
      const replayed = await run("replay", third, first, "--to", receiver.url);
      expect(replayed.code).toBe(1);
      expect(replayed.stdout).toMatch(/^200 .*\n500 /m);
      expect(replayed.stdout).not.toMatch(CONTROL);
      expect(receiver.received.map(({ body }) => body.toString())).toEqual(
        [dead(3, 2), dead(1, 4)].map(({ raw }) => Buffer.from(raw).toString()),
      );
      expect(receiver.received[0]?.headers["x-service-signature"]).toBe(dead(3, 2).signature);
      expect(await ids()).toHaveLength(4);
      receiver.close();
    });

    test("requeues and drops one, and all that match", async () => {
      const [first = "", second = ""] = await ids();
      const unknown = await run("requeue", first, "none");
      expect(unknown).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('no dead letter "none"'),
      });
      expect(await ids()).toHaveLength(4);
      expect((await run("requeue", first)).stdout).toBe("1 dead letter is requeued.\n");
      expect((await run("drop", second)).stdout).toBe("1 dead letter is dropped.\n");
      // As long as the shop says, not as long as the default of this command.
      expect((await place.remembersFor(second)) / DAY_MS).toBeCloseTo(30, 1);
      const dropped = await run("drop", "--all", "--kind", "invoice.paid", "--json", "--yes");
      expect(dropped.json().dropped).toHaveLength(1);
      expect(await ids()).toHaveLength(1);
      const all = ["requeue", "--all", "--never-tried", "--yes"];
      expect((await run(...all)).stdout).toBe("1 dead letter is requeued.\n");
      expect((await run(...all)).stdout).toBe("No dead letter matches.\n");
      const conflicts = ["drop", "--all", "--conflicts", "--yes"];
      expect((await run(...conflicts)).stdout).toBe("1 conflict is dropped.\n");

      const inbox = place.open();
      const processed: string[] = [];
      await inbox.start({
        run: async ({ key }) => void processed.push(key),
        concurrency: 1,
        onError: () => {},
      });
      await expect.poll(() => processed.length).toBe(2);
      expect(processed.sort()).toEqual([dead(1, 4).key, dead(3, 2).key].sort());
      await inbox.stop(1_000);
      if (place.name === "SQLite") await place.close(inbox);
    });
  });
}

describe("malipo inbox", () => {
  const run = (...args: string[]) => malipo(["inbox", ...args], { cwd: PROJECT });

  test.each([
    ["no inbox", ["list"], /--store is required/],
    ["another engine", ["list", "--store", "inbox.db"], /--store must start with sqlite:/],
    ["two lists", ["list", "--conflicts", "--waiting", "--store", `sqlite:${file}`], /only one of/],
    [
      "a flag of another inbox",
      ["list", "--store", `sqlite:${file}`, "--queue", "a"],
      /--queue does not go with --store sqlite/,
    ],
    [
      "a time without an offset",
      ["list", "--store", `sqlite:${file}`, "--since", "2026-01-02T03:04"],
      /--since must be/,
    ],
    ["ids and --all", ["drop", "a", "--all", "--store", `sqlite:${file}`], /either ids or --all/],
    ["neither ids nor --all", ["drop", "--store", `sqlite:${file}`], /Name the ids, or give --all/],
    [
      "a filter without --all",
      ["drop", "a", "--kind", "b", "--store", `sqlite:${file}`],
      /--kind goes with --all/,
    ],
    ["no receiver", ["replay", "a", "--store", `sqlite:${file}`], /--to is required/],
    [
      "a receiver elsewhere",
      ["replay", "a", "--store", `sqlite:${file}`, "--to", "https://shop.example/webhooks"],
      /https:\/\/shop\.example is not this machine.*--remote/,
    ],
  ])("with %s says what is wrong", async (_, args, message) => {
    const { code, stderr } = await run(...args);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  test("sends to another machine with --remote", async () => {
    const path = join(folder, "remote.db");
    const inbox = sqliteInbox(path);
    await inbox.accept(dead(1, 1));
    inbox.close();
    const args = [
      "replay",
      dead(1, 1).key,
      "--store",
      `sqlite:${path}`,
      "--to",
      "http://malipo.invalid/",
    ];
    const { code, stderr } = await run(...args, "--remote");
    expect(code).toBe(3);
    expect(stderr).toContain("Could not reach http://malipo.invalid/");
  });

  test("neither creates a file nor makes an inbox of another file", async () => {
    const missing = join(folder, "missing.db");
    expect((await run("list", "--store", `sqlite:${missing}`)).stderr).toContain(
      `there is no file ${missing}`,
    );
    expect(existsSync(missing)).toBe(false);
    const other = join(folder, "other.db");
    const database = new DatabaseSync(other);
    database.exec("CREATE TABLE orders (id)");
    const { code, stderr } = await run("list", "--store", `sqlite:${other}`);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("There is no inbox"),
    });
    const tables = database.prepare("SELECT name FROM sqlite_schema").all();
    expect(tables).toEqual([{ name: "orders" }]);
    database.close();
    const text = join(folder, "text.db");
    writeFileSync(text, "Dear diary,\n".repeat(100));
    expect((await run("list", "--store", `sqlite:${text}`)).stderr).toContain("not a database");
  });

  test.skipIf(redisEngine === undefined)("creates no queue in Redis", async () => {
    const redis = new Redis(redisEngine?.url ?? "");
    const before = (await redis.keys("*none*")).length;
    const { code, stderr } = await run(
      "list",
      "--store",
      redisEngine?.url ?? "",
      "--queue",
      "none",
    );
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("queue none") });
    expect(await redis.keys("*none*")).toHaveLength(before);
    redis.disconnect();
  });

  test.skipIf(postgresEngine === undefined)("creates nothing in PostgreSQL", async () => {
    const url = postgresEngine?.url ?? "";
    const pool = new pg.Pool({ connectionString: url });
    const schemas = "SELECT schema_name FROM information_schema.schemata ORDER BY 1";
    const before = (await pool.query(schemas)).rows;
    for (const flags of [[], ["--schema", "none"]]) {
      const { code, stderr } = await run("list", "--store", url, ...flags);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("no inbox") });
    }
    expect((await pool.query(schemas)).rows).toEqual(before);
    await pool.end();
  });

  test("ends with an error if nothing listens there", async () => {
    for (const flags of [
      ["--store", "redis://:hunter2@127.0.0.1:1"],
      ["--store", "postgres://me:hunter2@127.0.0.1:1/shop"],
    ]) {
      const { code, stderr } = await run("list", ...flags);
      expect({ code, stderr }).toEqual({
        code: 3,
        stderr: expect.stringContaining("The inbox failed: "),
      });
      expect(stderr).not.toContain("hunter2");
    }
  });
});
