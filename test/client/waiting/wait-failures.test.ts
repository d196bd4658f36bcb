import { NotFoundError } from "malipo";
import { createSandbox, type FaultEffect, type Sandbox } from "malipo/sandbox";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { gatewayOn } from "../support/gateway.ts";
import {
  connectionRefused,
  endless,
  fail,
  hang,
  html,
  json,
  neverResponds,
  noSuchHost,
  reset,
  type Step,
  status,
  text,
  truncated,
} from "../support/responses.ts";
import { paid, waiting } from "../support/waits.ts";

describe("in virtual time", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, "random").mockReturnValue(0);
  });
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  // biome-ignore format: a table is read across
  const PASSING: [string, Step][] = [
    ["a 500", status(500)], ["a 502 in HTML", html(502)], ["a 503", status(503)],
    ["a 503 with Retry-After", status(503, { "retry-after": "3" })], ["a 504", status(504)],
    ["a 429", status(429)], ["a 429 with Retry-After", status(429, { "retry-after": "3" })],
    ["a 408", status(408)], ["a redirect", status(302)], ["a 404 in the first 10 s", status(404)],
    ["a reset", reset], ["a refused connection", connectionRefused], ["a name that does not resolve", noSuchHost],
    ["an unknown failure", fail(new Error("odd"))], ["no response", hang],
    ["a fetch that ignores its signal", neverResponds], ["a body that breaks off", truncated],
    ["a body that does not end", endless], ["HTML in a 200", html()], ["an empty 200", text("")],
    ["a 200 that is not a payment", json({ success: true, data: { reference: "PAY-1" } })],
    ["a 200 that is a list", json([])], ["a response about another payment", paid("completed", { reference: "PAY-2" })],
  ];

  test.each(PASSING)("a wait goes on after %s, and after another one", async (_, step) => {
    const options = { waitMs: 60_000 };
    const { payment, at } = waiting([paid("pending"), step, step, paid("completed")], options, {
      timeoutMs: 2_000,
    });
    expect(await payment()).toMatchObject({ status: "completed", reference: "PAY-1" });
    expect(at).toHaveLength(4);
  });

  test("a wait goes on after failures of every kind", async () => {
    const kinds = PASSING.slice(0, 9).map(([, step]) => step);
    const { payment, at } = waiting([...kinds, paid("completed")], { waitMs: 300_000 });
    expect(await payment()).toMatchObject({ status: "completed" });
    expect(at).toHaveLength(10);
  });

  test.each([
    [401, "authentication"],
    [403, "permission"],
    [400, "invalid_request"],
    [422, "invalid_request"],
    [409, "conflict"],
    [410, "api"],
  ])("a %d is a definite no, and ends the wait", async (code, name) => {
    const { outcome, at } = waiting([paid("pending"), status(code), paid("completed")]);
    const reason = expect.objectContaining({ code: name, status: code });
    expect(await outcome()).toEqual({ status: "rejected", reason, at: 2_000 });
    expect(at).toEqual([0, 2_000]);
  });

  test("success: false in a 2xx ends the wait", async () => {
    const { outcome } = waiting([json({ success: false, error: "no such merchant" })]);
    expect(await outcome()).toMatchObject({ reason: { code: "api", outcome: "rejected" }, at: 0 });
  });

  test("a 404 after 10 s ends the wait", async () => {
    const { outcome, at } = waiting([status(404)]);
    const { at: endedAt, ...result } = await outcome();
    expect((result as PromiseRejectedResult).reason).toBeInstanceOf(NotFoundError);
    expect(at).toEqual([0, 2_000, 5_000, 8_000, 12_000]);
    expect(endedAt).toBe(12_000);
  });

  test("a payment that the service stores late is found", async () => {
    const { payment } = waiting([
      status(404),
      status(404),
      status(404),
      paid("pending"),
      paid("failed"),
    ]);
    expect(await payment()).toMatchObject({ status: "failed" });
  });

  test("a wait obeys Retry-After and then goes on with its schedule", async () => {
    const busy = status(429, { "retry-after": "9" });
    const { payment, at } = waiting([busy, paid("pending"), paid("completed")]);
    await payment();
    expect(at).toEqual([0, 9_000, 12_000]);
  });

  test("with a Retry-After past the time limit there is no further read", async () => {
    const { outcome, at } = waiting([status(429, { "retry-after": "3600" })], {
      waitMs: 30_000,
    });
    expect(await outcome()).toMatchObject({
      reason: { code: "payment_pending", cause: { code: "rate_limit", retryAfterMs: 3_600_000 } },
      at: 30_000,
    });
    expect(at).toEqual([0]);
  });

  test("a read is one attempt, and the wait is the retry", async () => {
    const { error, at } = waiting([status(500)], { waitMs: 10_000 }, { maxRetries: 9 });
    await error();
    expect(at).toEqual([0, 2_000, 5_000, 8_000]);
  });
});

