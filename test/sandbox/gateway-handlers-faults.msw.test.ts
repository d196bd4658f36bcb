import { setTimeout } from "node:timers/promises";
import { gatewayHandlers } from "malipo/msw";
import { createSandbox, type FaultEffect } from "malipo/sandbox";
import { setupServer } from "msw/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const PHONE = "0712345678";
const sandbox = createSandbox();
const headers = { "x-api-key": sandbox.keys.secret };
const server = setupServer(...gatewayHandlers(sandbox));
// The strategy's name in msw 2, and in msw 3.
const strict = { onUnhandledRequest: "error", onUnhandledFrame: "error" } as const;
beforeEach(() => {
  sandbox.reset();
  server.listen(strict);
});
afterEach(() => server.close());

describe("a fault", () => {
  const initiate = (signal: AbortSignal | null = null) =>
    fetch(`${sandbox.baseUrl}/payments/initiate`, {
      method: "POST",
      headers,
      body: JSON.stringify({ amount: 1, phone: PHONE }),
      signal,
    });
  const wasDone = () => sandbox.phone(PHONE).prompt !== undefined;

  test.each<[FaultEffect["kind"], boolean]>([
    ["reset", false],
    ["lostResponse", true],
  ])("of kind %s is a network error, and the payment was made: %j", async (kind, done) => {
    sandbox.faults.add({ effect: { kind } as FaultEffect });
    await expect(initiate()).rejects.toThrow(TypeError);
    expect(wasDone()).toBe(done);
    expect((await initiate()).status).toBe(200);
  });

  test("of kind truncate breaks off the body, and the payment was made", async () => {
    sandbox.faults.add({ effect: { kind: "truncate" } });
    const response = await initiate();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow(TypeError);
    expect(wasDone()).toBe(true);
  });

  test.each<FaultEffect>([
    { kind: "status", status: 503, headers: { "Retry-After": "1" }, body: "busy" },
    { kind: "latency", ms: 10 },
  ])("of kind $kind is marked on the response", async (effect) => {
    sandbox.faults.add({ effect });
    const response = await initiate();
    expect(response.status).toBe(effect.kind === "status" ? 503 : 200);
    expect(response.headers.get("x-sandbox-fault")).toBe(effect.kind);
  });

  test("of kind latency ends with the caller's abort, and then nothing is done", async () => {
    sandbox.faults.add({ effect: { kind: "latency", ms: 2_000 } });
    const controller = new AbortController();
    const pending = initiate(controller.signal);
    await expect.poll(() => sandbox.snapshot().faults).toEqual([]);
    controller.abort();
    await expect(pending).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    await setTimeout(2_100);
    expect(wasDone()).toBe(false);
  });

  test("of kind hang ends with the caller's abort", async () => {
    sandbox.faults.add({ effect: { kind: "hang" } });
    const controller = new AbortController();
    const pending = initiate(controller.signal);
    await expect.poll(() => sandbox.snapshot().faults).toEqual([]);
    controller.abort();
    await expect(pending).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    expect(wasDone()).toBe(false);
  });
});
