import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../../src/idempotency/memory/store.ts";
import { fc } from "../../support/properties.ts";
import { gatewayOn } from "../support/gateway.ts";
import { listingService, ORDER, type Situation, situations } from "./listing-service.ts";

const RUNS = 10_000;
const NOT_SENT_AFTER_MS = 5 * 60_000;
const START = Date.UTC(2026, 0, 31, 9);

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["Date", "performance", "hrtime"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What a look says of an attempt whose response was lost. */
async function lookAt(situation: Situation): Promise<string> {
  vi.setSystemTime(START);
  const { fetch } = listingService(situation, START);
  const gateway = gatewayOn(fetch, { idempotency: memoryIdempotency(), maxRetries: 0 });
  await gateway.mobileMoney.initiate(ORDER, { idempotencyKey: "ORDER-42/1" }).catch(() => {});
  vi.advanceTimersByTime(NOT_SENT_AFTER_MS);
  const reports = await gateway.idempotency.resolveUnknown({
    lookBackMs: 3_600_000,
    notSentAfterMs: NOT_SENT_AFTER_MS,
  });
  return reports.map(({ state }) => state).join();
}

test(`a payment that exists is never absent, in ${RUNS} lists`, async () => {
  const counts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(situations, async (situation) => {
      const state = await lookAt(situation);
      const name = `${situation.exists ? "exists" : "absent"}: ${state}`;
      counts[name] = (counts[name] ?? 0) + 1;
      if (situation.exists) expect(state).not.toBe("not_sent");
      else expect(["not_sent", "none"]).toContain(state);
    }),
    { numRuns: RUNS },
  );
  // biome-ignore lint/suspicious/noConsole: how often each was reached is a part of the proof
  console.log(counts);
  // A look that always doubts would hold, too.
  expect(counts["absent: not_sent"]).toBeGreaterThan(RUNS / 50);
  expect(counts["exists: resolved"]).toBeGreaterThan(RUNS / 50);
  expect(counts["exists: unclear"]).toBeGreaterThan(RUNS / 50);
});
