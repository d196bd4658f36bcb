import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { ConnectionError, Gateway, TimeoutError } from "malipo";
import { afterEach, describe, expect, test } from "vitest";
import { KEYS, rejection } from "../support/gateway.ts";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});

/** A server on loopback, and the requests that reached it. */
async function serve(listener: RequestListener) {
  const seen: { method: string; url: string; key: unknown; socket: Socket }[] = [];
  const server = createServer((request, response) => {
    const { method = "", url = "", headers, socket } = request;
    seen.push({ method, url, key: headers["x-api-key"], socket });
    request.resume();
    request.on("end", () => listener(request, response));
  });
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { seen, baseUrl: `http://127.0.0.1:${port}/api` };
}

const gatewayAt = (baseUrl: string) =>
  new Gateway({ apiKey: KEYS.secret as string, baseUrl, maxRetries: 0 });

const order = { amount: 100, phone: "0712345678" };
const READ = '{"success":true,"data":{"status":"pending","reference":"PAY-1"}}';

/** What a server may do to a request, and what error the caller gets. */
// biome-ignore format: a table is read across
const FAULTS: [string, RequestListener, typeof ConnectionError | typeof TimeoutError][] = [
  ["resets the connection", ({ socket }) => socket.resetAndDestroy(), ConnectionError],
  ["closes the connection", ({ socket }) => socket.destroy(), ConnectionError],
  ["never answers", () => {}, TimeoutError],
  ["answers no HTTP", ({ socket }) => socket.end("hello\r\n\r\n"), ConnectionError],
  ["breaks off in the head", ({ socket }) => socket.end("HTTP/1.1 200 OK\r\ncontent-"), ConnectionError],
  ["breaks off in a body of known length", (_, response) => {
    response.writeHead(200, { "content-length": READ.length });
    response.write(READ.slice(0, 20), () => response.socket?.destroy());
  }, ConnectionError],
  ["breaks off in a chunked body", (_, response) => {
    response.write(READ.slice(0, 20), () => response.socket?.resetAndDestroy());
  }, ConnectionError],
  ["sends half a body and stops", (_, response) => {
    response.write(READ.slice(0, 20));
  }, TimeoutError],
];

describe.each(FAULTS)("if the service %s", (_, listener, ErrorClass) => {
  test("a prompt is sent once, and may have happened", async () => {
    const { seen, baseUrl } = await serve(listener);
    const call = gatewayAt(baseUrl).mobileMoney.initiate(order, {
      maxRetries: 2,
      timeoutMs: 1_000,
    });
    const error = await rejection(call);
    expect(error).toBeInstanceOf(ErrorClass);
    expect(error.outcome).toBe("unknown");
    expect(seen).toHaveLength(1);
  });

  test("a read is sent again, and answered", async () => {
    const { seen, baseUrl } = await serve((request, response) => {
      if (seen.length === 1) listener(request, response);
      else response.end(READ);
    });
    const call = gatewayAt(baseUrl).payments.get("PAY-1", { maxRetries: 1, timeoutMs: 1_000 });
    await expect(call).resolves.toMatchObject({ status: "pending" });
    expect(seen).toHaveLength(2);
  });
});

describe("a redirect", () => {
  test.each([301, 302, 303, 307, 308])(
    "by %i is not followed, and the key goes nowhere else",
    async (status) => {
      const other = await serve((_, response) => response.end(READ));
      const { seen, baseUrl } = await serve((_, response) => {
        response.writeHead(status, { location: `${other.baseUrl}/payments/PAY-1` }).end();
      });
      const gateway = gatewayAt(baseUrl);
      for (const call of [gateway.payments.get("PAY-1"), gateway.mobileMoney.initiate(order)]) {
        expect(await rejection(call)).toMatchObject({ code: "api", status, outcome: "unknown" });
      }
      expect(seen).toHaveLength(2);
      expect(other.seen).toEqual([]);
    },
  );

  test("to the same service is not followed either", async () => {
    const { seen, baseUrl } = await serve((_, response) => {
      response.writeHead(302, { location: "/api/payments/PAY-2" }).end();
    });
    expect(await rejection(gatewayAt(baseUrl).payments.get("PAY-1"))).toMatchObject({
      status: 302,
    });
    expect(seen.map(({ url }) => url)).toEqual(["/api/payments/PAY-1"]);
  });
});

describe("nothing is sent", () => {
  test("if the connection is refused", async () => {
    const vacant = createTcpServer().listen(0, "127.0.0.1");
    await once(vacant, "listening");
    const { port } = vacant.address() as AddressInfo;
    vacant.close();
    await once(vacant, "close");
    for (const host of ["127.0.0.1", "localhost"]) {
      const call = gatewayAt(`http://${host}:${port}`).mobileMoney.initiate(order);
      const error = await rejection(call);
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error).toMatchObject({ code: "connection", outcome: "not_sent" });
      expect(error.cause).toBeInstanceOf(TypeError);
    }
  });

  test("if the host's name does not resolve", async () => {
    const error = await rejection(gatewayAt("https://gateway.invalid").mobileMoney.initiate(order));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: "connection", outcome: "not_sent" });
  });
});

test.each([
  ["answers", 200, READ],
  ["rejections", 404, '{"error":"no"}'],
  ["failures in HTML", 500, "<html></html>"],
  ["answers with no body", 204, undefined],
])("a connection is used again after %s", async (_, status, body) => {
  const { seen, baseUrl } = await serve((_, response) => {
    response.writeHead(status).end(body);
  });
  const gateway = gatewayAt(baseUrl);
  for (let call = 0; call < 20; call++) await gateway.merchant.get().catch(() => {});
  expect(seen).toHaveLength(20);
  // The runtime may open a second one while it tidies up after the first.
  expect(new Set(seen.map(({ socket }) => socket)).size).toBeLessThanOrEqual(2);
});

test("an abort closes the connection of a call in flight", async () => {
  const controller = new AbortController();
  const { seen, baseUrl } = await serve(() => controller.abort(new Error("the shopper left")));
  const call = gatewayAt(baseUrl).payments.get("PAY-1", { signal: controller.signal });
  await expect(call).rejects.toThrow("the shopper left");
  await expect.poll(() => seen[0]?.socket.destroyed).toBe(true);
});

test("what is sent arrives: method, path, key and body", async () => {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    bodies.push(Buffer.concat(chunks).toString());
    const { method, url, headers } = request;
    response.end(
      JSON.stringify({
        data: { method, url, key: headers["x-api-key"], type: headers["content-type"] },
      }),
    );
  });
  servers.push(server.listen(0, "127.0.0.1"));
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const gateway = gatewayAt(`http://127.0.0.1:${port}/api/v1/`);
  await expect(gateway.invoices.update("a/b", { title: "Écran 🧾" })).resolves.toEqual({
    method: "PUT",
    url: "/api/v1/invoices/a%2Fb",
    key: KEYS.secret,
    type: "application/json",
  });
  expect(bodies).toEqual(['{"title":"Écran 🧾"}']);
});
