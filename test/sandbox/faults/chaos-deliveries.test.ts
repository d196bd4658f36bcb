import { type ChaosOptions, createSandbox } from "malipo/sandbox";
import { isKnownEvent, type VerifyWebhookOptions, verifyWebhook } from "malipo/webhooks";
import { describe, expect, test } from "vitest";

const KINDS = ["invoice.created", "invoice.paid"];

/** A shop whose webhook verifies each delivery, and responds accordingly. */
async function shop(
  verify: Partial<VerifyWebhookOptions> = {},
  clock: "virtual" | "real" = "virtual",
) {
  /** The deliveries in the order of arrival: the invoice, the event, and the status of the response. */
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
  /** Two events, an invoice made and paid, a number of times. */
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
  test("that is duplicated is sent twice with the same bytes, and both are logged", async () => {
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
      expect(chaos).toEqual({ seed: "1", faults: ["duplicate"] });
      expect(attempts.map(({ chaos }) => chaos)).toEqual([["duplicate"], ["duplicate"]]);
    }
  });

  test("that is dropped is not sent, is logged, and is retried", async () => {
    const { sandbox, came, sell } = await shop();
    sandbox.chaos({ drop: 1 });
    await sell();
    const [first] = sandbox.deliveries.all();
    expect(first?.state).toBe("pending");
    expect(first?.attempts).toMatchObject([{ error: "dropped by chaos", chaos: ["drop"] }]);
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

  test("with a bad signature is rejected, and retried with the right one", async () => {
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

  test("with a stale timestamp is a day old and correctly signed in every attempt", async () => {
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

  test("that is delayed is sent up to a minute late, by the clock", async () => {
    const { sandbox, came, requests, sell, start } = await shop();
    sandbox.chaos({ delay: 1 });
    await sell(5);
    expect(came).toEqual([]);
    expect(sandbox.deliveries.all()[0]).toMatchObject({
      state: "pending",
      attempts: [],
      chaos: { faults: ["delay"] },
    });
    await sandbox.clock.advance("60s");
    expect(came).toHaveLength(10);
    const waits = requests.map(({ at }) => at - start);
    expect(Math.min(...waits)).toBeGreaterThan(0);
    expect(Math.max(...waits)).toBeGreaterThan(30_000);
    // Both ways of being out of order come of it.
    expect(came).not.toEqual(came.toSorted());
  });

  test("that is reordered is sent right after the next one to its address", async () => {
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

  test("that waits for a next one that does not come is sent once, after 10 s", async () => {
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

  test("that waits is sent although chaos has ended in the meantime", async () => {
    const { sandbox, came, send } = await shop();
    sandbox.chaos({ reorder: 1 });
    await send("POST", "/invoices", {});
    sandbox.chaos({});
    await send("POST", "/invoices", {});
    await sandbox.clock.advance("10s");
    expect(came).toEqual(["INV-0002 invoice.created", "INV-0001 invoice.created"]);
  });

  test("that is resent gets no faults", async () => {
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
  test("happens once, to a secret that is listed before", async () => {
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
    const faults = sandbox.deliveries.all().map(({ chaos }) => chaos?.faults);
    expect(faults).toEqual([["rotateSecret"], ...Array(5).fill(undefined)]);
  });

  test("is noticed by a receiver that only knows the first secret", async () => {
    const first = createSandbox().webhookSecret;
    const { sandbox, came, sell } = await shop({ secret: first });
    await sell();
    sandbox.chaos({ rotateSecret: 1 });
    await sell();
    expect(came).toEqual([...BOTH, "signature_mismatch", "signature_mismatch"]);
  });

  test("keeps the signature of an earlier delivery when it is retried", async () => {
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

  test("in a later run makes a third secret, and a snapshot holds them all", async () => {
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

describe("all kinds of chaos together", () => {
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

  test("are repeated by the seed, byte for byte", async () => {
    const [one, again, other] = [await run(1), await run(1), await run(2)];
    expect(again).toEqual(one);
    expect(other.came).not.toEqual(one.came);
  });

  test.each([1, 2, 3, 4, 5])("deliver every event in the end, with seed %i", async (seed) => {
    const { came, log } = await run(seed);
    expect(log.map(({ state }) => state)).toEqual(Array(20).fill("delivered"));
    const events = new Set(came.filter((one) => one.startsWith("INV-")));
    expect(events.size).toBe(20);
  });

  test("go on from a snapshot as without it", async () => {
    const { sandbox, sell } = await shop();
    sandbox.chaos({ seed: 6, ...all });
    await sell(5);
    const other = await shop();
    other.sandbox.restore(JSON.parse(JSON.stringify(sandbox.snapshot())));
    for (const one of [sandbox, other.sandbox]) await one.clock.advance("1d");
    expect(other.sandbox.deliveries.all()).toEqual(sandbox.deliveries.all());
  });
});
