import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, setGlobalProxyFromEnv } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { Gateway } from "malipo";
import { afterEach, describe, expect, test } from "vitest";
import { selfSigned } from "../support/certificates.ts";
import { KEYS, rejection } from "../support/gateway.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function listen<One extends Server>(server: One): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A server with a certificate. Returns its port, and counts the requests that it got. */
async function serveTls(certificate: ReturnType<typeof selfSigned>) {
  let requests = 0;
  const server = createTlsServer(certificate, (_, response) => {
    requests++;
    response.end("{}");
  });
  return { port: await listen(server), requests: () => requests };
}

/** From now on, a certificate is one of those that are trusted. */
function trust(cert: string): void {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, cert]);
  ends.push(() => setDefaultCACertificates(before));
}

const gatewayAt = (baseUrl: string) =>
  new Gateway({ apiKey: KEYS.secret as string, baseUrl, maxRetries: 0 });

const fromRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

const order = { amount: 100, phone: "0712345678" };
const DAY_MS = 86_400_000;

describe("a prompt was not sent, and its key is free,", () => {
  test.each([
    ["if the certificate is self-signed", {}, false, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    [
      "if the certificate has expired",
      { from: Date.now() - 9 * DAY_MS, to: Date.now() - DAY_MS },
      true,
      "CERT_HAS_EXPIRED",
    ],
    [
      "if the certificate is not valid yet",
      { from: Date.now() + DAY_MS, to: Date.now() + 9 * DAY_MS },
      true,
      "CERT_NOT_YET_VALID",
    ],
    [
      "if the certificate has another name",
      { host: "other.example" },
      true,
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ],
  ])("%s", async (_, about, isTrusted, code) => {
    const certificate = selfSigned(about);
    if (isTrusted) trust(certificate.cert);
    const { port, requests } = await serveTls(certificate);
    const gateway = gatewayAt(`https://localhost:${port}`);
    const call = gateway.mobileMoney.initiate(order, { idempotencyKey: "K" });
    const error = await rejection(call);
    expect(error).toMatchObject({ code: "connection", outcome: "not_sent", key: "free" });
    expect(error.message).toContain(code);
    expect(requests()).toBe(0);
  });

  test("if a proxy refuses to connect", async () => {
    const { port, requests } = await serveTls(selfSigned());
    const proxy = createServer();
    let asked = 0;
    proxy.on("connect", (_, socket) => {
      asked++;
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    });
    const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
    ends.push(setGlobalProxyFromEnv({ https_proxy: proxyUrl }));
    const gateway = gatewayAt(`https://localhost:${port}`);
    const error = await rejection(gateway.mobileMoney.initiate(order, { idempotencyKey: "K" }));
    expect(asked).toBe(1);
    expect(error).toMatchObject({ code: "connection", outcome: "not_sent", key: "free" });
    expect(error.message).toContain("Proxy response (403)");
    expect(requests()).toBe(0);
  });

  test("if the process may open no further connection", async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests++;
      response.setHeader("connection", "close");
      response.end(JSON.stringify({ success: true, data: { reference: "PAY-1" } }));
    });
    const program = `
      import { openSync } from "node:fs";
      import { Gateway } from "./src/client/gateway.ts";
      const gateway = new Gateway({
        apiKey: "sk_1",
        baseUrl: "http://127.0.0.1:${await listen(server)}",
        maxRetries: 0,
      });
      const order = { amount: 100, phone: "0712345678" };
      // Everything that is loaded on demand is loaded by it.
      await gateway.mobileMoney.initiate(order, { idempotencyKey: "A" });
      try {
        for (;;) openSync("/dev/null");
      } catch {}
      await gateway.mobileMoney.initiate(order, { idempotencyKey: "B" }).catch((error) => {
        const { code, outcome, key, message } = error;
        process.stdout.write(JSON.stringify({ code, outcome, key, message }));
      });
    `;
    const { outputFiles } = await build({
      stdin: { contents: program, resolveDir: fromRoot(".") },
      ...{ bundle: true, write: false, platform: "node", format: "esm", logLevel: "error" },
      tsconfig: fromRoot("tsconfig.json"),
    });
    const limited = ["-c", 'ulimit -n 64; exec "$0" "$@"', process.execPath];
    const child = spawn("sh", [...limited, "--input-type=module", "-"], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdin.end(outputFiles[0]?.text);
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += chunk;
    });
    await once(child, "close");
    const error = JSON.parse(printed);
    expect(error).toMatchObject({ code: "connection", outcome: "not_sent", key: "free" });
    expect(error.message).toContain("EMFILE");
    expect(requests).toBe(1);
  });
});

test("a server that speaks no TLS is named by its cause", async () => {
  let requests = 0;
  const port = await listen(createServer(() => requests++));
  const gateway = gatewayAt(`https://localhost:${port}`);
  const error = await rejection(gateway.mobileMoney.initiate(order));
  // The same error may come later on a connection, after the request: it proves nothing.
  expect(error).toMatchObject({ code: "connection", outcome: "unknown" });
  expect(error.message).toMatch(/wrong version number|packet length too long/);
  expect(requests).toBe(0);
});
