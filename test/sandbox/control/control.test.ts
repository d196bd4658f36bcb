import { request } from "node:http";
import { createSandbox, type Sandbox, type ServedSandbox } from "malipo/sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const PHONE = "0712345678";
let sandbox: Sandbox;
let served: ServedSandbox;

beforeEach(async () => {
  sandbox = createSandbox({ deliver: async () => new Response() });
  served = await sandbox.serve({ port: 0 });
});
afterEach(() => served.close());

/** Sends a request, also with headers that `fetch` does not allow. */
function send(method: string, path: string, given: { body?: string; headers?: object } = {}) {
  return new Promise<{ status: number; headers: object; body: string }>((resolve, reject) => {
    const sent = request(
      `${served.url}/_sandbox/api${path}`,
      { method, headers: { ...given.headers } },
      (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (data) => {
          body += data;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(given.body);
  });
}

async function data(method: string, path: string, body?: object) {
  const response = await send(method, path, body && { body: JSON.stringify(body) });
  expect(response.status).toBe(200);
  const envelope = JSON.parse(response.body);
  expect(envelope.success).toBe(true);
  return envelope.data;
}

async function initiate(): Promise<string> {
  const response = await fetch(`${served.baseUrl}/payments/initiate`, {
    method: "POST",
    headers: { "x-api-key": sandbox.keys.secret },
    body: JSON.stringify({ amount: 1, phone: PHONE }),
  });
  return (await response.json()).data.reference;
}

describe("the control API", () => {
  test.each([
    ["approve", "completed"],
    ["cancel", "failed"],
    ["wrong-pin", "failed"],
    ["ignore", "pending"],
  ])("the phone can %s: the payment is %s", async (act, status) => {
    const reference = await initiate();
    const { number, payment } = await data(
      "POST",
      `/phones/${encodeURIComponent("+254 712 345 678")}/${act}`,
    );
    expect(number).toBe("254712345678");
    expect(payment).toMatchObject({ reference, status });
  });

  test("switches a phone off and on", async () => {
    await initiate();
    await data("POST", `/phones/${PHONE}/off`);
    expect((await send("POST", `/phones/${PHONE}/approve`)).status).toBe(422);
    await data("POST", `/phones/${PHONE}/on`);
    await data("POST", `/phones/${PHONE}/approve`);
  });

  test("reads and advances the clock", async () => {
    expect(await data("GET", "/clock")).toEqual({
      now: "2026-01-01T09:00:00+03:00",
      clock: "virtual",
    });
    expect(await data("POST", "/clock/advance", { by: "61s" })).toEqual({
      now: "2026-01-01T09:01:01+03:00",
      clock: "virtual",
    });
  });

  test("lists deliveries, the newest first, and resends one", async () => {
    await fetch(`${served.baseUrl}/webhooks/register`, {
      method: "POST",
      headers: { "x-api-key": sandbox.keys.secret },
      body: JSON.stringify({
        name: "x",
        url: "https://x.example/",
        events: ["payment.initiated", "payment.completed"],
      }),
    });
    await initiate();
    sandbox.phone(PHONE).approve();
    await sandbox.deliveries.settled();
    const { deliveries, total, queues } = await data("GET", "/deliveries?limit=1");
    expect([total, queues]).toEqual([2, []]);
    expect(deliveries).toEqual([sandbox.deliveries.all()[1]]);
    const again = await data("POST", `/deliveries/${deliveries[0].id}/resend`);
    expect(again.attempts).toHaveLength(2);
    expect((await data("GET", "/deliveries?state=failed")).total).toBe(0);
  });

  test("lists when a delivery is retried, why it failed, and how many are pending", async () => {
    await served.close();
    sandbox = createSandbox({ deliver: async () => new Response(null, { status: 500 }) });
    served = await sandbox.serve({ port: 0 });
    await fetch(`${served.baseUrl}/webhooks/register`, {
      method: "POST",
      headers: { "x-api-key": sandbox.keys.secret },
      body: JSON.stringify({ name: "x", url: "https://x.example/", events: ["payment.initiated"] }),
    });
    await initiate();
    await sandbox.deliveries.settled();
    const { deliveries, queues } = await data("GET", "/deliveries");
    expect(deliveries[0].nextAttemptAt).toBe("2026-01-01T09:00:10+03:00");
    expect(deliveries[0].cause).toMatchObject({ title: "Not 200: the receiver failed with 500" });
    expect(queues).toEqual([{ url: "https://x.example/", pending: 1, maxPending: 10_000 }]);
    expect((await data("GET", "/status")).queues).toEqual(queues);
  });

  test("reads the status of the sandbox", async () => {
    await initiate();
    expect(await data("GET", "/status")).toEqual({
      now: "2026-01-01T09:00:00+03:00",
      clock: "virtual",
      keys: sandbox.keys,
      webhook_secret: sandbox.webhookSecret,
      payments: 1,
      deliveries: 0,
      queues: [],
    });
  });
});

describe("a request is rejected, and changes nothing", () => {
  const tooMuch = `{"by":"${"x".repeat(1_048_577)}"}`;
  test.each([
    ["to an unknown path", "GET", "/nothing", undefined, 404],
    ["with an unknown command for a phone", "POST", `/phones/${PHONE}/explode`, undefined, 404],
    ["with another method", "GET", "/clock/advance", undefined, 405],
    ["with a method that no path has", "DELETE", "/status", undefined, 405],
    ["with a broken escape", "POST", "/phones/%E0%A4%A/on", undefined, 400],
    ["with a body that is not JSON", "POST", "/clock/advance", "{", 400],
    ["with a body that is not an object", "POST", "/clock/advance", "[]", 400],
    ["with a body that is too large", "POST", "/clock/advance", tooMuch, 413],
    ["without a duration", "POST", "/clock/advance", "{}", 422],
    ["with a negative duration", "POST", "/clock/advance", '{"by":-1}', 422],
    ["with a misspelt field", "POST", "/clock/advance", '{"by":"1s","for":1}', 422],
    ["with an unknown field", "POST", `/phones/${PHONE}/off`, '{"switch":"off"}', 422],
    ["for a number that is not a phone number", "POST", "/phones/12/on", undefined, 422],
    ["for a phone without a prompt", "POST", `/phones/${PHONE}/approve`, undefined, 422],
    ["for an unknown delivery", "POST", "/deliveries/dlv_x/resend", undefined, 422],
    ["with a limit that is not a number", "GET", "/deliveries?limit=-1", undefined, 422],
  ])("%s", async (_, method, path, body, status) => {
    const before = sandbox.snapshot();
    const response = await send(method, path, body === undefined ? {} : { body });
    expect(response.status).toBe(status);
    expect(JSON.parse(response.body)).toEqual({ success: false, error: expect.any(String) });
    expect(sandbox.snapshot()).toEqual(before);
  });
});

describe("a request of another site", () => {
  const off = (headers: object) => send("POST", `/phones/${PHONE}/off`, { headers });
  const own = () => ({ host: `127.0.0.1:${served.port}` });
  const isOff = () => sandbox.snapshot().phones as object;

  test.each([
    ["a name that resolves to this machine", { host: "evil.example" }],
    ["such a name with our port", { host: "evil.example:4010" }],
    ["an address of the network", { host: "192.168.1.7" }],
    ["a foreign page", { origin: "https://evil.example" }],
    ["a page of another local server", { origin: "http://127.0.0.1:1" }],
    ["a page whose origin is not known", { origin: "null" }],
    ["an image of a foreign page", { "sec-fetch-site": "cross-site" }],
  ])("is forbidden: %s", async (_, headers) => {
    const response = await off({ ...own(), ...headers });
    expect(response.status).toBe(403);
    expect(isOff()).toEqual({});
    // It may not read either.
    expect((await send("GET", "/status", { headers: { ...own(), ...headers } })).status).toBe(403);
  });

  test.each(["127.0.0.1", "localhost", "127.0.0.2", "[::1]", "shop.localhost"])(
    "is allowed under a name of this machine: %s",
    async (name) => {
      const host = `${name}:${served.port}`;
      expect((await off({ host })).status).toBe(200);
      expect((await off({ host, origin: `http://${host}` })).status).toBe(200);
    },
  );

  test("gets no CORS header", async () => {
    const { headers } = await send("GET", "/status");
    expect(headers).not.toHaveProperty("access-control-allow-origin");
    expect((await send("OPTIONS", "/status", { headers: own() })).status).toBe(405);
  });
});
