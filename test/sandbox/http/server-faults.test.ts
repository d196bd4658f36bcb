import { createSandbox, type FaultEffect, type Sandbox, type ServedSandbox } from "malipo/sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const PHONE = "0712345678";
let sandbox: Sandbox;
let served: ServedSandbox;

beforeEach(async () => {
  sandbox = createSandbox();
  served = await sandbox.serve({ port: 0 });
});
afterEach(() => served.close());

/** Asks for a payment over HTTP; there may never be a response. */
const initiate = (signal: AbortSignal | null = null) =>
  fetch(`${served.baseUrl}/mobile-money/payment/initiate`, {
    method: "POST",
    headers: { "x-api-key": sandbox.keys.secret },
    body: JSON.stringify({ amount: 1, phone: PHONE }),
    signal,
  });
const wasDone = () => sandbox.phone(PHONE).prompt !== undefined;
const add = (effect: FaultEffect) => sandbox.faults.add({ effect });

const failing = async (promise: Promise<unknown>): Promise<{ cause?: { code?: string } }> => {
  try {
    await promise;
  } catch (error) {
    return error as { cause?: { code?: string } };
  }
  throw new Error("It did not fail.");
};

describe("on a socket", () => {
  test.each([
    ["reset", false],
    ["lostResponse", true],
  ] as const)("%s is ECONNRESET, and the payment was made: %j", async (kind, done) => {
    add({ kind });
    const error = await failing(initiate());
    expect(error).toBeInstanceOf(TypeError);
    expect(error.cause?.code).toBe("ECONNRESET");
    expect(wasDone()).toBe(done);
    expect((await initiate()).status).toBe(200);
  });

  test("hang never responds and does nothing, until the caller aborts", async () => {
    add({ kind: "hang" });
    const controller = new AbortController();
    const pending = initiate(controller.signal);
    await expect.poll(() => sandbox.snapshot().faults).toEqual([]);
    expect(wasDone()).toBe(false);
    controller.abort();
    await expect(pending).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    expect(wasDone()).toBe(false);
    expect((await initiate()).status).toBe(200);
  });

  test("truncate breaks off in the middle of the body, and the payment was made", async () => {
    add({ kind: "truncate" });
    const response = await initiate();
    expect(response.status).toBe(200);
    expect(response.headers.get("x-sandbox-fault")).toBe("truncate");
    const promised = Number(response.headers.get("content-length"));
    let received = 0;
    const error = await failing(
      (async () => {
        for await (const chunk of response.body ?? []) received += chunk.length;
      })(),
    );
    expect(error).toBeInstanceOf(TypeError);
    expect(received).toBeLessThan(promised);
    expect(wasDone()).toBe(true);
  });

  test("latency delays the service, then lets it do its work", async () => {
    add({ kind: "latency", ms: 30 });
    const pending = initiate();
    await expect.poll(() => sandbox.snapshot().faults).toEqual([]);
    const response = await pending;
    expect(response.headers.get("x-sandbox-fault")).toBe("latency");
    expect(wasDone()).toBe(true);
  });

  test.each([200, 204, 205, 304, 404, 500])(
    "status %i is returned, and nothing is done",
    async (status) => {
      add({ kind: "status", status, headers: { "Content-Type": "text/plain" }, body: "é" });
      const response = await initiate();
      expect(response.status).toBe(status);
      expect(response.headers.get("x-sandbox-fault")).toBe("status");
      expect(response.headers.get("content-type")).toBe("text/plain");
      expect(await response.text()).toBe([204, 205, 304].includes(status) ? "" : "é");
      expect(wasDone()).toBe(false);
      // The connection is as good as before.
      expect((await initiate()).status).toBe(200);
    },
  );
});
