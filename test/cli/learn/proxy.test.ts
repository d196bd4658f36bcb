import { once } from "node:events";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { Gateway } from "malipo";
import { signWebhook } from "malipo/webhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../../src/cli/exit-codes.ts";
import { startReceiver } from "../command-line.ts";
import { malipo, startCommand } from "../in-process.ts";
import { newFolder, startDialect, startService } from "./services.ts";

const KEY = "sk_canary_77d0aa31";

async function startProxy(to: string, ...flags: string[]) {
  const { folder, path } = newFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { ...(await proxyIn(folder, to, ...flags)), path, folder };
}

async function proxyIn(folder: string, to: string, ...flags: string[]) {
  const args = ["learn", "--to", to, "--port", "0", "--json", ...flags];
  const started = startCommand(args, { cwd: folder });
  onTestFinished(() => void started.stop());
  await started.prints(/\n/);
  const ready = JSON.parse(started.stdout());
  return { ...started, ready, baseUrl: ready.base_url as string };
}

async function service(respond: Parameters<typeof startService>[0]) {
  const started = await startService(respond);
  onTestFinished(started.close);
  return started;
}

const profileAt = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** Sends a request with exactly these headers. */
async function raw(url: string, method: string, headers: string[], body?: string) {
  const outgoing = request(url, { method, headers });
  outgoing.end(body);
  const [response] = await once(outgoing, "response");
  return {
    status: response.statusCode,
    rawHeaders: response.rawHeaders,
    body: await text(response),
  };
}

