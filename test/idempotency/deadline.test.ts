import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type IdempotencyStore, TimeoutError } from "malipo";
import { createSandbox } from "malipo/sandbox";
import { afterEach, describe, expect, test, vi } from "vitest";
import { memoryIdempotency } from "../../src/idempotency/memory/store.ts";
import { gatewayOn, rejection } from "../client/support/gateway.ts";
import type { Fetch } from "../client/support/responses.ts";
import { sqliteIdempotency } from "../support/stores/sqlite-idempotency.ts";

const order = { amount: 100, phone: "0712345678", account_reference: "ORDER-42" };
const idempotencyKey = "ORDER-42/1";
const EPSILON_MS = 1;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A store whose `begin` of one process returns only when it is let go: the process is suspended. */
function suspendedAfterBegin(store: IdempotencyStore) {
  let resume = () => {};
  const resumed = new Promise<void>((resolve) => {
    resume = resolve;
  });
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const suspended: IdempotencyStore = {
    ...store,
    begin: async (...args) => {
      const result = await store.begin(...args);
      begun();
      await resumed;
      return result;
    },
  };
  return { suspended, resume, hasBegun };
}

describe("a process that sleeps between begin and send", () => {
  const folder = mkdtempSync(join(tmpdir(), "malipo-deadline-"));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("sends nothing after its lease, so that one key makes one prompt", async () => {
    // The monotonic clock of the process stands still, as it does while a machine is suspended. The
    // store and the wall clock go on.
    vi.useFakeTimers({ toFake: ["Date", "hrtime"] });
    const sandbox = createSandbox();
    const path = join(folder, "keys.db");
    const [storeA, storeB] = [sqliteIdempotency(path), sqliteIdempotency(path)];
    const options = { apiKey: sandbox.keys.secret, baseUrl: sandbox.baseUrl };
    const { suspended, resume, hasBegun } = suspendedAfterBegin(storeA);
    const a = gatewayOn(sandbox.fetch, { ...options, idempotency: suspended });
    const b = gatewayOn(sandbox.fetch, { ...options, idempotency: storeB });
    const pay = (gateway: typeof a) => gateway.mobileMoney.initiate(order, { idempotencyKey });

    const sleeping = pay(a).catch((error: unknown) => error);
    await hasBegun;
    vi.advanceTimersByTime(80_000);
    expect(await rejection(pay(b))).toMatchObject({ code: "outcome_unknown" });
    expect((await b.payments.list()).items).toEqual([]);
    await b.idempotency.resolve(idempotencyKey, "not_sent");
    await pay(b);
    resume();
    const error = await sleeping;

    expect((await b.payments.list()).items).toHaveLength(1);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ code: "timeout", outcome: "not_sent" });
    for (const store of [storeA, storeB]) store.close();
  });
});

/** A gateway on a sandbox of one response, whose clocks move by so much before each attempt leaves. */
async function payWith(clocks: { wallMs: number; monotonicMs: number }, fetch: Fetch) {
  let [wall, monotonic] = [0, 0];
  const [realNow, realPerformance] = [Date.now(), performance.now()];
  vi.spyOn(Date, "now").mockImplementation(() => realNow + wall);
  vi.spyOn(performance, "now").mockImplementation(() => realPerformance + monotonic);
  const store = memoryIdempotency();
  let sent = 0;
  const gateway = gatewayOn(
    (...args) => {
      sent++;
      return fetch(...args);
    },
    {
      idempotency: store,
      totalTimeoutMs: 60_000,
      hooks: {
        request: () => {
          [wall, monotonic] = [clocks.wallMs, clocks.monotonicMs];
        },
      },
    },
  );
  const call = gateway.mobileMoney.initiate(order, { idempotencyKey });
  const result = await call.catch((error: unknown) => error);
  return { result, sent, store };
}

const success: Fetch = async () =>
  new Response(JSON.stringify({ success: true, data: { reference: "PAY-1" } }));
const LAST_MS = 65_000;

describe("a request leaves", () => {
  test.each([
    ["neither clock has moved", { wallMs: 0, monotonicMs: 0 }],
    [
      "a moment before the end by both clocks",
      { wallMs: LAST_MS - EPSILON_MS, monotonicMs: LAST_MS - EPSILON_MS },
    ],
    ["the wall clock was corrected by a second", { wallMs: -1_000, monotonicMs: 0 }],
  ])("if %s", async (_, clocks) => {
    const { result, sent } = await payWith(clocks, success);
    expect(result).toEqual({ reference: "PAY-1" });
    expect(sent).toBe(1);
  });
});

describe("a request does not leave, and the key is free again", () => {
  test.each([
    ["its time is over by the wall clock", { wallMs: LAST_MS, monotonicMs: 0 }, /65 s have passed/],
    [
      "its time is over by the monotonic clock",
      { wallMs: 0, monotonicMs: LAST_MS + EPSILON_MS },
      /65 s have/,
    ],
    ["the wall clock was set back", { wallMs: -1_001, monotonicMs: 0 }, /was set back by 1 s/],
  ])("if %s", async (_, clocks, message) => {
    const { result, sent, store } = await payWith(clocks, success);
    expect(result).toBeInstanceOf(TimeoutError);
    expect(result).toMatchObject({
      outcome: "not_sent",
      message: expect.stringMatching(message),
    });
    expect((result as Error).message).toContain("The idempotency key may have been freed since");
    expect(sent).toBe(0);
    expect((await store.list()).attempts).toEqual([]);
  });

  test("also if it is retried after a 429, with the outcome of the first request", async () => {
    vi.useFakeTimers();
    let sent = 0;
    const gateway = gatewayOn(
      async (...args) => {
        sent++;
        // The machine sleeps while the call waits for its retry.
        vi.setSystemTime(Date.now() + 70_000);
        return script429(...args);
      },
      { totalTimeoutMs: 60_000 },
    );
    const ended = rejection(gateway.mobileMoney.initiate(order, { idempotencyKey }));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await ended).toMatchObject({ code: "timeout", outcome: "rejected" });
    expect(sent).toBe(1);
  });
});

const script429: Fetch = async () =>
  new Response(JSON.stringify({ success: false }), { status: 429 });
