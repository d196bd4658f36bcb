import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigurationError, verifyWebhook } from "malipo";
import { createSandbox, type Sandbox, type ServedSandbox } from "malipo/sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { say } from "../bytes.ts";

let sandbox: Sandbox;
let served: ServedSandbox;

beforeEach(async () => {
  sandbox = createSandbox();
  served = await sandbox.serve({ port: 0 });
});
afterEach(() => served.close());

const key = () => ({ "x-api-key": sandbox.keys.secret });
const post = (path: string, body: string) =>
  fetch(served.baseUrl + path, { method: "POST", headers: key(), body });

async function expectAlive(): Promise<void> {
  const response = await fetch(`${served.baseUrl}/merchant`, { headers: key() });
  expect(response.status).toBe(200);
}

describe("a served sandbox", () => {
  test("says where it is", () => {
    expect(served.port).toBeGreaterThan(0);
    expect(served.url).toBe(`http://127.0.0.1:${served.port}`);
    expect(served.baseUrl).toBe(`${served.url}/api/v1`);
  });

  test("is on port 4010 by default", async () => {
    // Another program may use the port.
    const found = await sandbox.serve().then(
      async (other) => {
        await other.close();
        return other.url;
      },
      (error: Error) => error.message,
    );
    expect(found).toMatch(/^http:\/\/127\.0\.0\.1:4010$|Port 4010 is in use/);
  });

  test("responds as in process, header for header and byte for byte", async () => {
    const inProcess = createSandbox();
    const secret = key();
    const order = { amount: 99.5, phone: "0712345678", description: "é 🧾" };
    const requests: [string, string, Record<string, string>, unknown?][] = [
      ["GET", "/merchant", secret],
      ["GET", "/merchant", { authorization: `Bearer ${sandbox.keys.public}` }],
      ["GET", "/merchant", {}],
      ["POST", "/mobile-money/payment/initiate", secret, order],
      ["POST", "/mobile-money/payment/initiate", secret, order],
      ["POST", "/mobile-money/payment/initiate", { "x-api-key": sandbox.keys.public }, order],
      ["GET", "/payments?page=1&per_page=1", secret],
      ["GET", "/payments?page=0", secret],
      ["GET", "/payments/%C3%A9%2F", secret],
      ["GET", "/payments/%E0%A4%A", secret],
      ["POST", "/mobile-money/validate-phone", secret, { phone: "0733 000 000" }],
      ["POST", "/invoices", secret, { amount: 10, note: "ü" }],
      ["POST", "/invoices", secret, "{"],
      ["POST", "/invoices", secret, { deep: JSON.parse("[".repeat(500) + "]".repeat(500)) }],
      ["PUT", "/invoices/INV-0001", secret, { amount: 20 }],
      ["PATCH", "/invoices/INV-0001", secret, { amount: 20 }],
      ["DELETE", "/invoices/INV-0001", secret],
      ["DELETE", "/invoices/INV-0001", secret],
      ["OPTIONS", "/invoices", { "access-control-request-headers": "x-api-key" }],
      ["GET", "", secret],
      ["GET", "/", secret],
      ["GET", "//merchant", secret],
      ["GET", "/merchant/../payments", secret],
      ["GET", "/nothing", secret],
    ];
    const seen = async (response: Response) => {
      const headers = Object.fromEntries(response.headers);
      for (const name of ["connection", "content-length", "date", "keep-alive"])
        delete headers[name];
      return [response.status, headers, await response.text()];
    };
    for (const [method, path, headers, content] of requests) {
      const body = typeof content === "string" ? content : JSON.stringify(content);
      const init = { method, headers, ...(body !== undefined && { body }) };
      expect([method, path, await seen(await fetch(served.baseUrl + path, init))]).toEqual([
        method,
        path,
        await seen(await inProcess.fetch(inProcess.baseUrl + path, init)),
      ]);
    }
    expect(sandbox.snapshot()).toEqual(inProcess.snapshot());
  });

  test.each(["/merchant", "/api/v1x/merchant", "/api", "/api/v2/merchant"])(
    "returns 404 outside its prefix: %s",
    async (path) => {
      const response = await fetch(served.url + path, { headers: key() });
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ success: false, error: expect.any(String) });
    },
  );

  test("listens only on the loopback address", async () => {
    await expect(fetch(served.baseUrl.replace("127.0.0.1", "127.0.0.2"))).rejects.toThrow(
      TypeError,
    );
  });

  test.each([-1, 65_536, 1.5, "4010"])("rejects the port %j", async (port) => {
    await expect(sandbox.serve({ port: port as number })).rejects.toThrow(ConfigurationError);
  });

  test("rejects an unknown option, and a port that is in use", async () => {
    const wrong = { prot: 0 } as { port?: number };
    await expect(sandbox.serve(wrong)).rejects.toThrow(ConfigurationError);
    const { port } = served;
    await expect(sandbox.serve({ port })).rejects.toThrow(ConfigurationError);
    await expect(sandbox.serve({ port })).rejects.toThrow(`${port} is in use`);
    await expectAlive();
  });

  test("shares its state with the same sandbox in process", async () => {
    await post("/payments/initiate", JSON.stringify({ amount: 1, phone: "0712345678" }));
    expect(sandbox.phone("0712345678").approve().status).toBe("completed");
  });

  test("delivers to a receiver over HTTP, and again if it did not return 200", async () => {
    const events: unknown[] = [];
    const receiver = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      const { headers } = request;
      events.push(verifyWebhook({ body, headers, secret: sandbox.webhookSecret }).event);
      // Redirects are not followed: the event would go to an address that is not registered.
      response.writeHead([500, 302][events.length - 1] ?? 200, { location: "/elsewhere" }).end();
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?shop=1`;
    await post(
      "/webhooks/register",
      JSON.stringify({ name: "shop", url, events: ["invoice.created"] }),
    );
    await post("/invoices", '{"note":"é 🧾"}');
    await sandbox.clock.advance("2m");
    expect(events).toEqual(["invoice.created", "invoice.created", "invoice.created"]);
    const [{ attempts, state } = { attempts: [], state: "" }] = sandbox.deliveries.all();
    expect([state, attempts.map(({ status }) => status)]).toEqual(["delivered", [500, 302, 200]]);

    receiver.closeAllConnections();
    receiver.close();
    await once(receiver, "close");
    await post("/invoices", "{}");
    await sandbox.deliveries.settled();
    expect(sandbox.deliveries.all()[1]?.attempts[0]?.error).toMatch(/ECONNREFUSED|ECONNRESET/);
  });
});

describe("close()", () => {
  test("ends connections that are open, idle or hanging, and frees the port", async () => {
    sandbox.faults.add({ effect: { kind: "hang" } });
    const silent = say(served.port);
    const half = say(
      served.port,
      "POST /api/v1/invoices HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
    );
    await expect.poll(() => sandbox.snapshot().faults).toHaveLength(1);
    const hanging = fetch(`${served.baseUrl}/merchant`, { headers: key() });
    await expect.poll(() => sandbox.snapshot().faults).toHaveLength(0);
    await expectAlive();
    const ended = expect(hanging).rejects.toThrow(TypeError);
    await served.close();
    await ended;
    expect(await Promise.all([silent, half])).toEqual(["", ""]);
    await expect(fetch(served.baseUrl)).rejects.toThrow(TypeError);
    const again = await sandbox.serve({ port: served.port });
    expect(again.port).toBe(served.port);
    await again.close();
    await again.close();
  });
});
