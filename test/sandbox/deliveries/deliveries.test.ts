import { ConfigurationError, Gateway } from "malipo";
import { createSandbox, type SandboxOptions } from "malipo/sandbox";
import { type EventKind, signWebhook, verifyWebhook } from "malipo/webhooks";
import { describe, expect, test } from "vitest";

const PHONE = "0712345678";
const KINDS: EventKind[] = [
  "payment.completed",
  "payment.failed",
  "payment.initiated",
  "invoice.created",
  "invoice.paid",
  "invoice.overdue",
  "subscription.created",
  "subscription.canceled",
];

/** A sandbox, its gateway, and a receiver that keeps what it is sent. */
function stage(options: SandboxOptions = {}) {
  const received: { url: string; body: string; headers: Headers; method: string }[] = [];
  const sandbox = createSandbox({
    deliver: async (request) => {
      const { url, headers, method } = request;
      received.push({ url, body: await request.text(), headers, method });
      return Response.json({ ResultCode: 0, ResultDesc: "received" });
    },
    ...options,
  });
  const { baseUrl, fetch, keys } = sandbox;
  const gateway = new Gateway({ apiKey: keys.secret, baseUrl, fetch, maxRetries: 0 });
  const subscribe = (events: EventKind[], name = "shop") =>
    gateway.webhooks.register({ name, url: `https://${name}.example.test/hook`, events });
  const pay = () =>
    gateway.mobileMoney.initiate({ amount: 100, phone: PHONE, account_reference: "INV-0001" });
  /** Everything that can happen. */
  async function everything() {
    const { reference } = await pay();
    sandbox.phone(PHONE).cancel();
    await gateway.invoices.create({ amount: 100 });
    const late = await gateway.invoices.create({ due_at: "2026-01-01T09:00:01+03:00" });
    await gateway.invoices.send(String(late.id));
    await sandbox.clock.advance("2s");
    await pay();
    sandbox.phone(PHONE).approve();
    await sandbox.deliveries.settled();
    return { reference };
  }
  const events = () => received.map(({ body }) => JSON.parse(body));
  return { sandbox, gateway, subscribe, pay, everything, received, events };
}

describe("a registration", () => {
  // biome-ignore format: a table is read across
  const EXPECTED: [EventKind, number][] = [
    ["payment.completed", 1], ["payment.failed", 1], ["payment.initiated", 2],
    ["invoice.created", 2], ["invoice.paid", 1], ["invoice.overdue", 1],
    ["subscription.created", 0], ["subscription.canceled", 0],
  ];

  test.each(EXPECTED)("for %s gets only events of that kind", async (kind, count) => {
    const { subscribe, everything, events } = stage();
    await subscribe([kind]);
    await everything();
    expect(events().map(({ event }) => event)).toEqual(new Array(count).fill(kind));
  });

  test("for several kinds gets each of them, in order", async () => {
    const { subscribe, everything, events } = stage();
    await subscribe(["payment.completed", "payment.failed"]);
    await everything();
    expect(events().map(({ event }) => event)).toEqual(["payment.failed", "payment.completed"]);
  });

  test("is one of several: each one that lists the kind gets its own delivery", async () => {
    const { sandbox, subscribe, pay, received } = stage();
    await subscribe(["payment.initiated"], "one");
    await subscribe(["payment.failed"], "two");
    await subscribe(["payment.initiated"], "three");
    await pay();
    await sandbox.deliveries.settled();
    const urls = ["https://one.example.test/hook", "https://three.example.test/hook"];
    expect(received.map(({ url }) => url)).toEqual(urls);
    expect(new Set(sandbox.deliveries.all().map(({ id }) => id)).size).toBe(2);
  });

  test("that was changed or deleted gets only what it lists now", async () => {
    const { sandbox, gateway, subscribe, pay, received } = stage();
    const { id = "" } = await subscribe(["payment.failed"]);
    await gateway.webhooks.update(id, { events: ["payment.initiated"] });
    await pay();
    await sandbox.deliveries.settled();
    expect(received).toHaveLength(1);
    await gateway.webhooks.delete(id);
    await pay();
    await sandbox.deliveries.settled();
    expect(received).toHaveLength(1);
  });
});