describe("over real sockets", () => {
  const PHONE = "0712345678";
  let sandbox: Sandbox;
  beforeEach(() => {
    sandbox = createSandbox();
  });

  /** Starts a payment and waits for it. `met` says what becomes of each request. */
  async function collecting(baseUrl: string, timeoutMs = 60_000) {
    const met: string[] = [];
    const fetch = async (url: string, init: RequestInit) => {
      try {
        const response = await globalThis.fetch(url, init);
        met.push(`${response.status}`);
        return response;
      } catch (error) {
        met.push((error as { cause?: { code?: string } }).cause?.code ?? "aborted");
        throw error;
      }
    };
    const { secret } = sandbox.keys;
    const gateway = gatewayOn(fetch, { apiKey: secret, baseUrl, timeoutMs });
    const { reference } = await gateway.mobileMoney.initiate({ amount: 7, phone: PHONE });
    met.length = 0;
    let look = () => {};
    const payment = gateway.payments.waitFor(reference, {
      waitMs: 60_000,
      wake: (_, lookNow) => {
        look = lookNow;
        return () => {};
      },
    });
    // The first read.
    await expect.poll(() => met).toEqual(["200"]);
    return { met, payment, look: () => look() };
  }

  test("a wait goes on after a restart of the service", async () => {
    const first = await sandbox.serve({ port: 0 });
    const { met, payment, look } = await collecting(first.baseUrl);
    await first.close();
    look();
    await expect.poll(() => met).toHaveLength(2);
    sandbox.phone(PHONE).approve();
    const second = await sandbox.serve({ port: first.port });
    look();
    await expect(payment).resolves.toMatchObject({ status: "completed", amount: "7.00" });
    expect(met).toEqual([
      "200",
      expect.stringMatching(/^(ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET)$/),
      "200",
    ]);
    await second.close();
  });

  test("a wait goes on after a restart of the service without a wake-up", async () => {
    const first = await sandbox.serve({ port: 0 });
    const { payment } = await collecting(first.baseUrl);
    await first.close();
    sandbox.phone(PHONE).cancel();
    const second = await sandbox.serve({ port: first.port });
    await expect(payment).resolves.toMatchObject({ status: "failed" });
    await second.close();
  });

  // biome-ignore format: a table is read across
  const EFFECTS: [FaultEffect, string][] = [
    [{ kind: "reset" }, "ECONNRESET"],
    [{ kind: "lostResponse" }, "ECONNRESET"],
    [{ kind: "truncate" }, "200"],
    [{ kind: "hang" }, "aborted"],
    [{ kind: "latency", ms: 5_000 }, "aborted"],
    [{ kind: "status", status: 503, body: "<html>" }, "503"],
    [{ kind: "status", status: 200, body: "<html>" }, "200"],
  ];

  test.each(EFFECTS)("a wait goes on after %j", async (effect, meets) => {
    const served = await sandbox.serve({ port: 0 });
    const timeoutMs = meets === "aborted" ? 3_000 : undefined;
    const { met, payment, look } = await collecting(served.baseUrl, timeoutMs);
    sandbox.phone(PHONE).approve();
    sandbox.faults.add({ match: { endpoint: "payments.get" }, effect });
    look();
    await expect.poll(() => met).toEqual(["200", meets]);
    look();
    await expect(payment).resolves.toMatchObject({ status: "completed" });
    await served.close();
  });
});
