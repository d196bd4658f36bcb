import { type ChaosOptions, createSandbox } from "malipo/sandbox";
import { isKnownEvent, type VerifyWebhookOptions, verifyWebhook } from "malipo/webhooks";
import { describe, expect, test } from "vitest";

const KINDS = ["invoice.created", "invoice.paid"];

/** A shop whose webhook verifies what comes, and answers as it should. */
async function shop(
  verify: Partial<VerifyWebhookOptions> = {},
  clock: "virtual" | "real" = "virtual",
) {
  /** What came, in its order: the invoice, the event, and what was answered. */
  const came: string[] = [];
  const requests: { headers: Headers; body: string; at: number }[] = [];
  const sandbox = createSandbox({
    clock,
    deliver: async (request) => {
      const body = await request.text();
      requests.push({ headers: request.headers, body, at: sandbox.clock.now().getTime() });
      try {
        const { webhookSecrets } = sandbox;
        const given = { body, headers: request.headers, secret: webhookSecrets };
        const event = verifyWebhook({ ...given, ...verify } as VerifyWebhookOptions);
        const data: object = event.data;
        came.push(isKnownEvent(event) ? `${Reflect.get(data, "number")} ${event.event}` : "");
        return new Response();
      } catch (error) {
        came.push((error as { code: string }).code);
        return new Response(null, { status: 401 });
      }
    },
  });
  const headers = { "x-api-key": sandbox.keys.secret };
  const send = async (method: string, path: string, body: object) => {
    const init = { method, headers, body: JSON.stringify(body) };
    return (await sandbox.fetch(sandbox.baseUrl + path, init)).json();
  };
  await send("POST", "/webhooks/register", {
    name: "shop",
    url: "https://shop.test/hook",
    events: KINDS,
  });
  /** Two events, an invoice made and paid, so many times. */
  const sell = async (count = 1) => {
    for (let sale = 0; sale < count; sale++) {
      const { data } = await send("POST", "/invoices", {});
      await send("PUT", `/invoices/${data.id}`, { status: "paid" });
    }
    await sandbox.deliveries.settled();
  };
  const start = sandbox.clock.now().getTime();
  return { sandbox, came, requests, sell, start, send };
}

const BOTH = ["INV-0001 invoice.created", "INV-0001 invoice.paid"];

