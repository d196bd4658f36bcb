import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { onNode } from "malipo/operator";
import { afterEach, expect, test } from "vitest";

let server: Server;
afterEach(() => server.close());

/** The first line of the response to the bytes of a request. */
async function statusLine(handler: (request: Request) => Promise<Response>, request: string) {
  server = createServer(onNode(handler)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.end(request);
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text.split("\r\n")[0];
}

const shown = async () => new Response("shown");

test.each([
  ["a method that no Request may have", "TRACE / HTTP/1.1\r\nhost: shop.test\r\n\r\n"],
  ["a host that is not one", "GET / HTTP/1.1\r\nhost: shop test:x\r\n\r\n"],
])("%s gets a 400, and the process lives on", async (_, request) => {
  expect(await statusLine(shown, request)).toBe("HTTP/1.1 400 Bad Request");
});

test("an error of `authorize` is a 500, and the process lives on", async () => {
  const fail = () => Promise.reject(new Error("no session store"));
  const request = "GET / HTTP/1.1\r\nhost: shop.test\r\nconnection: close\r\n\r\n";
  expect(await statusLine(fail, request)).toBe("HTTP/1.1 500 Internal Server Error");
});

test("a form that is too large gets a 413", async () => {
  const request = `POST / HTTP/1.1\r\nhost: shop.test\r\nconnection: close\r\ncontent-length: 60000\r\n\r\n${"a".repeat(60_000)}`;
  expect(await statusLine(shown, request)).toBe("HTTP/1.1 413 Payload Too Large");
});

test("a framework's `next` gets the error", async () => {
  const error = new Error("no session store");
  const passed = await new Promise((resolve) => {
    const request = Object.assign(Readable.from([]), { headers: { host: "shop.test" } });
    void onNode(() => Promise.reject(error))(request as never, {} as never, resolve);
  });
  expect(passed).toBe(error);
});
