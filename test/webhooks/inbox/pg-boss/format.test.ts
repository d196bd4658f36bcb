import { readFileSync } from "node:fs";
import { PgBoss } from "pg-boss";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pgBossInbox } from "../../../../src/webhooks/inbox/pg-boss/inbox.ts";
import { newDelivery, receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import { sharedPostgres } from "../../../support/engines/shared.ts";
import { freshQueue, query, tablesOf, tuning } from "./stage.ts";

const engine = await sharedPostgres();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const storedData = (format: string) =>
  readFileSync(new URL(`./stored-data/${format}/inbox.sql`, import.meta.url), "utf8");

const SIGNED_AT = 1_767_312_245_000;

describe.skipIf(engine === undefined)("pgBossInbox: the format of what is stored", () => {
  stopAll();

  describe("is pinned by golden values", () => {
    const queue = freshQueue();
    const inbox = pgBossInbox({ connectionString: url, queue, tuning });
    const boss = new PgBoss(url);
    beforeAll(async () => {
      boss.on("error", () => {});
      const delivery = newDelivery(1, {
        signedAt: SIGNED_AT,
        traceContext: { traceparent: "00-a" },
        source: "read",
      });
      await inbox.accept(delivery);
      await inbox.accept(newDelivery(2, { signedAt: SIGNED_AT, deadLetterReason: "too old" }));
      await inbox.accept(newDelivery(1, { signedAt: SIGNED_AT, digest: "f".repeat(64) }));
      await inbox.doublePayments?.add({
        id: "1",
        by: "account_reference",
        value: "ORDER-1",
        references: ["PAY-1", "PAY-2"],
        receivedAt: SIGNED_AT,
        merchant: "mama-njeri",
      });
      await boss.start();
    });
    afterAll(async () => {
      await inbox.stop(100);
      await boss.stop({ graceful: false });
    });

    test("of its tables and queues", async () => {
      const names =
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'malipo_inbox' AND tablename LIKE $1";
      const tables = await query(url, `${names} ORDER BY 1`, [`${queue}%`]);
      expect(tables.map(({ name }) => name.slice(queue.length))).toEqual([
        "_conflicts",
        "_doubles",
        "_events",
        "_meta",
      ]);
      const queues = (await boss.getQueues()).map(({ name }) => name);
      const own = queues.filter((name) => name.startsWith(queue));
      expect(own.map((name) => name.slice(queue.length)).sort()).toEqual([
        "/invoice.created",
        "/invoice.overdue",
        "/invoice.paid",
        "/other",
        "/payment.completed",
        "/payment.failed",
        "/payment.initiated",
        "/subscription.canceled",
        "/subscription.created",
      ]);
    });

    test("of one record of each kind", async () => {
      const { events, conflicts, meta } = tablesOf(queue);
      const columns = `encode(key, 'hex') AS key, encode(digest, 'hex') AS digest, kind, convert_from(raw, 'UTF8') AS raw,
        secret_index, received_at, signed_at, signature, trace_context, source, forget_at, state`;
      const { key, signature } = newDelivery(1);
      const common = {
        kind: "payment.completed",
        secret_index: 0,
        received_at: "1767312245001",
        signed_at: "1767312245000",
        signature,
        trace_context: null,
        source: null,
        forget_at: null,
      };
      const first = '{"event":"payment.completed","data":{"number":1}}';
      const rows = await query(url, `SELECT ${columns}, attempts, error FROM ${events} ORDER BY 1`);
      expect(rows).toEqual([
        {
          ...common,
          key,
          digest: key,
          raw: first,
          trace_context: '{"traceparent":"00-a"}',
          source: "read",
          state: "pending",
          attempts: 0,
          error: null,
        },
        {
          ...common,
          key: newDelivery(2).key,
          digest: newDelivery(2).key,
          raw: '{"event":"payment.completed","data":{"number":2}}',
          received_at: "1767312245002",
          signature: newDelivery(2).signature,
          state: "dead",
          attempts: 0,
          error: "too old",
        },
      ]);
      expect(await query(url, `SELECT ${columns} FROM ${conflicts}`)).toEqual([
        { ...common, key, digest: "f".repeat(64), raw: first, state: "open" },
      ]);
      expect(await query(url, `SELECT * FROM ${events.replace("_events", "_doubles")}`)).toEqual([
        {
          id: "1",
          by: "account_reference",
          value: "ORDER-1",
          reference_1: "PAY-1",
          reference_2: "PAY-2",
          merchant: "mama-njeri",
          received_at: "1767312245000",
          state: "open",
        },
      ]);
      const names = await query(url, `SELECT name FROM ${meta} ORDER BY 1`);
      expect(names.map(({ name }) => name)).toEqual(["format", "queues", "retention"]);
    });

    test("of a job", async () => {
      const [job] = await boss.findJobs(`${queue}/payment.completed`);
      expect(job?.data).toEqual({ format: 1, key: newDelivery(1).key, attempts: 0 });
    });
  });

  test("of format 1 is opened: waiting events are processed, and all others are known", async () => {
    const queue = freshQueue();
    await query(url, storedData("1").replaceAll("QUEUE", queue));
    const inbox = pgBossInbox({ connectionString: url, queue, tuning });
    const receiver = receiverOn(inbox);
    const seen: unknown[] = [];
    receiver.onOther((event, { attempt, idempotencyKey }) =>
      seen.push([event.data, attempt, idempotencyKey]),
    );
    await receiver.start();
    await until(() => seen.length === 1);
    expect(seen).toEqual([[{ number: 1 }, 3, newDelivery(1).key]]);
    expect(await inbox.accept(newDelivery(2))).toMatchObject({ kind: "duplicate" });
    // A decided conflict.
    const { digest } = newDelivery(9);
    expect(await inbox.accept(newDelivery(2, { digest }))).toMatchObject({ kind: "duplicate" });
    const [dead] = await receiver.deadLetters.list();
    expect(dead).toMatchObject({ id: newDelivery(3).key, attempts: 12, error: "no stock" });
    const [conflict] = await receiver.conflicts.list();
    await receiver.deadLetters.requeue(dead?.id ?? "");
    await receiver.conflicts.requeue(conflict?.id ?? "");
    await until(() => seen.length === 3);
  });

  test("of format 1 has an event that was stored before its kind was known: its handler gets it", async () => {
    const queue = freshQueue();
    await query(url, storedData("1").replaceAll("QUEUE", queue));
    await query(url, storedData("1-other").replaceAll("QUEUE", queue));
    const inbox = pgBossInbox({ connectionString: url, queue, tuning });
    const keys: string[] = [];
    await inbox.start({
      run: async ({ key }) => void keys.push(key),
      concurrency: 8,
      kinds: ["payment.reversed"],
      onError: () => {},
    });
    const stored = newDelivery(5, { event: "payment.reversed" });
    await until(() => keys.length > 0);
    expect(keys).toEqual([stored.key]);
    expect(await inbox.accept(stored)).toMatchObject({ kind: "duplicate" });
    await inbox.stop(1_000);
  });

  test("of another number is an error that says what to do", async () => {
    const queue = freshQueue();
    await query(url, storedData("1").replaceAll("QUEUE", queue));
    await query(url, `UPDATE ${tablesOf(queue).meta} SET value = '2' WHERE name = 'format'`);
    const receiver = receiverOn(pgBossInbox({ connectionString: url, queue, tuning }));
    expect((await receiver.post("PAY-1"))[0]).toBe(503);
    expect(receiver.onError.mock.calls[0]?.[0]).toMatchObject({
      code: "configuration",
      message: expect.stringMatching(
        /have format 2, and this version of malipo reads format 1\. Use/,
      ),
    });
  });
});