describe("a delivery under chaos", () => {
  test("that is duplicated comes twice, the same bytes, and both are in the log", async () => {
    const { sandbox, came, requests, sell } = await shop();
    sandbox.chaos({ seed: 1, duplicate: 1 });
    await sell();
    expect(came.toSorted()).toEqual([BOTH[0], ...BOTH, BOTH[1]]);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(2);
    for (const { headers } of requests) {
      expect(headers.get("x-sandbox-fault")).toBe("duplicate");
      expect(headers.get("x-sandbox-chaos-seed")).toBe("1");
    }
    for (const { attempts, chaos, state } of sandbox.deliveries.all()) {
      expect(state).toBe("delivered");
      expect(chaos).toEqual({ seed: "1", touched: ["duplicate"] });
      expect(attempts.map(({ chaos }) => chaos)).toEqual([["duplicate"], ["duplicate"]]);
    }
  });

  test("that is lost on its way never leaves, is logged, and goes on with its retries", async () => {
    const { sandbox, came, sell } = await shop();
    sandbox.chaos({ drop: 1 });
    await sell();
    const [first] = sandbox.deliveries.all();
    expect(first?.state).toBe("pending");
    expect(first?.attempts).toMatchObject([
      { error: expect.stringContaining("lost"), chaos: ["drop"] },
    ]);
    sandbox.chaos({});
    await sandbox.clock.advance("10s");
    expect(came).toEqual(BOTH);
    expect(sandbox.deliveries.all().map(({ state }) => state)).toEqual(["delivered", "delivered"]);
  });

  test("at a drop rate of 1 never arrives, and has failed after the last retry", async () => {
    const { sandbox, came, sell } = await shop();
    sandbox.chaos({ drop: 1 });
    await sell();
    await sandbox.clock.advance("1d");
    expect(came).toEqual([]);
    for (const { state, attempts } of sandbox.deliveries.all()) {
      expect(state).toBe("failed");
      expect(attempts).toHaveLength(6);
    }
  });

  test("with a bad signature is refused, and comes again with the right one", async () => {
    const { sandbox, came, requests, sell } = await shop();
    sandbox.chaos({ badSignature: 1 });
    await sell();
    expect(came).toEqual(["signature_mismatch", "signature_mismatch"]);
    expect(requests[0]?.headers.get("x-sandbox-fault")).toBe("badSignature");
    sandbox.chaos({});
    await sandbox.clock.advance("10s");
    expect(came.slice(2)).toEqual(BOTH);
    expect(requests[2]?.headers.has("x-sandbox-fault")).toBe(false);
    const [first] = sandbox.deliveries.all();
    expect(first?.attempts).toMatchObject([
      { status: 401, chaos: ["badSignature"] },
      { status: 200 },
    ]);
    expect(first?.signature).toBe(requests[2]?.headers.get("x-service-signature"));
  });

  test("with a stale timestamp is a day old and rightly signed, at every attempt", async () => {
    const { sandbox, came, requests, sell, start } = await shop(
      { maxAgeSeconds: 300 },
      // It is the machine's time that a receiver goes by.
      "real",
    );
    sandbox.chaos({ staleTimestamp: 1 });
    await sell();
    sandbox.chaos({});
    await sandbox.clock.advance("10s");
    expect(new Set(came)).toEqual(new Set(["timestamp_out_of_range"]));
    expect(requests).toHaveLength(4);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(2);
    for (const { body, headers } of requests) {
      const age = start - Date.parse(JSON.parse(body).timestamp);
      expect(Math.round(age / 3_600_000)).toBe(24);
      expect(headers.get("x-sandbox-fault")).toBe("staleTimestamp");
    }
  });

  test("that is delayed comes up to a minute late, by the clock", async () => {
    const { sandbox, came, requests, sell, start } = await shop();
    sandbox.chaos({ delay: 1 });
    await sell(5);
    expect(came).toEqual([]);
    expect(sandbox.deliveries.all()[0]).toMatchObject({
      state: "pending",
      attempts: [],
      chaos: { touched: ["delay"] },
    });
    await sandbox.clock.advance("60s");
    expect(came).toHaveLength(10);
    const waits = requests.map(({ at }) => at - start);
    expect(Math.min(...waits)).toBeGreaterThan(0);
    expect(Math.max(...waits)).toBeGreaterThan(30_000);
    // Both ways of being out of order come of it.
    expect(came).not.toEqual(came.toSorted());
  });

  test("that is reordered comes right behind the next one to its address", async () => {
    const { sandbox, came, requests, sell, start } = await shop();
    sandbox.chaos({ reorder: 1 });
    await sell(2);
    expect(came).toEqual([
      "INV-0001 invoice.paid",
      "INV-0001 invoice.created",
      "INV-0002 invoice.paid",
      "INV-0002 invoice.created",
    ]);
    expect(requests.map(({ at }) => at)).toEqual(Array(4).fill(start));
    expect(requests.map(({ headers }) => headers.get("x-sandbox-fault"))).toEqual([
      null,
      "reorder",
      null,
      "reorder",
    ]);
    expect(sandbox.snapshot().timers).toEqual([]);
  });

  test("that waits for a next one that does not come goes out after 10 s, once", async () => {
    const { sandbox, came, send } = await shop();
    sandbox.chaos({ reorder: 1 });
    await send("POST", "/invoices", {});
    await sandbox.clock.advance("9s");
    expect(came).toEqual([]);
    await sandbox.clock.advance("1s");
    expect(came).toEqual(["INV-0001 invoice.created"]);
    // The one after it is reordered as if nothing had been.
    await send("POST", "/invoices", {});
    await send("POST", "/invoices", {});
    await sandbox.clock.advance("1d");
    expect(came.slice(1)).toEqual(["INV-0003 invoice.created", "INV-0002 invoice.created"]);
  });

  test("that waits goes out although chaos has ended meanwhile", async () => {
    const { sandbox, came, send } = await shop();
    sandbox.chaos({ reorder: 1 });
    await send("POST", "/invoices", {});
    sandbox.chaos({});
    await send("POST", "/invoices", {});
    await sandbox.clock.advance("10s");
    expect(came).toEqual(["INV-0002 invoice.created", "INV-0001 invoice.created"]);
  });

  test("that somebody resends is left alone", async () => {
    const { sandbox, requests, sell } = await shop();
    await sell();
    sandbox.chaos({ duplicate: 1, drop: 1, badSignature: 1 });
    const [first] = sandbox.deliveries.all();
    const resent = await sandbox.deliveries.resend(first?.id ?? "");
    expect(resent.attempts).toHaveLength(2);
    expect(requests.at(-1)?.headers.has("x-sandbox-fault")).toBe(false);
  });
});

