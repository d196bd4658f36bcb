import { setImmediate } from "node:timers/promises";
import { Gateway } from "malipo";
import { createSandbox, type SandboxOptions } from "malipo/sandbox";
import { afterEach, describe, expect, test, vi } from "vitest";

const PHONE = "0712345678";
const SCHEDULE = ["09:00:00", "09:00:10", "09:01:10", "09:06:10", "09:36:10", "11:36:10"];

/** A sandbox in which one delivery has been sent, to a receiver that responds in this way. */
async function stage(
  respond: () => Response | Promise<Response>,
  options: SandboxOptions = {},
  create = createSandbox,
) {
  const received: { body: string; headers: string[][] }[] = [];
  const sandbox = create({
    deliver: async (request) => {
      received.push({ body: await request.text(), headers: [...request.headers] });
      return respond();
    },
    ...options,
  });
  const { baseUrl, fetch, keys } = sandbox;
  const gateway = new Gateway({ apiKey: keys.secret, baseUrl, fetch, maxRetries: 0 });
  const url = "https://shop.example.test/hook";
  await gateway.webhooks.register({ name: "shop", url, events: ["payment.initiated"] });
  await gateway.mobileMoney.initiate({ amount: 1, phone: PHONE });
  const entry = () => {
    const [first] = sandbox.deliveries.all();
    if (first === undefined) throw new Error("no delivery was made");
    return first;
  };
  return { sandbox, received, entry };
}

/** A promise, and what resolves it. */
function gateOf(): [gate: Promise<void>, open: () => void] {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [gate, open];
}

const status = (code: number) => () => new Response(null, { status: code });

describe("a delivery without a 200", () => {
  test("is retried after 10 s, 1 min, 5 min, 30 min and 2 h, and then has failed", async () => {
    const { sandbox, entry } = await stage(status(500));
    await sandbox.deliveries.settled();
    const delays = ["10s", "1m", "5m", "30m", "2h"];
    for (const [made, delay] of delays.entries()) {
      expect(entry().attempts).toHaveLength(made + 1);
      expect(entry().state).toBe("pending");
      await sandbox.clock.advance(delay);
    }
    expect(entry().state).toBe("failed");
    const times = entry().attempts.map(({ at }) => at.slice(11, 19));
    expect(times).toEqual(SCHEDULE);
    await sandbox.clock.advance("30d");
    expect(entry().attempts).toHaveLength(6);
  });

  test("is not retried after a 200", async () => {
    const statuses = [500, 404, 200];
    const { sandbox, entry } = await stage(
      () => new Response("", { status: statuses.shift() ?? 500 }),
    );
    await sandbox.clock.advance("1d");
    expect(entry().state).toBe("delivered");
    expect(entry().attempts.map((one) => one.status)).toEqual([500, 404, 200]);
  });

  test.each([201, 202, 204, 301, 302, 400, 401, 404, 410, 429, 500, 503])(
    "is not delivered with the status %i",
    async (code) => {
      const { sandbox, entry } = await stage(status(code));
      await sandbox.clock.advance("1d");
      expect(entry().state).toBe("failed");
      expect(entry().attempts.map((one) => one.status)).toEqual(new Array(6).fill(code));
    },
  );

  test.each<[string, () => Response | Promise<Response>, RegExp]>([
    [
      "rejects the connection",
      () => Promise.reject(new Error("connection refused")),
      /connection refused/,
    ],
    [
      "throws",
      () => {
        throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
      },
      /fetch failed.*ECONNRESET/,
    ],
    ["throws no error", () => Promise.reject("nothing there"), /nothing there/],
    [
      "breaks off",
      () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.error(new Error("terminated")),
          }),
        ),
      /terminated/,
    ],
    ["returns no response", () => Promise.resolve(undefined as unknown as Response), /./],
  ])("because the receiver %s logs the error", async (_, respond, error) => {
    const { sandbox, entry } = await stage(respond);
    await sandbox.deliveries.settled();
    expect(entry().state).toBe("pending");
    const [attempt] = entry().attempts;
    expect(attempt?.error).toMatch(error);
    expect(attempt).not.toHaveProperty("status");
  });

  test("within the time limit is aborted, logged and retried", async () => {
    const requests: Request[] = [];
    const { sandbox, entry } = await stage(status(200), {
      deliveryTimeoutMs: 20,
      deliver: (request) => {
        requests.push(request);
        return new Promise(() => {});
      },
    });
    await sandbox.deliveries.settled();
    expect(entry().attempts).toEqual([
      { at: expect.any(String), error: expect.stringContaining("20 ms"), latencyMs: 0 },
    ]);
    expect(requests[0]?.signal.aborted).toBe(true);
    await sandbox.clock.advance("10s");
    expect(entry().attempts).toHaveLength(2);
  });
});

