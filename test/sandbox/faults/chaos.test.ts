import { Gateway, NotFoundError, ServerError } from "malipo";
import { type ChaosOptions, createSandbox } from "malipo/sandbox";
import { describe, expect, test } from "vitest";

const PHONE = "0712345678";

function callsOf(seed = "malipo") {
  const sandbox = createSandbox({ seed });
  const headers = { "x-api-key": sandbox.keys.secret };
  /** Starts a payment: its result, and whether it was made. */
  const initiate = async () => {
    const body = JSON.stringify({ amount: 1, phone: PHONE });
    const before = sandbox.snapshot().nextId;
    const url = `${sandbox.baseUrl}/payments/initiate`;
    const seen = await sandbox
      .fetch(url, { method: "POST", headers, body })
      .then(({ status }) => status, String);
    return { seen, made: sandbox.snapshot().nextId !== before };
  };
  const get = (path: string) => sandbox.fetch(sandbox.baseUrl + path, { headers });
  const times = async (count: number) => {
    const all = [];
    for (let call = 0; call < count; call++) all.push(await initiate());
    return all;
  };
  return { sandbox, initiate, get, times };
}

describe("chaos of API calls", () => {
  test("returns an error that names the seed, and does nothing", async () => {
    const { sandbox, initiate, get } = callsOf();
    sandbox.chaos({ seed: "a b", apiErrors: 1 });
    const { seen, made } = await initiate();
    expect([429, 500, 502, 503, 504]).toContain(seen);
    expect(made).toBe(false);
    const response = await get("/merchant");
    expect(response.headers.get("x-sandbox-fault")).toBe("apiErrors");
    expect(response.headers.get("x-sandbox-chaos-seed")).toBe("a%20b");
    expect(await response.text()).toContain("a b");
  });

  test("returns all its statuses, and those of a proxy as HTML", async () => {
    const { sandbox, get } = callsOf();
    sandbox.chaos({ seed: "<", apiErrors: 1 });
    const kinds = new Map<number, string | null>();
    for (let call = 0; call < 60; call++) {
      const response = await get("/merchant");
      kinds.set(response.status, response.headers.get("content-type"));
      if (kinds.get(response.status) === "text/html") {
        expect(await response.text()).toContain("&#60;");
      } else {
        expect(await response.json()).toEqual({ success: false, error: expect.any(String) });
      }
    }
    expect(Object.fromEntries(kinds)).toEqual({
      429: "application/json",
      500: "application/json",
      502: "text/html",
      503: "application/json",
      504: "text/html",
    });
  });

  test("loses the response to a call that was done", async () => {
    const { sandbox, initiate } = callsOf();
    sandbox.chaos({ lostResponses: 1 });
    expect(await initiate()).toEqual({ seen: "TypeError: fetch failed", made: true });
  });

  test("injects faults into about as many calls as its rate says", async () => {
    const { sandbox, times } = callsOf();
    sandbox.chaos({ seed: 1, apiErrors: 0.3 });
    const errors = (await times(400)).filter(({ seen }) => seen !== 200).length;
    expect(errors).toBeGreaterThan(90);
    expect(errors).toBeLessThan(150);
  });

  test("does not change a fault that was set, and may add to a latency", async () => {
    const { sandbox, get } = callsOf();
    sandbox.chaos({ apiErrors: 1 });
    sandbox.faults.add({ effect: { kind: "status", status: 418 } });
    sandbox.faults.add({ effect: { kind: "latency", ms: 1 } });
    const ordered = await get("/merchant");
    expect(ordered.status).toBe(418);
    expect(ordered.headers.get("x-sandbox-fault")).toBe("status");
    const late = await get("/merchant");
    expect(late.headers.get("x-sandbox-fault")).toBe("apiErrors");
  });

  test("injects nothing into a preflight", async () => {
    const { sandbox } = callsOf();
    sandbox.chaos({ apiErrors: 1, lostResponses: 1 });
    const url = `${sandbox.baseUrl}/merchant`;
    expect((await sandbox.fetch(url, { method: "OPTIONS" })).status).toBe(204);
  });
});

