import { setTimeout as sleep } from "node:timers/promises";
import { pgBossInbox } from "malipo/inbox/pg-boss";
import type { Inbox } from "malipo/webhooks";
import { afterAll, describe, expect, test, vi } from "vitest";
import { keptPriorityOf } from "../../../../src/webhooks/inbox/pg-boss/kept-kinds.ts";
import type { WorkerOptions } from "../../../../src/webhooks/inbox/types.ts";
import { newDelivery, references, stopAll, until } from "../../../suites/inbox-stage.ts";
import type { Engine } from "../../../support/engines/engine.ts";
import { startPostgres } from "../../../support/engines/postgres.ts";
import { closeProxies, proxyTo } from "../../../support/engines/proxy.ts";
import { freshQueue, query, tuning } from "./stage.ts";

const engine = await startPostgres();
const here = engine as Engine;
const { url = "" } = engine ?? {};
afterAll(() => engine?.stop());

const invoice = (number: number) => newDelivery(number, { event: "invoice.paid" });

vi.setConfig({ testTimeout: 60_000 });

describe.skipIf(engine === undefined)("pgBossInbox: processing", () => {
  stopAll();
  closeProxies();
  const opened: Inbox[] = [];
  afterAll(() => Promise.all(opened.map((inbox) => inbox.stop(100))));

  /** A started inbox, and what it ran: key and attempt. */
  async function started(
    queue: string,
    { connectionString = url, ...options }: Partial<WorkerOptions> & { connectionString?: string },
  ) {
    const inbox = pgBossInbox({ connectionString, queue, tuning });
    opened.push(inbox);
    const ran: [number: number, attempt: number][] = [];
    const onKept = vi.fn();
    const onError = vi.fn();
    await inbox.start({
      concurrency: 8,
      onKept,
      onError,
      ...options,
      run: async (job) => {
        ran.push([Number.parseInt(job.key, 16), job.attempt]);
        await options.run?.(job);
      },
    });
    return { inbox, ran, onKept, onError };
  }

  test("leaves nothing of a processed event but its digest", async () => {
    const queue = freshQueue();
    const { inbox, ran } = await started(queue, {});
    await inbox.accept(newDelivery(1));
    await until(() => ran.length === 1);
    const text = "SELECT data, output FROM pgboss.job WHERE name = $1 AND state = 'completed'";
    await until(async () => (await query(url, text, [queue])).length === 1);
    const { digest } = newDelivery(1);
    expect(await query(url, text, [queue])).toEqual([{ data: { digest }, output: null }]);
  });

  test("remembers the event of a dead letter as long as that is there, and then for the retention", async () => {
    const queue = freshQueue();
    const retentionMs = 1_000;
    const inbox = pgBossInbox({ connectionString: url, queue, retentionMs, tuning });
    opened.push(inbox);
    await inbox.accept(newDelivery(1, { deadLetterReason: "too old" }));
    // Longer than it takes pg-boss to delete what is over.
    await sleep(4_000);
    expect(await inbox.accept(newDelivery(1))).toMatchObject({ kind: "duplicate" });
    const all = { kind: undefined, since: undefined, until: undefined, after: undefined, limit: 9 };
    const [letter] = (await inbox.deadLetters?.list(all)) ?? [];
    await inbox.deadLetters?.drop([letter?.id ?? ""]);
    await until(async () => (await inbox.accept(newDelivery(1))).kind === "accepted");
  });

  test("counts the attempts at an event on after another process has kept it", async () => {
    const queue = freshQueue();
    const kinds = ["payment.completed"];
    const next = await started(queue, {
      run: async ({ signal }) => {
        if (next.ran.length === 1) throw new Error("once");
        if (next.ran.length === 2)
          await new Promise((end) => signal.addEventListener("abort", end));
      },
    });
    await next.inbox.accept(invoice(1));
    await until(() => next.ran.length === 2);
    // Handed back: that is no attempt.
    await next.inbox.stop(0);
    const old = await started(queue, { kinds });
    await until(() => old.onKept.mock.calls.length === 1);
    expect(old.onKept.mock.calls).toEqual([["invoice.paid"]]);
    expect(await old.inbox.stats?.()).toMatchObject({ waiting: 1, unhandled: 1, lagMs: 0 });
    const last = await started(queue, { kinds: ["invoice.paid"] });
    await until(() => last.ran.length === 1);
    expect([...next.ran, ...old.ran, ...last.ran]).toEqual([
      [1, 1],
      [1, 2],
      [1, 2],
    ]);
  });

  test("takes kept events of its kinds beside the others, and leaves those of other kinds", async () => {
    const queue = freshQueue();
    const old = await started(queue, { kinds: ["payment.completed"] });
    for (let number = 1; number <= 60; number++) {
      const event = number % 2 === 0 ? "invoice.paid" : "payout.completed";
      await old.inbox.accept(newDelivery(number, { event }));
    }
    await until(() => old.onKept.mock.calls.length === 60);
    const next = await started(queue, { kinds: ["invoice.paid", "payment.completed"] });
    await next.inbox.accept(newDelivery(61));
    await until(() => old.ran.length + next.ran.length === 31);
    expect(next.ran.filter(([number]) => number % 2 === 1 && number < 61)).toEqual([]);
    expect(await next.inbox.stats?.()).toMatchObject({ stored: 61, waiting: 30, unhandled: 30 });
    // One that takes all kinds gets the rest.
    const all = await started(queue, {});
    await until(() => all.ran.length === 30);
    expect(all.ran.every(([, attempt]) => attempt === 1)).toBe(true);
  });

  test("keeps events below the priority that it fetches from", () => {
    const kinds = ["invoice.paid", "payment.completed", "", "💸", "a".repeat(500)];
    const priorities = kinds.map(keptPriorityOf);
    expect(new Set(priorities).size).toBe(kinds.length);
    for (const priority of priorities) {
      expect(priority).toBeLessThan(0);
      expect(priority).toBeGreaterThanOrEqual(-(2 ** 31));
    }
  });

  test("writes the end of an event when PostgreSQL is back, and does not run it again", async () => {
    const proxy = await proxyTo(here);
    const queue = freshQueue();
    let end = () => {};
    const gate = new Promise<void>((resolve) => {
      end = resolve;
    });
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
    const done = "SELECT retry_count FROM pgboss.job WHERE name = $1 AND state = 'completed'";
    await until(async () => (await query(url, done, [queue])).length === 1);
    expect(ran).toEqual([[1, 1]]);
  });

  test("runs as many handlers at the same time as it was told, and no more", async () => {
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
    await Promise.all(references(40).map((_, at) => inbox.accept(newDelivery(at))));
    await until(() => ran.length === 40);
    expect(most).toBe(3);
  });
});
