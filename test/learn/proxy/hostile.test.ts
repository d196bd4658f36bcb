import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { createProxy } from "../../../src/learn/proxy.ts";
import { Recorder } from "../../../src/learn/recorder.ts";

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A proxy in front of a service that sends these bytes. */
async function proxyTo(bytes: string) {
  const got: string[] = [];
  const service = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      got.push(String(chunk));
      socket.end(bytes);
    });
  });
  const to = `http://127.0.0.1:${await listen(service)}`;
  const recorder = new Recorder({ by: "proxy" });
  const server = createProxy({ to, webhooksTo: undefined, recorder, onExchange: () => {} });
  return { port: await listen(server), got };
}

async function call(port: number, headers: Record<string, string> = {}) {
  const outgoing = request({ port, host: "127.0.0.1", path: "/merchant", headers }).end();
  const [response] = await once(outgoing, "response");
  return { status: response.statusCode as number, body: await text(response) };
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}";

describe("the proxy", () => {
  test.each(["099", "000", "100"])(
    "goes on after a service that responds with status %s",
    async (status) => {
      const { port } = await proxyTo(`HTTP/1.1 ${status} No\r\nContent-Length: 2\r\n\r\n{}`);
      for (let n = 0; n < 2; n++) expect((await call(port)).status).toBe(502);
    },
  );

  test("goes on after a reason with a control character", async () => {
    const { port } = await proxyTo("HTTP/1.1 200 O\u0001K\r\nContent-Length: 2\r\n\r\n{}");
    for (let n = 0; n < 2; n++) expect((await call(port)).status).toBe(502);
  });

  test("keeps the length of a body, even if Connection names it", async () => {
    const { port, got } = await proxyTo(OK);
    const body = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    const socket = connect(port, "127.0.0.1");
    socket.write(
      `POST /invoices HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: content-length, close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await once(socket, "data");
    socket.destroy();
    expect(got.join("").toLowerCase()).toContain(`content-length: ${body.length}`);
  });

  test("rejects a request that a page of another site makes without an Origin", async () => {
    const { port, got } = await proxyTo(OK);
    expect((await call(port, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect(got).toEqual([]);
    expect((await call(port, { "sec-fetch-site": "same-site" })).status).toBe(200);
  });
});
