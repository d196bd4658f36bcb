import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigurationError, Gateway, verifyWebhook } from "malipo";
import { gatewayHandlers } from "malipo/msw";
import { createSandbox } from "malipo/sandbox";
import { HttpResponse, http, type RequestHandler } from "msw";
import { setupServer } from "msw/node";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

const PHONE = "0712345678";
const sandbox = createSandbox();
const headers = { "x-api-key": sandbox.keys.secret };
/** What msw printed: how, and what. */
const printed: string[] = [];
// Its name in msw 2, and in msw 3.
const STRICT = { onUnhandledRequest: "error", onUnhandledFrame: "error" } as const;
const open: (() => void)[] = [];

beforeEach(() => {
  sandbox.reset();
  printed.length = 0;
  for (const method of ["warn", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((...words) => {
      printed.push([method, ...words].join(" "));
    });
  }
});
afterEach(() => {
  for (const close of open.splice(0)) close();
  vi.restoreAllMocks();
});

/** Mocks the network with these handlers, and allows nothing else. */
function listen(...handlers: RequestHandler[]): void {
  const server = setupServer(...handlers);
  server.listen(STRICT);
  open.push(() => server.close());
}

/** A receiver on the real network, and what it has verified. */
async function realReceiver() {
  const events: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const secret = sandbox.webhookSecret;
    events.push(verifyWebhook({ body, headers: request.headers, secret }).event);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, events };
}

const post = (path: string, body: object, baseUrl = sandbox.baseUrl) =>
  fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });

async function makeDelivery(url: string) {
  const registration = { name: "shop", url, events: ["invoice.created"] };
  expect((await post("/webhooks/register", registration)).status).toBe(201);
  expect((await post("/invoices", {})).status).toBe(201);
  await sandbox.deliveries.settled();
  const [delivery] = sandbox.deliveries.all();
  return delivery;
}

