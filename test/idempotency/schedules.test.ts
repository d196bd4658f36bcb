import type { IdempotencyStore } from "malipo";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ConnectionError } from "../../src/errors/connection.ts";
import { memoryIdempotency } from "../../src/idempotency/memory/store.ts";
import { type KeyedCall, runOnce } from "../../src/idempotency/run-once.ts";
import { createRedactor } from "../../src/internal/redact.ts";
import { fc } from "../support/properties.ts";

// The real code of two processes on one store. Every step of the store and of the network waits until
// the schedule lets it go on, so that steps happen in every order that fast-check can think of.

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** What becomes of a request. Only `answered` and `lost` prompt the customer. */
type Fate = "answered" | "lost" | "reset" | "not_connected";

/** A store whose every step is scheduled: when it takes effect, and when its caller hears of it. */
function scheduled(store: IdempotencyStore, scheduler: fc.Scheduler, name: string) {
  const step = async <T>(what: string, effect: () => Promise<T>): Promise<T> => {
    await scheduler.schedule(Promise.resolve(), `${name}: ${what}`);
    const result = await effect();
    await scheduler.schedule(Promise.resolve(), `${name}: ${what} returns`);
    return result;
  };
  return {
    ...store,
    begin: (key, attempt) => step("begin", () => store.begin(key, attempt)),
    finish: (key, owner, end) => step(`finish ${end.state}`, () => store.finish(key, owner, end)),
    forget: (key, owner) => step("forget", () => store.forget(key, owner)),
  } satisfies IdempotencyStore;
}

/** The service: it counts prompts. */
function createService(scheduler: fc.Scheduler, fates: readonly Fate[]) {
  let [requests, prompts] = [0, 0];
  const perform: KeyedCall<string>["perform"] = async (signal, deadline) => {
    if (deadline() !== undefined) throw new ConnectionError("past_deadline", "not_sent");
    const fate = fates[requests++ % fates.length] as Fate;
    await scheduler.schedule(Promise.resolve(), `request ${requests}: ${fate}`);
    if (fate === "not_connected") throw new ConnectionError("not_connected", "not_sent");
    if (fate === "reset") throw new ConnectionError("reset", "unknown");
    const reference = `PAY-${++prompts}`;
    await scheduler.schedule(Promise.resolve(), `response ${reference}`);
    if (fate === "lost") throw new ConnectionError("lost", "unknown");
    signal.throwIfAborted();
    return reference;
  };
  return { perform, prompts: () => prompts };
}

/** Lets scheduled steps and time go on, as `timeFirst` says, until everything has ended. */
async function runAll(
  scheduler: fc.Scheduler,
  calls: readonly Promise<unknown>[],
  timeFirst: readonly boolean[],
): Promise<void> {
  let ended = false;
  const all = Promise.allSettled(calls).then(() => {
    ended = true;
  });
  for (let step = 0; !ended; step++) {
    const isTime = timeFirst.length > 0 && timeFirst[step % timeFirst.length];
    if (scheduler.count() > 0 && !(isTime && step < 200)) await scheduler.waitOne();
    else await vi.advanceTimersByTimeAsync(60);
  }
  await all;
}

const fates = fc.array(fc.constantFrom<Fate>("answered", "lost", "reset", "not_connected"), {
  minLength: 1,
  maxLength: 4,
});

test("two processes with several callers each make at most one prompt, in any order of steps", async () => {
  const seen = { shared: 0, answered: 0, unknown: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fates,
      fc.array(fc.constantFrom("A", "B"), { minLength: 2, maxLength: 5 }),
      fc.array(fc.boolean(), { maxLength: 10 }),
      fc.option(fc.nat({ max: 4 }), { nil: undefined }),
      async (scheduler, given, callers, timeFirst, aborting) => {
        const store = memoryIdempotency();
        const stores = {
          A: scheduled(store, scheduler, "A"),
          B: scheduled(store, scheduler, "B"),
        } as Record<string, IdempotencyStore>;
        const service = createService(scheduler, given);
        const controller = new AbortController();
        const calls = callers.map((process, i) =>
          runOnce<string>({
            store: stores[process] as IdempotencyStore,
            redactor: createRedactor("sk_test_none"),
            key: "ORDER-42/1",
            endpoint: "POST /mobile-money/payment/initiate",
            parameters: "{}",
            baseUrl: "https://gateway.test",
            payment: undefined,
            totalTimeoutMs: 60_000,
            waitMs: 60_000,
            perform: service.perform,
            encode: (result) => result,
            decode: (result) => result,
            signal: i === aborting ? controller.signal : undefined,
          }),
        );
        if (aborting !== undefined) {
          scheduler.schedule(Promise.resolve(), "abort").then(() => controller.abort("left"));
        }
        for (const call of calls) call.catch(() => {});
        await runAll(scheduler, calls, timeFirst);
        const ends = await Promise.allSettled(calls);
        const results = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
        expect(service.prompts()).toBeLessThanOrEqual(1);
        expect(new Set(results).size).toBeLessThanOrEqual(1);
        if (results.length > 0) expect(results[0]).toBe("PAY-1");
        if (results.length > 1) seen.shared++;
        if (results.length > 0) seen.answered++;
        if (ends.some((end) => end.status === "rejected" && end.reason?.outcome === "unknown")) {
          seen.unknown++;
        }
      },
    ),
    { numRuns: 2_000 },
  );
  // The schedules have reached what they are about.
  for (const times of Object.values(seen)) expect(times).toBeGreaterThan(50);
});
