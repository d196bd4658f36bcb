import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Gateway } from "malipo";
import { afterEach, expect, test, vi } from "vitest";
import { userAgent } from "../../../src/client/runtime.ts";
import { gatewayWith, KEYS } from "../support/gateway.ts";
import { json } from "../support/responses.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The headers of one request. */
async function headersSent(own?: Record<string, string>): Promise<Headers> {
  const { gateway, sent } = gatewayWith([json({ data: {} })]);
  await gateway.merchant.get(own && { headers: own });
  return sent[0]?.headers ?? expect.unreachable();
}

test("a request names the package and the runtime, and nothing else", async () => {
  const runtime = `Node.js/${process.versions.node.split(".")[0]}`;
  expect((await headersSent()).get("user-agent")).toBe(`malipo/${version} ${runtime}`);
});

test("a service receives it in the place of the runtime's own", async () => {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers["user-agent"]);
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const gateway = new Gateway({ apiKey: KEYS.secret, baseUrl: `http://127.0.0.1:${port}/v1` });
  await gateway.merchant.get();
  server.closeAllConnections();
  server.close();
  expect(seen).toEqual([expect.stringMatching(/^malipo\/\d+\.\d+\.\d+.* Node\.js\/\d+$/)]);
});

test("the caller's own header replaces it", async () => {
  expect((await headersSent({ "User-Agent": "shop/1.0" })).get("user-agent")).toBe("shop/1.0");
});

test("a browser sends its own", async () => {
  vi.stubGlobal("process", { env: {} });
  vi.stubGlobal("document", {});
  expect(userAgent()).toBeUndefined();
});

test.each([undefined, "", "Ä/1", "a\nb"])("a runtime that calls itself %j is left out", (name) => {
  expect(userAgent(name === undefined ? {} : { userAgent: name })).toBe(`malipo/${version}`);
});