describe("a delivery", () => {
  test("is a POST of JSON, signed over its raw body with the one secret", async () => {
    const { sandbox, subscribe, everything, received } = stage();
    await subscribe(KINDS);
    await everything();
    expect(received).toHaveLength(8);
    for (const { method, headers, body } of received) {
      expect(method).toBe("POST");
      expect(headers.get("content-type")).toBe("application/json");
      const secret = sandbox.webhookSecret;
      expect(verifyWebhook({ body, headers, secret })).toEqual(JSON.parse(body));
      expect(headers.get("x-service-signature")).toBe(signWebhook(body, secret));
    }
  });

  test("of payment.completed has only the documented fields", async () => {
    const { sandbox, gateway, subscribe, events, pay } = stage();
    await subscribe(["payment.completed"]);
    const { reference, checkout_request_id } = await pay();
    sandbox.phone(PHONE).approve();
    await sandbox.deliveries.settled();
    const { transaction_id } = await gateway.payments.get(reference);
    expect(events()).toEqual([
      {
        event: "payment.completed",
        timestamp: "2026-01-01T09:00:00+03:00",
        data: {
          payment_id: 1,
          merchant_id: 1,
          reference,
          amount: "100.00",
          currency: "KES",
          phone: "254712345678",
          status: "completed",
          account_reference: "INV-0001",
          checkout_request_id,
          transaction_id,
          provider_transaction_id: transaction_id,
          provider_reference: expect.any(String),
          payer_name: expect.any(String),
        },
      },
    ]);
  });

  test("of payment.completed has every field if the request had no label", async () => {
    const { sandbox, gateway, subscribe, events } = stage();
    await subscribe(["payment.completed"]);
    await gateway.mobileMoney.initiate({ amount: 1, phone: PHONE });
    sandbox.phone(PHONE).approve();
    await sandbox.deliveries.settled();
    expect(Object.keys(events()[0].data)).toHaveLength(13);
    expect(events()[0].data.account_reference).toBe("");
  });

  test("of payment.failed has only the documented fields", async () => {
    const { subscribe, everything, events } = stage();
    await subscribe(["payment.failed"]);
    const { reference } = await everything();
    expect(events()[0].data).toEqual({
      payment_id: 1,
      reference,
      amount: "100.00",
      status: "failed",
      failure_reason: expect.any(String),
      user_message: expect.any(String),
      retry_possible: true,
    });
  });

  test("of another kind has what a read returned at that time", async () => {
    const { sandbox, gateway, subscribe, events } = stage();
    await subscribe(["payment.initiated", "invoice.created"]);
    const payment = await gateway.mobileMoney.initiate({ amount: 1, phone: PHONE });
    const invoice = await gateway.invoices.create({ amount: 1, note: "é" });
    await sandbox.deliveries.settled();
    expect(events().map(({ data }) => data)).toEqual([
      await gateway.payments.get(payment.reference),
      invoice,
    ]);
  });

  test("is sent before the response to the call that caused it, which never waits for it", async () => {
    let begun = 0;
    const { sandbox, gateway, subscribe, pay } = stage({
      deliver: () => {
        begun++;
        return new Promise(() => {});
      },
    });
    await subscribe(["payment.initiated", "payment.completed"]);
    const { reference } = await pay();
    expect(begun).toBe(1);
    expect(sandbox.phone(PHONE).approve().status).toBe("completed");
    expect(begun).toBe(2);
    expect((await gateway.payments.get(reference)).status).toBe("completed");
    expect(sandbox.deliveries.all().map(({ state }) => state)).toEqual(["pending", "pending"]);
    sandbox.reset();
  });
});

describe("the log", () => {
  test("holds what was sent, and the result", async () => {
    const { sandbox, subscribe, pay, received } = stage();
    await subscribe(["payment.completed"]);
    await pay();
    sandbox.phone(PHONE).approve();
    const entry = {
      id: expect.stringMatching(/^\S+$/),
      event: "payment.completed",
      url: "https://shop.example.test/hook",
      body: expect.any(String),
      signature: expect.stringMatching(/^[0-9a-f]{64}$/),
    };
    expect(sandbox.deliveries.all()).toEqual([{ ...entry, state: "pending", attempts: [] }]);
    await sandbox.deliveries.settled();
    const attempts = [{ at: "2026-01-01T09:00:00+03:00", status: 200, latencyMs: 0 }];
    const [logged] = sandbox.deliveries.all();
    expect(logged).toEqual({ ...entry, state: "delivered", attempts });
    expect(logged?.body).toBe(received[0]?.body);
    expect(logged?.signature).toBe(received[0]?.headers.get("x-service-signature"));
  });

  test("is a copy: changing it changes nothing", async () => {
    const { sandbox, subscribe, pay } = stage();
    await subscribe(["payment.initiated"]);
    await pay();
    await sandbox.deliveries.settled();
    const before = sandbox.snapshot();
    const [entry] = sandbox.deliveries.all();
    if (entry !== undefined) entry.state = "failed";
    entry?.attempts.pop();
    sandbox.deliveries.all().pop();
    expect(sandbox.snapshot()).toEqual(before);
  });

  test("rejects an id that does not exist", async () => {
    const { sandbox } = stage();
    await expect(sandbox.deliveries.resend("dlv_none")).rejects.toThrow(ConfigurationError);
    await expect(sandbox.deliveries.resend("dlv_none")).rejects.toThrow(/dlv_none/);
  });
});