describe("gatewayHandlers", () => {
  test("serve the global fetch at the sandbox's base URL, and print nothing", async () => {
    listen(...gatewayHandlers(sandbox));
    const gateway = new Gateway({ apiKey: sandbox.keys.secret, baseUrl: sandbox.baseUrl });
    const { reference } = await gateway.mobileMoney.initiate({ amount: 100, phone: PHONE });
    sandbox.phone(PHONE).approve();
    expect((await gateway.payments.get(reference)).status).toBe("completed");
    expect((await gateway.payments.list({ per_page: 1 })).items).toHaveLength(1);
    expect(printed).toEqual([]);
  });

  test("respond to every method, body and header as the sandbox does in process", async () => {
    listen(...gatewayHandlers(sandbox));
    const other = createSandbox();
    for (const [method, path, body] of [
      ["POST", "/invoices", '{"note":"é"}'],
      ["PUT", "/invoices/INV-0001", '{"note":"ü"}'],
      ["GET", "/invoices?per_page=1", undefined],
      ["DELETE", "/invoices/INV-0001", undefined],
      ["OPTIONS", "/invoices", undefined],
      ["POST", "/invoices", "{"],
      ["PATCH", "/invoices", "{}"],
    ] as const) {
      const init = { method, headers, ...(body !== undefined && { body }) };
      const [mocked, expected] = [
        await fetch(sandbox.baseUrl + path, init),
        await other.fetch(other.baseUrl + path, init),
      ];
      expect([method, mocked.status]).toEqual([method, expected.status]);
      expect(await mocked.text()).toBe(await expected.text());
      expect(Object.fromEntries(mocked.headers)).toEqual(Object.fromEntries(expected.headers));
    }
  });

  test.each(["", "/", "/nothing", "/payments/PAY-1/refund", "/nothing?page=1"])(
    "return 404 for the unknown path %j below it, and print nothing",
    async (path) => {
      listen(...gatewayHandlers(sandbox));
      const response = await fetch(sandbox.baseUrl + path, { headers });
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ success: false, error: expect.any(String) });
      expect(printed).toEqual([]);
    },
  );

  test.each([
    "https://api.example.test/merchant",
    "https://sandbox.malipo.test/merchant",
    "https://sandbox.malipo.test/api/v1x/merchant",
    "https://sandbox.malipo.test/api",
  ])("leave other requests to the user's strategy: %s", async (address) => {
    listen(...gatewayHandlers(sandbox));
    await expect(fetch(address, { headers })).rejects.toThrow();
    expect(printed).toEqual([expect.stringMatching(/^error /)]);
    expect(printed[0]).toContain(address);
  });

  test.each([
    "https://pay.example.test/v2",
    "https://pay.example.test/v2/",
    "https://PAY.example.test:443/v2",
    "https://pay.example.test",
    "http://localhost:4010/api/v1",
    "http://127.0.0.1:9999/a/b/c",
  ])("serve only another base URL, if it is given: %s", async (baseUrl) => {
    listen(...gatewayHandlers(sandbox, { baseUrl }));
    const base = baseUrl.replace(/\/$/, "");
    expect((await fetch(`${base}/merchant`, { headers })).status).toBe(200);
    expect((await fetch(`${base}/payments?page=0`, { headers })).status).toBe(422);
    expect((await fetch(`${base}/nothing`, { headers })).status).toBe(404);
    expect(printed).toEqual([]);
    await expect(fetch(`${sandbox.baseUrl}/merchant`, { headers })).rejects.toThrow();
  });

  test.each<[string, object]>([
    ["an unknown option", { baseURL: "https://pay.example.test" }],
    ["a base URL that is none", { baseUrl: "/api/v1" }],
  ])("reject %s", (_, options) => {
    expect(() => gatewayHandlers(sandbox, options)).toThrow(ConfigurationError);
  });

  test("let an earlier handler respond instead", async () => {
    const address = `${sandbox.baseUrl}/merchant`;
    listen(
      http.get(address, () => HttpResponse.json({ mine: true })),
      ...gatewayHandlers(sandbox),
    );
    expect(await (await fetch(address)).json()).toEqual({ mine: true });
  });

  test("serve two sandboxes side by side", async () => {
    const second = createSandbox({ seed: "second" });
    const baseUrl = "https://second.example.test/api";
    listen(...gatewayHandlers(sandbox), ...gatewayHandlers(second, { baseUrl }));
    expect((await fetch(`${sandbox.baseUrl}/merchant`, { headers })).status).toBe(200);
    expect((await fetch(`${baseUrl}/merchant`, { headers })).status).toBe(401);
    const own = { "x-api-key": second.keys.secret };
    expect((await fetch(`${baseUrl}/merchant`, { headers: own })).status).toBe(200);
  });
});

describe("a delivery", () => {
  test("reaches a receiver on the real network, and nothing is printed", async () => {
    const { url, events } = await realReceiver();
    listen(...gatewayHandlers(sandbox));
    expect((await makeDelivery(url))?.state).toBe("delivered");
    expect(events).toEqual(["invoice.created"]);
    expect(printed).toEqual([]);
  });

  const ADDRESS = "https://shop.example.test/hook";
  test.each<[string, (mine: RequestHandler) => RequestHandler[]]>([
    ["before", (mine) => [mine, ...gatewayHandlers(sandbox)]],
    ["after", (mine) => [...gatewayHandlers(sandbox), mine]],
  ])(
    "gets the response of the user's handler for its address, placed %s ours",
    async (_, place) => {
      const bodies: string[] = [];
      const mine = http.post(ADDRESS, async ({ request }) => {
        const body = await request.text();
        const secret = sandbox.webhookSecret;
        bodies.push(verifyWebhook({ body, headers: request.headers, secret }).event);
        return HttpResponse.json({ ResultCode: 0, ResultDesc: "received" });
      });
      listen(...place(mine));
      expect((await makeDelivery(ADDRESS))?.attempts).toMatchObject([{ status: 200 }]);
      expect(bodies).toEqual(["invoice.created"]);
      expect(printed).toEqual([]);
    },
  );

  test("that the user's handler rejects is retried", async () => {
    let asked = 0;
    const mine = http.post(ADDRESS, () => new HttpResponse(null, { status: asked++ ? 200 : 503 }));
    listen(...gatewayHandlers(sandbox), mine);
    expect((await makeDelivery(ADDRESS))?.state).toBe("pending");
    await sandbox.clock.advance("10s");
    expect(sandbox.deliveries.all()[0]?.attempts).toMatchObject([{ status: 503 }, { status: 200 }]);
  });
});
