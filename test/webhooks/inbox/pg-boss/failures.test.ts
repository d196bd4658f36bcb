import { setImmediate as nextTurn } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  type PgBossTransaction,
  pgBossInbox,
} from "../../../../src/webhooks/inbox/pg-boss/inbox.ts";
import { gateOf, receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import type { Engine } from "../../../support/engines/engine.ts";
import { closeProxies, proxyTo } from "../../../support/engines/proxy.ts";
import { sharedPostgres } from "../../../support/engines/shared.ts";
import { freshQueue, query as runQuery, tablesOf, tuning } from "./stage.ts";

const engine = await sharedPostgres();
const here = engine as Engine;
afterAll(() => engine?.stop());

const query = (text: string, values?: unknown[]) => runQuery(here.url, text, values);

const READY_FOR_QUERY = Buffer.from("5a0000000549", "hex");
const FIELDS = "SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0";

/** A separate statement, not one of those in which pg-boss makes a queue. */
const COMMIT = Buffer.from("Q\0\0\0\x0bCOMMIT\0");

/** PostgreSQL's last message on a connection that it ends. */
const TERMINATED = Buffer.concat([
  Buffer.from([0x45, 0, 0, 0, 4 + FIELDS.length]),
  Buffer.from(FIELDS),
]);

vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(engine === undefined)("pgBossInbox: an engine that fails", () => {
  stopAll();
  closeProxies();
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  beforeEach(() => {
    uncaught.length = 0;
    process.on("uncaughtException", note);
  });
  afterEach(() => {
    process.off("uncaughtException", note);
  });

  test("ends no process when connections end under load", async () => {
    const proxy = await proxyTo(here);
    const inbox = pgBossInbox({
      connectionString: proxy.url,
      queue: freshQueue(),
      tuning: { ...tuning, boss: { ...tuning.boss, max: 1 } },
    });
    const receiver = receiverOn(inbox);
    const done: number[] = [];
    receiver.on("payment.completed", async ({ data }, { attempt, transaction }) => {
      if (data.reference !== "PAY-1") return;
      if (attempt === 1) {
        // The only connection is in use, and ends as soon as the transaction gets it.
        proxy.changeReplies((chunk) =>
          chunk.subarray(-READY_FOR_QUERY.length).equals(READY_FOR_QUERY)
            ? Buffer.concat([chunk, TERMINATED])
            : chunk,
        );
        for (const reference of ["PAY-2", "PAY-3", "PAY-4"]) void receiver.post(reference);
        await nextTurn();
      }
      const write = (client: PgBossTransaction) => client.query("SELECT 1");
      await transaction(write).finally(() => proxy.changeReplies(undefined));
      done.push(attempt);
    });
    await receiver.start();
    // With one connection, the start may take longer than a delivery may wait.
    await until(async () => (await receiver.post("PAY-1"))[0] === 200);
    await until(() => done.length > 0);
    expect(uncaught).toEqual([]);
    await receiver.stop({ timeoutMs: 1_000 });
  });

  test("acknowledges no event that is nowhere", async () => {
    const queue = freshQueue();
    const receiver = receiverOn(pgBossInbox({ connectionString: here.url, queue, tuning }));
    expect(await receiver.post("PAY-1")).toEqual([200, "received"]);
    // As another server has it that was promoted too early.
    await query("DELETE FROM pgboss.job WHERE name LIKE $1", [`${queue}/%`]);
    await query("DELETE FROM pgboss.queue WHERE name LIKE $1", [`${queue}/%`]);
    expect(await receiver.post("PAY-2")).toEqual([503, "cannot be stored now"]);
  });

  test("retries an event that failed before the clock was set back", async () => {
    const queue = freshQueue();
    const pace = { ...tuning.pace, backoffMs: () => 2_000 };
    const inbox = pgBossInbox({ connectionString: here.url, queue, tuning: { ...tuning, pace } });
    const receiver = receiverOn(inbox);
    const attempts: number[] = [];
    receiver.onOther((_, { attempt }) => {
      attempts.push(attempt);
      if (attempt === 1) throw new Error("not yet");
    });
    await receiver.start();
    await receiver.post("PAY-1");
    // As a clock that was three hours ahead has it.
    const ahead = `WITH event AS (UPDATE ${tablesOf(queue).events} SET due_at = due_at + 10800000 WHERE attempts = 1)
      UPDATE pgboss.job SET start_after = start_after + interval '3 h'
      WHERE name LIKE $1 AND start_after > now() RETURNING id`;
    await until(async () => (await query(ahead, [`${queue}/%`])).length === 1);
    await until(() => attempts.length === 2);
    expect(attempts).toEqual([1, 2]);
  });

  test("processes an event that was received before the clock was set back", async () => {
    const queue = freshQueue();
    const inbox = pgBossInbox({ connectionString: here.url, queue, tuning });
    const receiver = receiverOn(inbox);
    await receiver.post("PAY-1");
    // As a clock that was two hours ahead has it.
    const ahead = `WITH event AS (UPDATE ${tablesOf(queue).events} SET due_at = due_at + 7200000)
      UPDATE pgboss.job SET start_after = start_after + interval '2 h' WHERE name LIKE $1 RETURNING id`;
    expect(await query(ahead, [`${queue}/%`])).toHaveLength(1);
    const attempts: number[] = [];
    receiver.onOther((_, { attempt }) => attempts.push(attempt));
    await receiver.start();
    await until(() => attempts.length > 0);
    expect(attempts).toEqual([1]);
  });

  test("retries all events that failed before the clock was set back, each as often as the others", async () => {
    const queue = freshQueue();
    const backoffMs = (attempt: number) => (attempt === 1 ? 4_000 : 60_000);
    const pace = { ...tuning.pace, backoffMs };
    const inbox = pgBossInbox({ connectionString: here.url, queue, tuning: { ...tuning, pace } });
    const receiver = receiverOn(inbox);
    const attempts = new Map<string, number>();
    receiver.onOther((_, { attempt, idempotencyKey }) => {
      attempts.set(idempotencyKey, attempt);
      throw new Error("not yet");
    });
    await receiver.start();
    const count = 30;
    for (let at = 0; at < count; at++) await receiver.post(`PAY-${at}`);
    await until(async () => (await receiver.stats()).retrying === count);
    // As a clock that was two hours ahead has them.
    const ahead = `WITH event AS (UPDATE ${tablesOf(queue).events} SET due_at = due_at + 7200000)
      UPDATE pgboss.job SET start_after = start_after + interval '2 h', created_on = created_on + interval '2 h'
      WHERE name LIKE $1 RETURNING id`;
    expect(await query(ahead, [`${queue}/%`])).toHaveLength(count);
    await until(() => [...attempts.values()].every((attempt) => attempt >= 2));
    expect([...attempts.values()]).toEqual(Array(count).fill(2));
  });

  test("works an event whose process stops between its end and the COMMIT", async () => {
    const proxy = await proxyTo(here);
    const queue = freshQueue();
    const commitTimeoutMs = 1_000;
    const receiverAt = (connectionString: string) => {
      const inbox = pgBossInbox({
        connectionString,
        queue,
        tuning: { ...tuning, commitTimeoutMs },
      });
      return receiverOn(inbox);
    };
    const stopped = receiverAt(proxy.url);
    let isEnding = false;
    proxy.beforeRequests(async (chunk) => {
      isEnding ||= chunk.includes(`idle_in_transaction_session_timeout = ${commitTimeoutMs}`);
      if (!isEnding || !chunk.equals(COMMIT)) return;
      proxy.silence();
      await new Promise(() => {});
    });
    const [begun, begin] = gateOf<void>();
    stopped.onOther(async (_, { transaction }) => {
      begin();
      await transaction(() => {});
    });
    const other = receiverAt(here.url);
    const attempts: number[] = [];
    other.onOther((_, { attempt }) => attempts.push(attempt));
    await other.post("PAY-1");
    await stopped.start();
    await begun;
    await other.start();
    await until(() => attempts.length > 0);
    expect(attempts).toEqual([2]);
  });

  test.each(["connectionString", "boss"] as const)(
    "goes on when its schema is dropped and made again (%s)",
    async (given) => {
      const boss = new PgBoss(here.url);
      boss.on("error", () => {});
      const queue = freshQueue();
      const inbox =
        given === "boss"
          ? pgBossInbox({ boss, queue, tuning })
          : pgBossInbox({ connectionString: here.url, queue, tuning });
      const receiver = receiverOn(inbox);
      const seen: unknown[] = [];
      receiver.onOther(({ data }) => seen.push(data.reference));
      await receiver.start();
      await receiver.post("PAY-1");
      // An event whose end is not written when the schema goes is processed again.
      await until(async () => {
        const { waiting, running } = await receiver.stats();
        return seen.length === 1 && waiting + running === 0;
      });
      await query("DROP SCHEMA pgboss CASCADE");
      if (given === "boss") {
        const maker = new PgBoss(here.url);
        maker.on("error", () => {});
        await maker.start();
        await maker.stop({ graceful: false });
      }
      await until(async () => (await receiver.post("PAY-2"))[0] === 200);
      await until(() => seen.length >= 2);
      expect(seen).toEqual(["PAY-1", "PAY-2"]);
      await receiver.stop({ timeoutMs: 1_000 });
      await boss.stop({ graceful: false });
    },
  );
});
