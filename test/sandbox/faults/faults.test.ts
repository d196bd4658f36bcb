import { setImmediate } from "node:timers/promises";
import { createSandbox, type FaultEffect } from "malipo/sandbox";
import { beforeEach, describe, expect, test } from "vitest";

const sandbox = createSandbox();
beforeEach(() => sandbox.reset());

const INITIATE = "/mobile-money/payment/initiate";
const PHONE = "0712345678";

/** Asks for a payment; there may never be a response. */
const initiate = (init: RequestInit = {}) =>
  sandbox.fetch(sandbox.baseUrl + INITIATE, {
    method: "POST",
    headers: { "x-api-key": sandbox.keys.secret },
    body: JSON.stringify({ amount: 1, phone: PHONE }),
    ...init,
  });

/** Whether the service has done what it was asked. */
const wasDone = () => sandbox.phone(PHONE).prompt !== undefined;

const failing = async (promise: Promise<unknown>): Promise<{ cause?: { code?: string } }> => {
  try {
    await promise;
  } catch (error) {
    return error as { cause?: { code?: string } };
  }
  throw new Error("It did not fail.");
};

const add = (effect: FaultEffect) => sandbox.faults.add({ effect });

describe("a status fault", () => {
  test("comes before the service does anything, in the envelope", async () => {
    add({ kind: "status", status: 503 });
    const response = await initiate();
    expect(response.status).toBe(503);
    expect(response.headers.get("x-sandbox-fault")).toBe("status");
    expect(await response.json()).toEqual({ success: false, error: expect.any(String) });
    expect(wasDone()).toBe(false);
  });

  test("returns the given headers and JSON", async () => {
    const body = { message: "slow down" };
    add({ kind: "status", status: 429, headers: { "Retry-After": "2" }, body });
    const response = await initiate();
    expect(response.headers.get("retry-after")).toBe("2");
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual(body);
  });

  test.each(["Content-Type", "content-type"])("returns a text unchanged, %s too", async (name) => {
    const body = "<html>Bad gateway</html>";
    add({ kind: "status", status: 502, headers: { [name]: "text/html" }, body });
    const response = await initiate();
    expect(response.headers.get("content-type")).toBe("text/html");
    expect(await response.text()).toBe(body);
  });

  test.each([200, 204, 205, 302, 304, 400, 599])("can return %i", async (status) => {
    add({ kind: "status", status });
    expect((await initiate()).status).toBe(status);
    expect(wasDone()).toBe(false);
  });

  test("comes before the key is checked", async () => {
    add({ kind: "status", status: 500 });
    expect((await initiate({ headers: {} })).status).toBe(500);
  });
});

describe("a latency fault", () => {
  test("delays the service, then lets it do its work", async () => {
    add({ kind: "latency", ms: 30 });
    const pending = initiate();
    await setImmediate();
    expect(wasDone()).toBe(false);
    const response = await pending;
    expect(response.status).toBe(200);
    expect(response.headers.get("x-sandbox-fault")).toBe("latency");
    expect(wasDone()).toBe(true);
  });

  test("can come before another fault", async () => {
    add({ kind: "latency", ms: 1 });
    add({ kind: "status", status: 500 });
    const response = await initiate();
    expect(response.status).toBe(500);
    expect(response.headers.get("x-sandbox-fault")).toBe("status");
    expect((await initiate()).status).toBe(200);
  });

  test("ends with an abort, and then nothing is done", async () => {
    add({ kind: "latency", ms: 60_000 });
    const controller = new AbortController();
    const pending = initiate({ signal: controller.signal });
    controller.abort(new Error("mine"));
    await expect(pending).rejects.toThrow("mine");
    expect(wasDone()).toBe(false);
  });
});

describe("a reset", () => {
  test("is a network error, before the service does anything", async () => {
    add({ kind: "reset" });
    const error = await failing(initiate());
    expect(error).toBeInstanceOf(TypeError);
    expect(error.cause?.code).toBe("ECONNRESET");
    expect(wasDone()).toBe(false);
  });
});

describe("a lost response", () => {
  test("is the same network error, after the service has done its work", async () => {
    add({ kind: "reset" });
    const reset = await failing(initiate());
    add({ kind: "lostResponse" });
    const lost = await failing(initiate());
    expect(wasDone()).toBe(true);
    expect(String(lost)).toBe(String(reset));
    expect(lost.cause).toEqual(reset.cause);
  });

  test("of a rejected call has changed nothing", async () => {
    add({ kind: "lostResponse" });
    await failing(initiate({ headers: {} }));
    expect(wasDone()).toBe(false);
  });
});

describe("a truncated response", () => {
  test("breaks off in the middle of its body, after the service has done its work", async () => {
    add({ kind: "truncate" });
    const response = await initiate();
    expect(response.status).toBe(200);
    expect(response.headers.get("x-sandbox-fault")).toBe("truncate");
    expect(wasDone()).toBe(true);
    const promised = Number(response.headers.get("content-length"));
    let received = "";
    const error = await failing(
      (async () => {
        for await (const chunk of response.body ?? []) received += Buffer.from(chunk).toString();
      })(),
    );
    expect(error).toBeInstanceOf(TypeError);
    expect(received).toMatch(/^\{"success":true/);
    expect(received.length).toBeLessThan(promised);
    expect(received.length).toBeGreaterThan(promised / 3);
  });
});

describe("a hanging call", () => {
  test("never responds and does nothing; an abort ends it", async () => {
    add({ kind: "hang" });
    const controller = new AbortController();
    const pending = initiate({ signal: controller.signal });
    const first = await Promise.race([pending, setImmediate("still hanging")]);
    expect(first).toBe("still hanging");
    controller.abort();
    await expect(pending).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    expect(wasDone()).toBe(false);
  });

  test("that was aborted before it began does nothing", async () => {
    const pending = initiate({ signal: AbortSignal.abort(new Error("early")) });
    await expect(pending).rejects.toThrow("early");
    expect(wasDone()).toBe(false);
  });
});
