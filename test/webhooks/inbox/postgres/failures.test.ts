import { setImmediate as nextTurn } from "node:timers/promises";
import { Pool, type PoolClient } from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import type { Engine } from "../../../support/engines/engine.ts";
import { closeProxies, proxyTo } from "../../../support/engines/proxy.ts";
import { sharedPostgres } from "../../../support/engines/shared.ts";
import { postgresInbox } from "../../../support/stores/postgres-inbox.ts";
import { freshSchema, pace, query as runQuery, tablesOf } from "./stage.ts";

const engine = await sharedPostgres();
const here = engine as Engine;
afterAll(() => engine?.stop());

const query = (text: string, values?: unknown[]) => runQuery(here.url, text, values);

const READY_FOR_QUERY = Buffer.from("5a0000000549", "hex");
const FIELDS = "SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0";

/** PostgreSQL's last message on a connection that it ends. */
const TERMINATED = Buffer.concat([
  Buffer.from([0x45, 0, 0, 0, 4 + FIELDS.length]),
  Buffer.from(FIELDS),
]);

describe.skipIf(engine === undefined)("postgresInbox: an engine that fails", () => {
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
    const pool = new Pool({ connectionString: proxy.url, max: 1 });
    pool.on("error", () => {});
    const receiver = receiverOn(postgresInbox({ pool, schema: freshSchema(), pace }));
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
      const write = (client: PoolClient) => client.query("SELECT 1");
      await transaction(write).finally(() => proxy.changeReplies(undefined));
      done.push(attempt);
    });
    await receiver.start();
    // With one connection, the start may take longer than a delivery may wait.
    await until(async () => (await receiver.post("PAY-1"))[0] === 200);
    await until(() => done.length > 0);
    expect(uncaught).toEqual([]);
    await receiver.stop({ timeoutMs: 1_000 });
    await pool.end();
  });

  test("retries an event that failed before the clock was set back", async () => {
    const schema = freshSchema();
    const inbox = postgresInbox({
      connectionString: here.url,
      schema,
      pace: { ...pace, backoffMs: () => 2_000 },
    });
    const receiver = receiverOn(inbox);
    const attempts: number[] = [];
    receiver.onOther((_, { attempt }) => {
      attempts.push(attempt);
      if (attempt === 1) throw new Error("not yet");
    });
    await receiver.start();
    await receiver.post("PAY-1");
    // As a clock that was three hours ahead has it.
    const ahead = `UPDATE ${tablesOf(schema).events} SET due_at = due_at + 10800000
      WHERE attempts = 1 AND token IS NULL RETURNING id`;
    await until(async () => (await query(ahead)).length === 1);
    await until(() => attempts.length === 2);
    expect(attempts).toEqual([1, 2]);
  });

  test("processes an event that was received before the clock was set back", async () => {
    const schema = freshSchema();
    const receiver = receiverOn(postgresInbox({ connectionString: here.url, schema, pace }));
    await receiver.post("PAY-1");
    // As a clock that was two hours ahead has it.
    await query(`UPDATE ${tablesOf(schema).events} SET due_at = due_at + 7200000`);
    const attempts: number[] = [];
    receiver.onOther((_, { attempt }) => attempts.push(attempt));
    await receiver.start();
    await until(() => attempts.length > 0);
    expect(attempts).toEqual([1]);
  });

  test("processes the event of a process that died before the clock was set back", async () => {
    const schema = freshSchema();
    const receiver = receiverOn(postgresInbox({ connectionString: here.url, schema, pace }));
    await receiver.post("PAY-1");
    const leased = "attempts = 1, token = 1, due_at = due_at + 7200000";
    await query(`UPDATE ${tablesOf(schema).events} SET ${leased}`);
    const attempts: number[] = [];
    receiver.onOther((_, { attempt }) => attempts.push(attempt));
    await receiver.start();
    await until(() => attempts.length > 0);
    expect(attempts).toEqual([2]);
  });

  test("retries all events that failed before the clock was set back, each as often as the others", async () => {
    const schema = freshSchema();
    const backoffMs = (attempt: number) => (attempt === 1 ? 4_000 : 60_000);
    const inbox = postgresInbox({
      connectionString: here.url,
      schema,
      pace: { ...pace, backoffMs },
    });
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
    const ahead = `UPDATE ${tablesOf(schema).events} SET due_at = due_at + 7200000 RETURNING id`;
    expect(await query(ahead)).toHaveLength(count);
    await until(() => [...attempts.values()].every((attempt) => attempt >= 2));
    expect([...attempts.values()]).toEqual(Array(count).fill(2));
  });

  test("goes on when its schema is dropped and made again", async () => {
    const schema = freshSchema();
    const receiver = receiverOn(postgresInbox({ connectionString: here.url, schema, pace }));
    const seen: unknown[] = [];
    receiver.onOther(({ data }) => seen.push(data.reference));
    await receiver.start();
    await receiver.post("PAY-1");
    // An event whose end is not written when the schema goes is processed again.
    await until(async () => {
      const { waiting, running } = await receiver.stats();
      return seen.length === 1 && waiting + running === 0;
    });
    await query(`DROP SCHEMA ${schema} CASCADE`);
    await until(async () => (await receiver.post("PAY-2"))[0] === 200);
    await until(() => seen.length >= 2);
    expect(seen).toEqual(["PAY-1", "PAY-2"]);
    await receiver.stop({ timeoutMs: 1_000 });
  });
});