describe("malipo learn --to", () => {
  test("learns from a shop that uses it, and keeps neither keys nor values", async () => {
    const { service: dialect, baseUrl, close } = await startDialect("plain");
    onTestFinished(close);
    const proxy = await startProxy(baseUrl);
    expect(proxy.ready).toMatchObject({ to: baseUrl, out: "malipo.service.json", webhooks: null });
    const gateway = new Gateway({ apiKey: dialect.keys.secret, baseUrl: proxy.baseUrl });
    const { reference } = await gateway.mobileMoney.initiate({ amount: 70, phone: "0712345678" });
    await gateway.payments.get(reference);
    await gateway.payments.list({ per_page: 1 });
    await gateway.invoices.create({ amount: 100, description: "Canary" });
    await gateway.payments.get("PMT-NONE").catch(() => {});
    expect(await proxy.stop()).toBe(EXIT.ok);
    const file = readFileSync(proxy.path("malipo.service.json"), "utf8");
    const { endpoints, rejections, runs, keys } = JSON.parse(file);
    expect(Object.keys(endpoints).sort()).toEqual([
      "GET /payments",
      "GET /payments/{reference}",
      "POST /invoices",
      "POST /mobile-money/payment/initiate",
    ]);
    expect(Object.keys(rejections)).toEqual(["unknown_id"]);
    expect(Object.values(runs)).toMatchObject([{ by: ["proxy"], requests: 5 }]);
    expect(Object.keys(keys)).toEqual(["secret"]);
    const canaries = [dialect.keys.secret, reference, "0712345678", "254712345678", "Canary"];
    for (const canary of canaries) expect(file + proxy.output()).not.toContain(canary);
    expect(statSync(proxy.path("malipo.service.json")).mode & 0o777).toBe(0o644);
  });

  test("passes requests and responses on unchanged", async () => {
    const compressed = gzipSync(JSON.stringify({ success: true, data: { name: "Shop" } }));
    const { baseUrl, seen } = await service((_, response) => {
      response.sendDate = false;
      response.writeHead(203, "Very Fine", [
        ...["Content-Type", "application/json", "X-Odd-CASE", "1", "X-Odd-CASE", "2"],
        ...["Content-Encoding", "gzip", "Content-Length", String(compressed.length)],
      ]);
      response.end(compressed);
      return undefined;
    });
    const proxy = await startProxy(baseUrl);
    const headers = ["X-API-Key", KEY, "X-Shop", "a b", "Accept-Encoding", "gzip"];
    const response = await fetch(`${proxy.baseUrl}/merchant?page=2&x=%2F`, {
      headers: { "x-api-key": KEY, "x-shop": "a b" },
    });
    expect([response.status, response.statusText]).toEqual([203, "Very Fine"]);
    expect(await response.json()).toEqual({ success: true, data: { name: "Shop" } });
    expect(seen[0]).toMatchObject({
      path: "/merchant",
      query: "?page=2&x=%2F",
      key: KEY,
      headers: { "x-shop": "a b", host: new URL(baseUrl).host },
    });
    const { port } = new URL(proxy.baseUrl);
    const host = ["Host", `127.0.0.1:${port}`];
    const posted = await raw(
      `${proxy.baseUrl}/invoices`,
      "POST",
      [...host, ...headers, "Transfer-Encoding", "chunked"],
      '{"amount": 1 }',
    );
    expect(posted.rawHeaders.slice(0, 10)).toEqual([
      ...["Content-Type", "application/json", "X-Odd-CASE", "1", "X-Odd-CASE", "2"],
      ...["Content-Encoding", "gzip", "Content-Length", String(compressed.length)],
    ]);
    expect(seen[1]).toMatchObject({ method: "POST", path: "/invoices", body: '{"amount": 1 }' });
    await proxy.stop();
    const { endpoints } = profileAt(proxy.path("malipo.service.json"));
    expect(endpoints["GET /merchant"]["203"].body).toHaveProperty(["data.name"]);
  });

  test("streams: the first bytes arrive before the last are sent", async () => {
    let end = () => {};
    const { baseUrl } = await service((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"data":');
      end = () => response.end("[]}");
      return undefined;
    });
    const proxy = await startProxy(baseUrl);
    const response = await fetch(`${proxy.baseUrl}/payments`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const first = await reader.read();
    expect(new TextDecoder().decode(first.value)).toBe('{"data":');
    end();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("[]}");
  });

  test("breaks off if the service does, and learns nothing of it", async () => {
    const { baseUrl } = await service(({ path }, response) => {
      if (path !== "/merchant") return void response.destroy();
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"data":', () => response.destroy());
      return undefined;
    });
    const proxy = await startProxy(baseUrl);
    const response = await fetch(`${proxy.baseUrl}/merchant`);
    await expect(response.text()).rejects.toThrow();
    const gone = await fetch(`${proxy.baseUrl}/payments`);
    expect(gone.status).toBe(502);
    expect((await gone.json()).error).toContain("no response");
    expect(await proxy.stop()).toBe(EXIT.ok);
    expect(profileAt(proxy.path("malipo.service.json")).endpoints).toEqual({});
  });

  test("sends each request once, also when the service is gone", async () => {
    const gone = await startService(() => ({ status: 200 }));
    gone.close();
    const proxy = await startProxy(gone.baseUrl);
    const response = await fetch(`${proxy.baseUrl}/invoices`, { method: "POST", body: "{}" });
    expect([response.status, await response.text()]).toEqual([
      502,
      expect.stringContaining("nothing is listening there"),
    ]);
    expect(gone.seen).toEqual([]);
  });

  test("goes on with what the file knows, and saves while it runs", async () => {
    const { baseUrl } = await service(() => ({ status: 200, body: { success: true, data: [] } }));
    const first = await startProxy(baseUrl);
    await fetch(`${first.baseUrl}/payments`);
    await expect.poll(() => existsSync(first.path("malipo.service.json"))).toBe(true);
    await first.stop();
    const second = await proxyIn(first.folder, baseUrl);
    await fetch(`${second.baseUrl}/webhooks`);
    await second.stop();
    const { endpoints, runs } = profileAt(first.path("malipo.service.json"));
    expect(Object.keys(endpoints)).toEqual(["GET /payments", "GET /webhooks"]);
    expect(Object.values(runs)).toMatchObject([{ requests: 2 }]);
  });

  test("lets a request come to its end at Ctrl-C", async () => {
    let respond = () => {};
    const { baseUrl, seen } = await service(
      () =>
        new Promise((resolve) => {
          respond = () => resolve({ status: 201, body: { success: true, data: { id: 1 } } });
        }),
    );
    const proxy = await startProxy(baseUrl);
    const posted = fetch(`${proxy.baseUrl}/invoices`, { method: "POST", body: "{}" });
    await expect.poll(() => seen).toHaveLength(1);
    const stopped = proxy.stop();
    const isUp = () => fetch(proxy.baseUrl).then(Boolean, () => false);
    await expect.poll(isUp).toBe(false);
    respond();
    expect((await posted).status).toBe(201);
    expect(await stopped).toBe(EXIT.ok);
    expect(Object.keys(profileAt(proxy.path("malipo.service.json")).endpoints)).toEqual([
      "POST /invoices",
    ]);
  });

  test.each([
    ["Host: shop.example", []],
    ["Host: 127.0.0.1.evil.example:80", []],
    ["Host: localhost", ["Origin: https://evil.example"]],
  ])("rejects %s %j, so that no website can use it", async (host, others) => {
    const { baseUrl, seen } = await service(() => ({ status: 200, body: {} }));
    const proxy = await startProxy(baseUrl);
    const socket = connect(Number(new URL(proxy.baseUrl).port), "127.0.0.1");
    socket.end(
      `${["GET /merchant HTTP/1.1", host, ...others, "Connection: close"].join("\r\n")}\r\n\r\n`,
    );
    expect(await text(socket)).toMatch(/^HTTP\/1.1 403 /);
    expect(seen).toEqual([]);
  });

  test("passes deliveries to the receiver, and learns their shape and their schedule", async () => {
    const { baseUrl } = await service(() => ({ status: 200, body: {} }));
    let failures = 1;
    const receiver = await startReceiver((_, response) => {
      response.statusCode = failures-- > 0 ? 500 : 200;
      response.end();
    });
    onTestFinished(receiver.close);
    const proxy = await startProxy(baseUrl, "--webhooks-to", receiver.url);
    expect(proxy.ready.webhooks).toBe(`${proxy.baseUrl}/webhooks`);
    const data = { reference: "PAY-CANARY", amount: "70.00", status: "completed" };
    const timestamp = "2026-01-01T09:00:00+03:00";
    const body = JSON.stringify({ event: "payment.completed", timestamp, data });
    const headers = {
      "x-service-signature": `sha256=${signWebhook(body, "s")}`,
      "x-event-number": "17",
    };
    const deliver = () => fetch(proxy.ready.webhooks, { method: "POST", headers, body });
    expect((await deliver()).status).toBe(500);
    expect((await deliver()).status).toBe(200);
    await proxy.stop();
    expect(receiver.received.map((one) => one.body.toString())).toEqual([body, body]);
    const file = readFileSync(proxy.path("malipo.service.json"), "utf8");
    const { deliveries, events } = JSON.parse(file);
    expect(Object.keys(events)).toEqual(["payment.completed"]);
    expect(deliveries.signaturePrefixes).toEqual(["sha256="]);
    expect(deliveries.headers).toHaveProperty("x-event-number");
    expect(deliveries.redeliveries["1"].after).toEqual(["500"]);
    expect(file).not.toContain("CANARY");
  });

  test("learns nothing from a delivery that the receiver takes for a forgery", async () => {
    const { baseUrl } = await service(() => ({ status: 200, body: {} }));
    const receiver = await startReceiver((_, response) => {
      response.statusCode = 401;
      response.end();
    });
    onTestFinished(receiver.close);
    const proxy = await startProxy(baseUrl, "--webhooks-to", receiver.url);
    const body = '{"event":"payment.completed","timestamp":"","data":{}}';
    expect((await fetch(proxy.ready.webhooks, { method: "POST", body })).status).toBe(401);
    await proxy.stop();
    expect(profileAt(proxy.path("malipo.service.json")).events).toEqual({});
  });

  test.each([
    [[], "--to is required"],
    [["--to", "http://gateway.example/v1"], "unencrypted"],
    [["--to", "shop"], "--to must be an absolute URL"],
    [["--to", "https://gateway.example", "--port", "x"], "whole number"],
    [["--to", "https://gateway.example", "--out", "none/a.json"], "no folder"],
    [["--to", "https://gateway.example", "--webhooks-to", "shop"], "http or https URL"],
  ])("rejects the flags %j", async (flags, message) => {
    const { code, stderr } = await malipo([
      "learn",
      ...(flags.length === 0 ? ["--port", "0"] : flags),
    ]);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining(message)]);
  });

  test("says what to change if the port is in use", async () => {
    const { baseUrl } = await service(() => ({ status: 200, body: {} }));
    const proxy = await startProxy(baseUrl);
    const { port } = new URL(proxy.baseUrl);
    const { code, stderr } = await malipo([
      "learn",
      "--to",
      baseUrl,
      "--port",
      port,
      "--out",
      proxy.path("b.json"),
    ]);
    expect(code).toBe(EXIT.portInUse);
    expect(stderr).toContain(`malipo learn --port ${Number(port) + 1}`);
  });
});