describe("a chaos run", () => {
  const rates = { apiErrors: 0.3, lostResponses: 0.3 };

  test("is repeated by its seed, and differs with another", async () => {
    const run = async (seed: number | string) => {
      const { sandbox, times } = callsOf();
      expect(sandbox.chaos({ seed, ...rates })).toEqual({ seed: String(seed) });
      return times(40);
    };
    expect(await run(1)).toEqual(await run("1"));
    expect(await run(1)).not.toEqual(await run(2));
  });

  test("uses the sandbox's seed by default", async () => {
    const { sandbox, times } = callsOf("desk");
    expect(sandbox.chaos(rates)).toEqual({ seed: "desk" });
    const other = callsOf("desk");
    other.sandbox.chaos({ seed: "desk", ...rates });
    expect(await times(40)).toEqual(await other.times(40));
  });

  test("has faults in the same calls at any other rates", async () => {
    const lost = async (apiErrors: number) => {
      const { sandbox, times } = callsOf();
      sandbox.chaos({ seed: 3, lostResponses: 0.4, apiErrors });
      return (await times(60)).map(({ seen }) => seen);
    };
    const [withoutErrors, withErrors] = [await lost(0), await lost(0.4)];
    for (const [call, seen] of withErrors.entries()) {
      if (typeof seen === "string") expect(withoutErrors[call]).toBe(seen);
    }
    expect(withErrors).toContain("TypeError: fetch failed");
  });

  test("does not change ids and references", async () => {
    const listed = async (options: ChaosOptions) => {
      const { sandbox, times } = callsOf();
      sandbox.chaos(options);
      await times(5);
      return sandbox.snapshot().payments;
    };
    expect(await listed({ lostResponses: 1, rotateSecret: 1 })).toEqual(await listed({}));
  });

  test("is part of a snapshot, goes on from there, and ends with a reset", async () => {
    const { sandbox, times, initiate } = callsOf();
    sandbox.chaos({ seed: 5, ...rates });
    await times(7);
    const other = callsOf();
    other.sandbox.restore(JSON.parse(JSON.stringify(sandbox.snapshot())));
    expect(await other.times(30)).toEqual(await times(30));
    sandbox.reset();
    expect(sandbox.snapshot()).toEqual(createSandbox().snapshot());
    for (const { seen } of await times(20)) expect(seen).toBe(200);
    expect((await initiate()).seen).toBe(200);
  });

  test.each([[undefined], [{}], [{ seed: 4 }], [{ apiErrors: 0 }]])(
    "ends with chaos(%j)",
    async (options) => {
      const { sandbox, initiate } = callsOf();
      sandbox.chaos({ apiErrors: 1 });
      expect((await initiate()).seen).not.toBe(200);
      sandbox.chaos(options);
      expect((await initiate()).seen).toBe(200);
    },
  );

  test("of a function resolves with its result, and ends with it", async () => {
    const { sandbox, initiate } = callsOf();
    const seen = await sandbox.chaos({ apiErrors: 1 }, async () => (await initiate()).seen);
    expect(seen).not.toBe(200);
    expect(await sandbox.chaos({ apiErrors: 1 }, () => "at once")).toBe("at once");
    expect((await initiate()).seen).toBe(200);
  });

  test("of a function that fails names the seed, and keeps the cause", async () => {
    const { sandbox, initiate } = callsOf();
    const gateway = new Gateway({
      apiKey: sandbox.keys.secret,
      baseUrl: sandbox.baseUrl,
      fetch: sandbox.fetch,
      maxRetries: 0,
    });
    const run = () => gateway.payments.get("PAY-NONE");
    const error = await sandbox.chaos({ seed: 9, apiErrors: 1 }, run).catch((error) => error);
    expect(error.message).toMatch(/under chaos with the seed "9"/);
    expect(error.message).toContain(error.cause.message);
    expect(error.cause).not.toBeInstanceOf(NotFoundError);
    expect((await initiate()).seen).toBe(200);
    await expect(sandbox.chaos({ seed: 9 }, () => Promise.reject("no"))).rejects.toThrow(
      /"9".*no$/,
    );
  });

  test("shows its seed in the error that a client gets", async () => {
    const { sandbox } = callsOf();
    sandbox.chaos({ seed: "tuesday", apiErrors: 1 });
    const gateway = new Gateway({
      apiKey: sandbox.keys.secret,
      baseUrl: sandbox.baseUrl,
      fetch: sandbox.fetch,
      maxRetries: 0,
    });
    const errors: unknown[] = [];
    for (let call = 0; call < 10; call++) {
      errors.push(await gateway.merchant.get().catch((error: unknown) => error));
    }
    const [one] = errors.filter((error) => error instanceof ServerError && error.status < 502);
    expect(String(one)).toContain("tuesday");
  });
});
