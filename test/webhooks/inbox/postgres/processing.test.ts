import { setTimeout as sleep } from "node:timers/promises";
import type { Inbox } from "malipo/webhooks";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import type { EventFilter } from "../../../../src/webhooks/inbox/event-list.ts";
import type { Job, WorkerOptions } from "../../../../src/webhooks/inbox/inbox-types.ts";
import { gateOf, newDelivery, references, stopAll, until } from "../../../suites/inbox-stage.ts";
import type { Engine } from "../../../support/engines/engine.ts";
import { closeProxies, proxyTo } from "../../../support/engines/proxy.ts";
import { sharedPostgres } from "../../../support/engines/shared.ts";
import { postgresInbox } from "../../../support/stores/postgres-inbox.ts";
import { freshSchema, pace, query, tablesOf } from "./stage.ts";

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

describe.skipIf(engine === undefined)("postgresInbox: processing", () => {
  stopAll();
  closeProxies();
  const opened: Inbox[] = [];
  // Each has its own connections, and PostgreSQL has a hundred.
  afterEach(() => Promise.all(opened.splice(0).map((inbox) => inbox.stop(100))));

  /** A started inbox, and what it ran: number and attempt. */
  async function started(
    schema: string,
    { connectionString = url, ...options }: Partial<WorkerOptions> & { connectionString?: string },
  ) {
    const inbox = postgresInbox({ connectionString, schema, pace });
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

  const rowOf = async (schema: string) =>
    (await query(url, `SELECT * FROM ${tablesOf(schema).events}`))[0];
  const isDone = async (schema: string) => (await rowOf(schema)).state === "done";

  test("leaves nothing of a processed event but its key and its digest", async () => {
    const schema = freshSchema();
    const { inbox, ran } = await started(schema, {});
    await inbox.accept(newDelivery(1, { traceContext: { traceparent: "00-a" } }));
    await until(() => ran.length === 1);
    await until(() => isDone(schema));
    const { key, digest } = newDelivery(1);
    const row = await rowOf(schema);
    expect(row).toMatchObject({ signature: null, trace_context: null, error: null, token: null });
    expect(row.raw).toHaveLength(0);
    expect(row.key.toString("hex")).toBe(key);
    expect(row.digest.toString("hex")).toBe(digest);
  });

  test("counts the attempts on after events were handed back", async () => {
    const schema = freshSchema();
    const next = await started(schema, {
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
    const other = await started(schema, { kinds: ["invoice.paid"] });
    expect(await other.inbox.stats?.()).toMatchObject({ waiting: 1, unhandled: 1, retrying: 1 });
    const last = await started(schema, {});
    await until(() => last.ran.length === 1);
    expect([...next.ran, ...other.ran, ...last.ran]).toEqual([
      [1, 1],
      [1, 2],
      [1, 2],
    ]);
  });

  /** A process whose handler is at its first attempt, which another process has taken over: the lease ended. */
  async function takenOver() {
    const schema = freshSchema();
    const [[firstGate, endFirst], [secondGate, endSecond]] = [gateOf<void>(), gateOf<void>()];
    // One that has room for no other event: the event is not its own again.
    const stale = await started(schema, { run: () => firstGate, concurrency: 1 });
    await stale.inbox.accept(newDelivery(1));
    await until(() => stale.ran.length === 1);
    const fresh = await started(schema, { run: () => secondGate });
    // As it is if the lease is not renewed in time.
    await query(url, `UPDATE ${tablesOf(schema).events} SET due_at = 0, token = 1`);
    await until(() => fresh.ran.length === 1);
    expect(fresh.ran).toEqual([[1, 2]]);
    return { schema, stale, fresh, endFirst, endSecond };
  }

  test("an attempt that was taken over does not complete the event of the next one", async () => {
    const { schema, fresh, endFirst, endSecond } = await takenOver();
    endFirst();
    await sleep(1_000);
    expect(await rowOf(schema)).toMatchObject({ state: "pending", attempts: "2" });
    expect(await fresh.inbox.stats?.()).toMatchObject({ running: 1 });
    endSecond();
    await until(() => isDone(schema));
    expect(fresh.ran).toEqual([[1, 2]]);
  });

  test("an attempt that was taken over is not handed back by stop: only the next one goes on", async () => {
    const { schema, stale, fresh, endSecond } = await takenOver();
    const before = await rowOf(schema);
    await stale.inbox.stop(0);
    const third = await started(schema, {});
    await sleep(1_500);
    expect(third.ran).toEqual([]);
    expect(await rowOf(schema)).toMatchObject({ state: "pending", token: before.token });
    endSecond();
    await until(() => isDone(schema));
    expect(fresh.ran).toEqual([[1, 2]]);
  });

  test("an attempt that was taken over does not fail the next one", async () => {
    const schema = freshSchema();
    const [gate, end] = gateOf<void>();
    const stale = await started(schema, {
      run: async () => {
        await gate;
        throw new Error("stale");
      },
    });
    await stale.inbox.accept(newDelivery(1));
    await until(() => stale.ran.length === 1);
    const taken = "token = 1, attempts = 2, due_at = due_at + 3600000";
    await query(url, `UPDATE ${tablesOf(schema).events} SET ${taken}`);
    end();
    await sleep(1_000);
    expect(await rowOf(schema)).toMatchObject({
      state: "pending",
      token: "1",
      attempts: "2",
      error: null,
    });
  });

  test("an attempt that was taken over does not renew the lease of the next one, and its signal aborts", async () => {
    const schema = freshSchema();
    const [signal, begin] = gateOf<AbortSignal>();
    const stale = await started(schema, {
      run: async (job) => {
        begin(job.signal);
        await new Promise(() => {});
      },
    });
    await stale.inbox.accept(newDelivery(1));
    const lost = await signal;
    // Not later than any lease may end.
    const taken = "token = 1, due_at = due_at + 60000";
    await query(url, `UPDATE ${tablesOf(schema).events} SET ${taken}`);
    const before = await rowOf(schema);
    await until(() => lost.aborted);
    expect(String(lost.reason)).toContain("was lost: another process");
    expect(await rowOf(schema)).toEqual(before);
  });

  test("renews the leases of a worker while one of its events commits", async () => {
    const schema = freshSchema();
    const [locked, lock] = gateOf<void>();
    const [held, free] = gateOf<void>();
    const inbox = postgresInbox({ connectionString: url, schema, pace });
    opened.push(inbox);
    const aborted: boolean[] = [];
    const blocker = `${schema}_shipped`;
    await query(url, `CREATE TABLE ${blocker} (number int UNIQUE DEFERRABLE INITIALLY DEFERRED)`);
    await query(
      url,
      `CREATE FUNCTION ${blocker}_wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_sleep(4); RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON ${blocker} DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION ${blocker}_wait()`,
    );
    await inbox.start({
      concurrency: 2,
      onError: () => {},
      run: async ({ key, signal, transaction }) => {
        if (key === newDelivery(1).key) {
          lock();
          await transaction?.((client: { query(text: string): Promise<unknown> }) =>
            client.query(`INSERT INTO ${blocker} VALUES (1)`),
          );
          return free();
        }
        await held;
        aborted.push(signal.aborted);
      },
    });
    for (const number of [1, 2]) await inbox.accept(newDelivery(number));
    await locked;
    const other = await started(schema, {});
    await until(() => aborted.length > 0);
    expect([aborted, other.ran]).toEqual([[false], []]);
  });

  test("an event that cannot be read is a dead letter at once", async () => {
    const schema = freshSchema();
    const inbox = postgresInbox({ connectionString: url, schema, pace });
    opened.push(inbox);
    await inbox.accept(newDelivery(1));
    await inbox.accept(newDelivery(2));
    const { key } = newDelivery(1);
    const { events } = tablesOf(schema);
    await query(url, `UPDATE ${events} SET trace_context = '{' WHERE encode(key, 'hex') = $1`, [
      key,
    ]);
    const { ran } = await started(schema, {});
    await until(async () => (await inbox.deadLetters?.list(ALL))?.length === 1);
    await until(() => ran.length === 1);
    expect(await inbox.deadLetters?.list(ALL)).toMatchObject([
      { id: key, attempts: 0, error: expect.stringContaining("cannot be read") },
    ]);
    expect(ran).toEqual([[2, 1]]);
  });

  test("writes the end of an event when PostgreSQL is back, and does not run it again", async () => {
    const proxy = await proxyTo(here);
    const schema = freshSchema();
    const [gate, end] = gateOf<void>();
    const long = { ...pace, leaseMs: 60_000 };
    const inbox = postgresInbox({ connectionString: proxy.url, schema, pace: long });
    opened.push(inbox);
    const attempts: number[] = [];
    const onError = vi.fn();
    const run = async ({ attempt }: Job) => {
      attempts.push(attempt);
      await gate;
    };
    await inbox.start({ concurrency: 8, onError, run });
    await inbox.accept(newDelivery(1));
    await until(() => attempts.length === 1);
    await proxy.cut();
    end();
    await until(() => onError.mock.calls.length > 0);
    await proxy.restore();
    await until(() => isDone(schema));
    expect(attempts).toEqual([1]);
  });

  test("a drain gets the event of a process that died, and forgets, though no other process runs", async () => {
    const schema = freshSchema();
    const inbox = postgresInbox({ connectionString: url, schema, retentionMs: 1, pace });
    await inbox.accept(newDelivery(1, { signedAt: Date.now() }));
    const { events } = tablesOf(schema);
    await query(url, `UPDATE ${events} SET attempts = 1, token = 1, due_at = due_at - 3600000`);
    const attempts: number[] = [];
    const run = async ({ attempt }: Job) => void attempts.push(attempt);
    const worker = { run, concurrency: 1, onError: () => {} };
    await until(async () => {
      await inbox.drain(worker, { timeoutMs: 1_000, limit: 10 });
      return (await query(url, `SELECT 1 FROM ${events}`)).length === 0;
    });
    expect(attempts).toEqual([2]);
    await inbox.stop(100);
  });

  test("forgets thousands of events that are over, in groups", async () => {
    const schema = freshSchema();
    const { events } = tablesOf(schema);
    const inbox = postgresInbox({ connectionString: url, schema, pace });
    opened.push(inbox);
    await inbox.accept(newDelivery(1, { event: "invoice.paid" }));
    await query(
      url,
      `INSERT INTO ${events} (key, digest, kind, raw, secret_index, received_at, signed_at, state, forget_at, queue, due_at)
       SELECT int4send(n), int4send(n), 'a', '', 0, 0, n, 'done', 1, 'other', 0 FROM generate_series(1, 3000) AS n`,
    );
    await inbox.start({ run: async () => {}, concurrency: 1, kinds: [], onError: () => {} });
    await until(async () => (await query(url, `SELECT 1 FROM ${events}`)).length === 1);
    const { remembersSince } = await inbox.horizon();
    expect(remembersSince).toBeGreaterThanOrEqual(3_000);
    const forgotten = `SELECT value FROM ${tablesOf(schema).meta} WHERE name = 'forgotten_until'`;
    expect(await query(url, forgotten)).toEqual([{ value: "3000" }]);
  });

  test("runs as many handlers at the same time as it may, over all queues", async () => {
    const schema = freshSchema();
    let running = 0;
    let most = 0;
    const { inbox, ran } = await started(schema, {
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
});