describe("a rotation of the secret", () => {
  test("happens once, to a secret that is listed beforehand", async () => {
    const { sandbox, came, sell } = await shop();
    const old = sandbox.webhookSecret;
    expect(sandbox.webhookSecrets).toEqual([old]);
    sandbox.chaos({ rotateSecret: 1 });
    const [, next] = sandbox.webhookSecrets;
    expect(sandbox.webhookSecret).toBe(old);
    expect(next).not.toBe(old);
    await sell(3);
    expect(came).toHaveLength(6);
    expect(came).not.toContain("signature_mismatch");
    expect(sandbox.webhookSecrets).toEqual([next, old]);
    const touched = sandbox.deliveries.all().map(({ chaos }) => chaos?.touched);
    expect(touched).toEqual([["rotateSecret"], ...Array(5).fill(undefined)]);
  });

  test("is seen by a receiver that knows the first secret alone", async () => {
    const first = createSandbox().webhookSecret;
    const { sandbox, came, sell } = await shop({ secret: first });
    await sell();
    sandbox.chaos({ rotateSecret: 1 });
    await sell();
    expect(came).toEqual([...BOTH, "signature_mismatch", "signature_mismatch"]);
  });

  test("leaves a delivery before it with its signature when it is retried", async () => {
    const { sandbox, requests, sell } = await shop();
    sandbox.chaos({ drop: 1 });
    await sell();
    const before = sandbox.deliveries.all().map(({ signature }) => signature);
    sandbox.chaos({ rotateSecret: 1 });
    await sell();
    await sandbox.clock.advance("10s");
    const sent = requests.map(({ headers }) => headers.get("x-service-signature"));
    expect(sent.slice(2)).toEqual(before);
  });

  test("in a later run goes on to a third, and a snapshot holds them all", async () => {
    const { sandbox, came, sell } = await shop();
    for (const seed of [1, 2, 2]) {
      sandbox.chaos({ seed, rotateSecret: 1 });
      await sell();
    }
    expect(new Set(sandbox.webhookSecrets).size).toBe(4);
    expect(came).not.toContain("signature_mismatch");
    const other = createSandbox();
    other.restore(sandbox.snapshot());
    expect(other.webhookSecrets).toEqual(sandbox.webhookSecrets);
    sandbox.reset();
    expect(sandbox.webhookSecrets).toEqual(createSandbox().webhookSecrets);
  });
});

describe("all of it at once", () => {
  const all: ChaosOptions = {
    duplicate: 0.3,
    reorder: 0.3,
    delay: 0.3,
    drop: 0.3,
    badSignature: 0.2,
    staleTimestamp: 0.1,
    rotateSecret: 0.1,
  };
  const run = async (seed: number) => {
    const { sandbox, came, sell } = await shop();
    sandbox.chaos({ seed, ...all });
    await sell(10);
    await sandbox.clock.advance("1d");
    return { came, log: sandbox.deliveries.all() };
  };

  test("comes again with its seed, to the byte", async () => {
    const [one, again, other] = [await run(1), await run(1), await run(2)];
    expect(again).toEqual(one);
    expect(other.came).not.toEqual(one.came);
  });

  test.each([1, 2, 3, 4, 5])("brings every event in the end, with seed %i", async (seed) => {
    const { came, log } = await run(seed);
    expect(log.map(({ state }) => state)).toEqual(Array(20).fill("delivered"));
    const events = new Set(came.filter((one) => one.startsWith("INV-")));
    expect(events.size).toBe(20);
  });

  test("goes on from a snapshot as it would have gone on", async () => {
    const { sandbox, sell } = await shop();
    sandbox.chaos({ seed: 6, ...all });
    await sell(5);
    const other = await shop();
    other.sandbox.restore(JSON.parse(JSON.stringify(sandbox.snapshot())));
    for (const one of [sandbox, other.sandbox]) await one.clock.advance("1d");
    expect(other.sandbox.deliveries.all()).toEqual(sandbox.deliveries.all());
  });
});
