import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Queue, UnrecoverableError, Worker } from "bullmq";
import { Redis } from "ioredis";
import type { Job } from "malipo/types";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { bullmqInbox } from "../../../../src/webhooks/inbox/bullmq/inbox.ts";
import {
  FORMAT,
  ledgerKeys,
  recordText,
  storedEventOf,
} from "../../../../src/webhooks/inbox/bullmq/redis-layout.ts";
import { QUEUES } from "../../../../src/webhooks/inbox/kinds.ts";
import { newDelivery, receiverOn, stopAll, until } from "../../../suites/inbox-stage.ts";
import { sharedRedis } from "../../../support/engines/shared.ts";

// What is stored is read by later versions. If a test here fails, the format needs another number.

const engine = await sharedRedis();
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const pace = { leaseMs: 1_500, backoffMs: () => 5, engineTimeoutMs: 5_000 };

describe("format 1 of the inbox in Redis", () => {
  test("has these names", () => {
    expect(FORMAT).toBe(1);
    const { event, conflict, ...names } = ledgerKeys("shop", "payment.completed");
    expect(names).toEqual({
      meta: "{shop-payment.completed}:meta",
      deadLetters: "{shop-payment.completed}:dead-letters",
      conflicts: "{shop-payment.completed}:conflicts",
      doublePayments: "{shop-payment.completed}:double-payments",
      retrying: "{shop-payment.completed}:retrying",
    });
    expect(event("ab")).toBe("{shop-payment.completed}:ab");
    expect(conflict({ key: "ab", digest: "cd" })).toBe("{shop-payment.completed}:ab-cd");
    expect(QUEUES).toEqual([
      "payment.completed",
      "payment.failed",
      "payment.initiated",
      "invoice.created",
      "invoice.paid",
      "invoice.overdue",
      "subscription.created",
      "subscription.canceled",
      "other",
    ]);
  });

  test("has these records", () => {
    const delivery = newDelivery(1, {
      raw: Buffer.from("\uFEFF{}"),
      signedAt: 5,
      traceContext: { traceparent: "00" },
      source: "read",
    });
    const stored = storedEventOf(delivery);
    expect(JSON.stringify(stored)).toBe(
      `{"digest":"${delivery.digest}","event":"payment.completed","body":"\uFEFF{}","secretIndex":0,"receivedAt":1767312245001,"signedAt":5,"signature":"${delivery.signature}","traceContext":{"traceparent":"00"},"source":"read"}`,
    );
    const short = delivery.digest.slice(32);
    expect(recordText("pending", delivery.digest)).toBe(`p ${short}`);
    expect(recordText("done", delivery.digest)).toBe(`d ${short}`);
    const dead = { ...stored, attempts: 12, error: "no stock" };
    expect(recordText("dead", delivery.digest, dead)).toBe(`x ${short} ${JSON.stringify(dead)}`);
  });
});