describe("a receiver", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test("has five seconds to respond by default", async () => {
    // The sandbox takes its timers when it is loaded.
    vi.useFakeTimers();
    vi.resetModules();
    const { createSandbox: create } = await import("malipo/sandbox");
    const hanging = { deliver: () => new Promise<Response>(() => {}) };
    const { entry } = await stage(status(200), hanging, create);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(entry().attempts).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(entry().attempts).toHaveLength(1);
  });
});

describe("a retry or a resend", () => {
  test("keeps body, timestamp and signature", async () => {
    const { sandbox, received, entry } = await stage(status(500));
    await sandbox.clock.advance("1h");
    await sandbox.deliveries.resend(entry().id);
    expect(received).toHaveLength(6);
    for (const one of received) expect(one).toEqual(received[0]);
    expect(JSON.parse(received[5]?.body ?? "").timestamp).toBe("2026-01-01T09:00:00+03:00");
  });
});

describe("a resend", () => {
  test("is sent at once, and resolves with the delivery and its attempt", async () => {
    const { sandbox, received, entry } = await stage(status(200));
    await sandbox.clock.advance("1m");
    const resent = await sandbox.deliveries.resend(entry().id);
    expect(received).toHaveLength(2);
    expect(resent).toEqual(entry());
    expect(resent.attempts.map(({ at }) => at.slice(11, 19))).toEqual(["09:00:00", "09:01:00"]);
  });

  test("can deliver a failed delivery", async () => {
    let code = 500;
    const { sandbox, entry } = await stage(() => new Response("", { status: code }));
    await sandbox.clock.advance("1d");
    expect(entry().state).toBe("failed");
    expect((await sandbox.deliveries.resend(entry().id)).state).toBe("failed");
    code = 200;
    expect((await sandbox.deliveries.resend(entry().id)).state).toBe("delivered");
  });

  test("that is delivered ends the retries", async () => {
    let code = 500;
    const { sandbox, received, entry } = await stage(() => new Response("", { status: code }));
    await sandbox.deliveries.settled();
    code = 200;
    await sandbox.deliveries.resend(entry().id);
    await sandbox.clock.advance("1d");
    expect(received).toHaveLength(2);
  });

  test("that fails changes neither the schedule nor a delivery that was delivered", async () => {
    let code = 500;
    const { sandbox, entry } = await stage(() => new Response("", { status: code }));
    for (let times = 0; times < 7; times++) await sandbox.deliveries.resend(entry().id);
    expect(entry().state).toBe("pending");
    await sandbox.clock.advance("15s");
    expect(entry().attempts).toHaveLength(9);
    code = 200;
    await sandbox.clock.advance("1m");
    expect(entry().state).toBe("delivered");
    code = 500;
    expect((await sandbox.deliveries.resend(entry().id)).state).toBe("delivered");
  });
});

describe("settled()", () => {
  test("resolves when no delivery is in flight, resends included", async () => {
    const [gate, open] = gateOf();
    let done = 0;
    const { sandbox, entry } = await stage(async () => {
      await gate;
      await setImmediate();
      done++;
      return new Response();
    });
    void sandbox.deliveries.resend(entry().id);
    const ended = sandbox.deliveries.settled();
    expect(done).toBe(0);
    open();
    await ended;
    expect(done).toBe(2);
  });

  test("resolves at once if nothing is in flight, and does not wait for retries", async () => {
    const { sandbox, entry } = await stage(status(500));
    await sandbox.deliveries.settled();
    await sandbox.deliveries.settled();
    expect(entry().attempts).toHaveLength(1);
    expect(entry().state).toBe("pending");
  });
});
