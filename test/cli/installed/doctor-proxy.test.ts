import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// A company: its proxy is the only way out, and no name of the outside can be looked up.

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const folder = mkdtempSync(join(tmpdir(), "malipo-proxy-"));
const [key, certificate] = [join(folder, "service.key"), join(folder, "service.crt")];
const HOST = "gateway.invalid";
const servers: Server[] = [];
let port = 0;
let proxyPort = 0;
const asked: string[] = [];

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  if (!hasOpenssl) return;
  const made = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", `/CN=${HOST}`],
    ...["-addext", `subjectAltName=DNS:${HOST}`, "-keyout", key, "-out", certificate],
  ]);
  expect(made.status).toBe(0);
  const options = { key: readFileSync(key), cert: readFileSync(certificate) };
  const service = createTlsServer(options, (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end('{"success":true,"data":{"id":1}}');
  });
  port = await listen(service);
  const proxy = createServer();
  proxy.on("connect", ({ url = "" }, socket) => {
    asked.push(url);
    const onward = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    for (const one of [socket, onward]) one.on("error", () => {});
  });
  proxyPort = await listen(proxy);
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

interface Found {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
  readonly advice?: string;
}

async function doctor(env: Record<string, string>): Promise<(name: string) => Found | undefined> {
  const base = `https://${HOST}:${port}/v1`;
  const all = {
    PATH: process.env.PATH,
    MALIPO_API_KEY: "sk_test_1",
    MALIPO_BASE_URL: base,
    ...env,
  };
  const run = promisify(execFile)(process.execPath, ["dist/cli.js", "doctor", "--json"], {
    env: all,
  });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  const { checks } = JSON.parse(stdout) as { checks: Found[] };
  return (name) => checks.find((one) => one.name === name);
}

describe.skipIf(!hasOpenssl)("malipo doctor behind a proxy", () => {
  const proxy = () => ({ HTTPS_PROXY: `http://shop:hunter2@127.0.0.1:${proxyPort}` });

  test("checks the service through the proxy that Node uses", async () => {
    const found = await doctor({
      ...proxy(),
      NODE_USE_ENV_PROXY: "1",
      NODE_EXTRA_CA_CERTS: certificate,
    });
    expect(asked).toContain(`${HOST}:${port}`);
    expect(found("TLS")).toMatchObject({
      state: "skipped",
      detail: expect.stringContaining(`by the proxy 127.0.0.1:${proxyPort}`),
    });
    expect(found("service")?.state).toBe("ok");
  });

  test("says that Node does not use the proxy", async () => {
    const tls = (await doctor(proxy()))("TLS");
    expect(tls).toMatchObject({
      state: "fail",
      advice: expect.stringMatching(/uses only with NODE_USE_ENV_PROXY=1/),
    });
    expect(JSON.stringify(tls)).not.toContain("hunter2");
  });

  test("says that the authority of a company is not known", async () => {
    const found = await doctor({ ...proxy(), NODE_USE_ENV_PROXY: "1" });
    expect(found("service")).toMatchObject({
      state: "fail",
      advice: expect.stringMatching(/Set NODE_EXTRA_CA_CERTS/),
    });
  });
});