describe.skipIf(engine === undefined)("bullmqInbox on stored data", () => {
  stopAll();
  const clients: Redis[] = [];
  afterEach(() => {
    for (const redis of clients.splice(0)) redis.disconnect();
  });
  const connected = () => {
    const redis = new Redis(url);
    clients.push(redis);
    return redis;
  };

  const load = async (name: string) => {
    const redis = connected();
    const file = fileURLToPath(new URL(`stored-data/${name}.json`, import.meta.url));
    const commands = JSON.parse(readFileSync(file, "utf8")) as [string, ...string[]][];
    for (const [command, ...args] of commands) await redis.call(command, ...args);
  };

  test("of format 1 has an event that was stored before its kind was known: its handler gets it", async () => {
    await load("1-other");
    const inbox = bullmqInbox({ connection: { url }, queue: "stored-other", pace });
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

  test("of format 1 works with all of it", async () => {
    await load("1");
    const inbox = bullmqInbox({ connection: { url }, queue: "stored", pace });
    const receiver = receiverOn(inbox);
    const [letter, ...letters] = await receiver.deadLetters.list();
    expect(letters).toEqual([]);
    expect(letter).toMatchObject({ id: newDelivery(3).key, error: "It is too old.", attempts: 0 });
    const [conflict, ...conflicts] = await receiver.conflicts.list();
    expect(conflicts).toEqual([]);
    const { digest } = newDelivery(11);
    expect(conflict?.id).toBe(`${newDelivery(1).key}-${digest}`);
    for (const number of [1, 2, 3]) {
      expect(await inbox.accept(newDelivery(number))).toMatchObject({ kind: "duplicate" });
    }
    const decided = newDelivery(1, { digest: newDelivery(12).digest });
    expect(await inbox.accept(decided)).toMatchObject({ kind: "duplicate" });
    expect(await inbox.accept(newDelivery(1, { digest }))).toMatchObject({ kind: "conflict" });
    const filter = { kind: undefined, since: undefined, until: undefined, after: undefined };
    expect(await inbox.doublePayments?.list({ ...filter, limit: 5 })).toMatchObject([
      { id: "pair-1", references: ["PAY-1", "PAY-2"] },
    ]);
    const jobs: Job[] = [];
    await receiver.deadLetters.requeue(letter?.id ?? "");
    await receiver.conflicts.requeue(conflict?.id ?? "");
    await inbox.start({
      run: async (job) => void jobs.push(job),
      concurrency: 1,
      onError: () => {},
    });
    await until(() => jobs.length === 3);
    expect(jobs.find(({ key }) => key === newDelivery(2).key)).toMatchObject({
      source: "read",
      traceContext: { traceparent: expect.any(String) },
    });
    await inbox.stop(1_000);
  });

  test("of an unknown format is an error that says what to do", async () => {
    const redis = connected();
    await redis.hset(ledgerKeys("newer", "invoice.paid").meta, "format", "2");
    const inbox = bullmqInbox({ connection: { url }, queue: "newer", pace });
    const options = { run: async () => {}, concurrency: 1, onError: () => {} };
    await expect(inbox.start(options)).rejects.toMatchObject({
      code: "configuration",
      message:
        "The events of this inbox in Redis have format 2, and this version of malipo reads format 1. Use the version that wrote them, or another `queue`.",
    });
    await expect(inbox.accept(newDelivery(1, { event: "invoice.paid" }))).rejects.toThrow(
      "have format 2",
    );
    await inbox.stop(100);
  });

  test("that something else has changed: a job that cannot be read is a dead letter, and others are processed", async () => {
    const inbox = bullmqInbox({ connection: { url }, queue: "changed", pace });
    const receiver = receiverOn(inbox);
    await inbox.accept(newDelivery(1));
    const jobs = new Queue("{changed-payment.completed}", { connection: connected() });
    await jobs.add("odd", { body: 1 }, { jobId: "odd-1" });
    await inbox.accept(newDelivery(2));
    const keys: string[] = [];
    await inbox.start({
      run: async ({ key }) => void keys.push(key),
      concurrency: 1,
      onError: () => {},
    });
    await until(async () => keys.length === 2 && (await receiver.deadLetters.list()).length === 1);
    const [letter] = await receiver.deadLetters.list();
    expect(letter).toMatchObject({
      event: "odd",
      error: expect.stringContaining("cannot be read"),
    });
    expect((await receiver.deadLetters.read(letter?.id ?? "")).body).toBe('{"body":1}');
    await receiver.deadLetters.drop(letter?.id ?? "");
    await jobs.close();
  });

  test("a job that a person has failed in a dashboard is a dead letter", async () => {
    const inbox = bullmqInbox({ connection: { url }, queue: "failed", pace });
    const receiver = receiverOn(inbox);
    await inbox.accept(newDelivery(1));
    const redis = new Redis(url, { maxRetriesPerRequest: null });
    clients.push(redis);
    const name = "{failed-payment.completed}";
    const worker = new Worker(name, null, { connection: redis });
    const job = await worker.getNextJob("token", { block: false });
    await job?.moveToFailed(new UnrecoverableError("by hand"), "token", false);
    await until(async () => (await receiver.deadLetters.list()).length === 1);
    const [letter] = await receiver.deadLetters.list();
    expect(letter).toMatchObject({ id: newDelivery(1).key, error: "by hand" });
    expect(await inbox.accept(newDelivery(1))).toMatchObject({ kind: "duplicate" });
    await worker.close();
  });
});
