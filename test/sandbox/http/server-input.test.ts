import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { createSandbox, type Sandbox, type ServedSandbox } from "malipo/sandbox";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { say } from "../bytes.ts";

const MIB = 1_048_576;
let sandbox: Sandbox;
let served: ServedSandbox;

beforeEach(async () => {
  sandbox = createSandbox();
  served = await sandbox.serve({ port: 0 });
});
afterEach(() => served.close());

const key = () => ({ "x-api-key": sandbox.keys.secret });
const post = (path: string, body: BodyInit, init: object = {}) =>
  fetch(served.baseUrl + path, { method: "POST", headers: key(), body, ...init });

async function expectAlive(): Promise<void> {
  const response = await fetch(`${served.baseUrl}/merchant`, { headers: key() });
  expect(response.status).toBe(200);
}

describe("a body", () => {
  const invoice = (bytes: number) => `{"note":"${"x".repeat(bytes - 11)}"}`;

  test("of 1 MiB is accepted", async () => {
    expect((await post("/invoices", invoice(MIB))).status).toBe(201);
  });

  test.each([
    ["one byte more", invoice(MIB + 1)],
    ["much more", invoice(8 * MIB)],
  ])("of %s returns 413, with or without its length, and changes nothing", async (_, text) => {
    const before = sandbox.snapshot();
    const stream = { duplex: "half", body: new Blob([text]).stream() };
    for (const response of [await post("/invoices", text), await post("/invoices", "", stream)]) {
      expect(response.status).toBe(413);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(await response.json()).toEqual({ success: false, error: expect.any(String) });
    }
    expect(sandbox.snapshot()).toEqual(before);
    await expectAlive();
  });
});

describe("garbage", () => {
  const line = (text: string) => `${text} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  test.each<[string, string[], RegExp]>([
    ["no HTTP at all", ["hello\r\n\r\n"], /^HTTP\/1\.1 400/],
    ["a TLS greeting", ["\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"], /^HTTP\/1\.1 400/],
    ["two slashes", [line("GET //")], /^HTTP\/1\.1 40[04]/],
    ["two slashes and a bracket", [line("GET //[")], /^HTTP\/1\.1 40[04]/],
    ["an address of elsewhere", [line("GET http://x:99999/")], /^HTTP\/1\.1 40[04]/],
    ["an asterisk", [line("OPTIONS *")], /^HTTP\/1\.1 [24]/],
    ["a broken escape", [line("GET /api/v1/payments/%")], /^HTTP\/1\.1 40[013]/],
    ["a tunnel", [line("CONNECT x:443")], /^/],
    [
      "an upgrade",
      [
        "GET /api/v1/merchant HTTP/1.1\r\nHost: x\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n",
      ],
      /^HTTP\/1\.1 4/,
    ],
    [
      "two lengths",
      [
        "POST /api/v1/invoices HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      ],
      /^HTTP\/1\.1 400/,
    ],
    [
      "a broken chunk",
      ["POST /api/v1/invoices HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
      /^HTTP\/1\.1 4/,
    ],
    [
      "a header of 100 kB",
      [`GET / HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(100_000)}\r\n\r\n`],
      /^(HTTP\/1\.1 431|$)/,
    ],
  ])("gets a response, and never crashes it: %s", async (_, parts, response) => {
    expect(await say(served.port, ...parts)).toMatch(response);
    await expectAlive();
  });

  test("that breaks off in the middle of its body never crashes it", async () => {
    const socket = connect(served.port, "127.0.0.1");
    socket.write("POST /api/v1/invoices HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
    await setImmediate();
    socket.resetAndDestroy();
    await expectAlive();
    expect(sandbox.snapshot().invoices).toEqual([]);
  });

  test("in a body that is not UTF-8 never crashes it", async () => {
    const response = await post("/invoices", new Uint8Array([0x7b, 0xff, 0xfe, 0x00, 0x7d]));
    expect(response.status).toBe(400);
    await expectAlive();
  });
});

test("a fault that no response can be made of does not end the server", async () => {
  const headers = { "x-note": "\u0001" };
  sandbox.faults.add({ effect: { kind: "status", status: 200, headers } });
  const response = await fetch(`${served.baseUrl}/merchant`, { headers: key() });
  expect(response.status).toBe(500);
  await expectAlive();
});
