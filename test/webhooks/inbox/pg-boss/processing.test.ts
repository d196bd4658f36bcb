import { setTimeout as sleep } from "node:timers/promises";
import type { Inbox } from "malipo/webhooks";
import { PgBoss } from "pg-boss";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import type { EventFilter } from "../../../../src/webhooks/inbox/event-list.ts";
import type { Job, WorkerOptions } from "../../../../src/webhooks/inbox/inbox-types.ts";
import { pgBossInbox } from "../../../../src/webhooks/inbox/pg-boss/inbox.ts";
import { gateOf, newDelivery, references, stopAll, until } from "../../../suites/inbox-stage.ts";
import type { Engine } from "../../../support/engines/engine.ts";
import { closeProxies, proxyTo } from "../../../support/engines/proxy.ts";
import { sharedPostgres } from "../../../support/engines/shared.ts";
import { freshQueue, query, tablesOf, tuning } from "./stage.ts";

const engine = await sharedPostgres();
const here = engine as Engine;
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const ALL: EventFilter = {
  kind: undefined,
  since: undefined,
  until: undefined,
  after: undefined,
  limit: 9,
};

vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(engine === undefined)("pgBossInbox: processing", () => {
  stopAll();
  closeProxies();
  const opened: Inbox[] = [];
  // Each has its own connections, and PostgreSQL has a hundred.
  afterEach(() => Promise.all(opened.splice(0).map((inbox) => inbox.stop(100))));

  /** A started inbox, and what it ran: number and attempt. */
  async function started(
    queue: string,
    { connectionString = url, ...options }: Partial<WorkerOptions> & { connectionString?: string },
  ) {
    const inbox = pgBossInbox({ connectionString, queue, tuning });
    opened.push(inbox);
    const ran: [number: number, attempt: number][] = [];
    const onError = vi.fn();
    await inbox.start({
      concurrency: 8,
      onError,
      ...options,
      run: async (job) => {
        ran.push([Number.parseInt(job.key, 16), job.attempt]);
        await options.run?.(job);
      },
    });
    return { inbox, ran, onError };
  }

  const jobsOf = (queue: string) =>
    query(url, "SELECT * FROM pgboss.job WHERE name LIKE $1", [`${queue}/%`]);

  test("leaves nothing of a processed event but its key and its digest", async () => {
    const queue = freshQueue();
    const { inbox, ran } = await started(queue, {});
    await inbox.accept(newDelivery(1, { traceContext: { traceparent: "00-a" } }));
    await until(() => ran.length === 1);
    const text = `SELECT *, length(raw) AS bytes FROM ${tablesOf(queue).events} WHERE state = 'done'`;
    await until(async () => (await query(url, text)).length === 1);
    const { key, digest } = newDelivery(1);
    const [row] = await query(url, text);
    expect(row).toMatchObject({ bytes: 0, signature: null, trace_context: null, error: null });
    expect(row.key.toString("hex")).toBe(key);
    expect(row.digest.toString("hex")).toBe(digest);
    expect(await jobsOf(queue)).toEqual([]);
  });

  test("counts the attempts on after events were handed back", async () => {
    const queue = freshQueue();
    const next = await started(queue, {
      run: async ({ signal }) => {
        if (next.ran.length === 1) throw new Error("once");
        if (next.ran.length === 2)
          await new Promise((end) => signal.addEventListener("abort", end));
      },
    });
    await next.inbox.accept(newDelivery(1));
    await until(() => next.ran.length === 2);
    // Handed back: that does not count as an attempt.
    await next.inbox.stop(0);
    const other = await started(queue, { kinds: ["invoice.paid"] });
    expect(await other.inbox.stats?.()).toMatchObject({ waiting: 1, unhandled: 1, retrying: 1 });
    const last = await started(queue, {});
    await until(() => last.ran.length === 1);
    expect([...next.ran, ...other.ran, ...last.ran]).toEqual([
      [1, 1],
      [1, 2],
      [1, 2],
    ]);
  });

  /**
   * A process whose handler is at its first attempt, which another process has taken over: the heartbeat
   * stopped, pg-boss gave the job to the other one, and its handler runs.
   */
  async function takenOver() {
    const queue = freshQueue();
    const [[firstGate, endFirst], [secondGate, endSecond]] = [gateOf<void>(), gateOf<void>()];
    // One that has room for no other event: the job is not its own again.
    const stale = await started(queue, { run: () => firstGate, concurrency: 1 });
    await stale.inbox.accept(newDelivery(1));
    await until(() => stale.ran.length === 1);
    const fresh = await started(queue, { run: () => secondGate });
    // As the monitor of pg-boss does if no heartbeat comes.
    await query(
      url,
      "UPDATE pgboss.job SET state = 'retry', retry_count = 0, start_after = now() WHERE name LIKE $1",
      [`${queue}/%`],
    );
    await until(() => fresh.ran.length === 1);
    expect(fresh.ran).toEqual([[1, 2]]);
    return { queue, stale, fresh, endFirst, endSecond };
  }

  test("an attempt that was taken over does not complete the event of the next one", async () => {
    const { queue, fresh, endFirst, endSecond } = await takenOver();
    endFirst();
    await sleep(1_000);
    expect(await jobsOf(queue)).toMatchObject([{ state: "active", retry_count: 1 }]);
    expect(await fresh.inbox.stats?.()).toMatchObject({ running: 1 });
    endSecond();
    await until(async () => (await jobsOf(queue)).length === 0);
    expect(fresh.ran).toEqual([[1, 2]]);
  });

  test("an attempt that was taken over is not handed back by stop: only the next one goes on", async () => {
    const { queue, stale, fresh, endSecond } = await takenOver();
    const [before] = await jobsOf(queue);
    await stale.inbox.stop(0);
    const third = await started(queue, {});
    await sleep(1_500);
    expect(third.ran).toEqual([]);
    expect(await jobsOf(queue)).toMatchObject([{ id: before.id, state: "active" }]);
    endSecond();
    await until(async () => (await jobsOf(queue)).length === 0);
    expect(fresh.ran).toEqual([[1, 2]]);
  });

  test("an attempt that was taken over does not fail the next one", async () => {
    const queue = freshQueue();
    const [gate, end] = gateOf<void>();
    const stale = await started(queue, {
      run: async () => {
        await gate;
        throw new Error("stale");
      },
    });
    await stale.inbox.accept(newDelivery(1));
    await until(() => stale.ran.length === 1);
    const attempt = "UPDATE pgboss.job SET retry_count = 1 WHERE name LIKE $1";
    await query(url, attempt, [`${queue}/%`]);
    end();
    await sleep(1_000);
    expect(await jobsOf(queue)).toMatchObject([{ state: "active", retry_count: 1 }]);
    const [row] = await query(url, `SELECT attempts, error FROM ${tablesOf(queue).events}`);
    expect(row).toEqual({ attempts: 0, error: null });
  });

  test("an attempt that was taken over sends no heartbeat for the next one, and its signal aborts", async () => {
    const queue = freshQueue();
    const [signal, begin] = gateOf<AbortSignal>();
    const stale = await started(queue, {
      run: async (job) => {
        begin(job.signal);
        await new Promise(() => {});
      },
    });
    await stale.inbox.accept(newDelivery(1));
    const lost = await signal;
    await query(
      url,
      "UPDATE pgboss.job SET retry_count = 1, heartbeat_on = now() WHERE name LIKE $1",
      [`${queue}/%`],
    );
    const [before] = await jobsOf(queue);
    await until(() => lost.aborted);
    const [after] = await jobsOf(queue);
    expect(after.heartbeat_on).toEqual(before.heartbeat_on);
  });

  test.each([
    ["of another format", { format: 2, key: newDelivery(1).key, attempts: 0 }],
    ["without a key", {}],
    ["whose event is gone", { format: 1, key: "f".repeat(64), attempts: 0 }],
  ])("a job %s is a dead letter at once, and its neighbours are processed", async (_, data) => {
    const queue = freshQueue();
    const inbox = pgBossInbox({ connectionString: url, queue, tuning });
    await inbox.accept(newDelivery(1));
    const boss = new PgBoss(url);
    boss.on("error", () => {});
    await boss.start();
    await boss.send(`${queue}/payment.completed`, data, { priority: 1 });
    await inbox.accept(newDelivery(2));
    const { ran, inbox: other } = await started(queue, {});
    await until(() => ran.length === 2);
    await until(async () => (await other.deadLetters?.list(ALL))?.length === 1);
    const [letter] = (await other.deadLetters?.list(ALL)) ?? [];
    expect(letter?.error).toContain("The stored event cannot be read");
    const { body = "" } = (await other.deadLetters?.read?.(letter?.id ?? "")) ?? {};
    expect(JSON.parse(body)).toEqual(data);
    await until(async () => (await jobsOf(queue)).length === 0);
    await boss.stop({ graceful: false });
    await inbox.stop(100);
  });

  test("an event that cannot be read is a dead letter at once", async () => {
    const queue = freshQueue();
    const inbox = pgBossInbox({ connectionString: url, queue, tuning });
    opened.push(inbox);
    await inbox.accept(newDelivery(1));
    await inbox.accept(newDelivery(2));
    const { key } = newDelivery(1);
    const { events } = tablesOf(queue);
    await query(url, `UPDATE ${events} SET trace_context = '{' WHERE encode(key, 'hex') = $1`, [
      key,
    ]);
    const { ran } = await started(queue, {});
    await until(async () => (await inbox.deadLetters?.list(ALL))?.length === 1);
    await until(() => ran.length === 1);
    expect(await inbox.deadLetters?.list(ALL)).toMatchObject([
      { id: key, attempts: 0, error: expect.stringContaining("cannot be read") },
    ]);
    expect(ran).toEqual([[2, 1]]);
  });

  test("writes the end of an event when PostgreSQL is back, and does not run it again", async () => {
    const proxy = await proxyTo(here);
    const queue = freshQueue();
    const [gate, end] = gateOf<void>();
    const { inbox, ran, onError } = await started(queue, {
      connectionString: proxy.url,
      run: () => gate,
    });
    await inbox.accept(newDelivery(1));
    await until(() => ran.length === 1);
    await proxy.cut();
    end();
    await until(() => onError.mock.calls.length > 0);
    await proxy.restore();
    const done = `SELECT 1 FROM ${tablesOf(queue).events} WHERE state = 'done'`;
    await until(async () => (await query(url, done)).length === 1);
    expect(ran).toEqual([[1, 1]]);
  });

  test("a drain gets the event of a process that died, and forgets, though no other process runs", async () => {
    const queue = freshQueue();
    const boss = new PgBoss({ connectionString: url, supervise: false, monitorIntervalSeconds: 1 });
    boss.on("error", () => {});
    const inbox = pgBossInbox({ boss, queue, retentionMs: 1, tuning });
    await inbox.accept(newDelivery(1, { signedAt: Date.now() }));
    await query(
      url,
      `UPDATE pgboss.job SET state = 'active', started_on = now() - interval '1 h',
         heartbeat_on = now() - interval '1 h' WHERE name LIKE $1`,
      [`${queue}/%`],
    );
    const attempts: number[] = [];
    const run = async ({ attempt }: Job) => void attempts.push(attempt);
    const worker = { run, concurrency: 1, onError: () => {} };
    const rows = `SELECT 1 FROM ${tablesOf(queue).events}`;
    await until(async () => {
      await inbox.drain?.(worker, { timeoutMs: 1_000, limit: 10 });
      return (await query(url, rows)).length === 0;
    });
    expect(attempts).toEqual([2]);
    await inbox.stop(100);
    await boss.stop({ graceful: false });
  });

  test("runs as many handlers at the same time as it may, over all queues", async () => {
    const queue = freshQueue();
    let running = 0;
    let most = 0;
    const { inbox, ran } = await started(queue, {
      concurrency: 3,
      run: async () => {
        most = Math.max(most, ++running);
        await sleep(5);
        running--;
      },
    });
    const kinds = ["payment.completed", "payment.failed", "invoice.paid", "it.is.new"];
    await Promise.all(
      references(40).map((_, at) => inbox.accept(newDelivery(at, { event: kinds[at % 4] ?? "" }))),
    );
    await until(() => ran.length === 40);
    expect(most).toBe(3);
  });

  test("adds the jobs of events that wait when pg-boss is installed again", async () => {
    const queue = freshQueue();
    const inbox = pgBossInbox({ connectionString: url, queue, tuning });
    await inbox.accept(newDelivery(1));
    await inbox.accept(newDelivery(2, { event: "invoice.paid" }));
    await inbox.stop(100);
    await query(url, "DELETE FROM pgboss.job WHERE name LIKE $1", [`${queue}/%`]);
    await query(url, "DELETE FROM pgboss.queue WHERE name LIKE $1", [`${queue}/%`]);
    const { ran } = await started(queue, {});
    await until(() => ran.length === 2);
    expect(ran.sort()).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });
});
