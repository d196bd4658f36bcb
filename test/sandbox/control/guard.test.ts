import { request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { createSandbox, type Sandbox, type ServedSandbox } from "malipo/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let sandbox: Sandbox;
let served: ServedSandbox;
beforeAll(async () => {
  sandbox = createSandbox();
  served = await sandbox.serve({ port: 0 });
});
afterAll(() => served.close());

const own = () => `127.0.0.1:${served.port}`;

/** Sends a request with forged headers, which `fetch` would not send. */
function ask(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = "",
): Promise<{ status: number; text: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const { port } = served;
    const sent = request({ port, host: "127.0.0.1", method, path, headers }, (response) => {
      let text = "";
      const done = () => {
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers });
        response.destroy();
      };
      response.setEncoding("utf8").on("data", (data) => {
        text += data;
        // Events never end.
        if (response.headers["content-type"]?.startsWith("text/event-stream")) done();
      });
      response.on("end", done);
    });
    sent.on("error", reject).end(body);
  });
}

/** Everything that the page responds to. */
const PLACES: [string, string][] = [
  ["GET", "/"],
  ["GET", "/_sandbox/events"],
  ["GET", "/_sandbox/page.js"],
  ["GET", "/_sandbox/page.css"],
  ...[
    "pay",
    "phone/approve",
    "phone/off",
    "clock",
    "deliveries/resend",
    "webhooks/register",
    "faults/add",
    "chaos",
    "reset",
  ].map((action): [string, string] => ["POST", `/_sandbox/${action}`]),
];

describe.each(PLACES)("%s %s", (method, path) => {
  test.each([
    "evil.example",
    "evil.example:4010",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "127.0.0.1@evil.example",
    "192.168.1.10",
    "0.0.0.0",
    "[::]",
    "evil.example#127.0.0.1",
  ])("is forbidden for a host name of another machine: %j", async (host) => {
    const before = JSON.stringify(sandbox.snapshot());
    const response = await ask(method, path, { host });
    expect(response.status).toBe(403);
    expect(response.text).not.toContain("sk_sandbox");
    expect(JSON.stringify(sandbox.snapshot())).toBe(before);
  });

  test.each([
    "https://evil.example",
    "null",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "http://localhost:4010",
    "file://",
  ])("is forbidden for a page of another origin: %j", async (origin) => {
    const response = await ask(method, path, { host: own(), origin });
    expect(response.status).toBe(403);
    expect(JSON.parse(response.text)).toEqual({ success: false, error: expect.any(String) });
  });

  test.each(["cross-site", "same-site"])("is forbidden for a %s request", async (site) => {
    const headers = {
      host: own(),
      "sec-fetch-site": site,
      "sec-fetch-mode": "no-cors",
      "sec-fetch-dest": "image",
    };
    expect((await ask(method, path, headers)).status).toBe(403);
  });
});

describe("the page's guard", () => {
  test.each(["127.0.0.1", "localhost", "sandbox.localhost", "LOCALHOST", "[::1]", "127.9.9.9"])(
    "allows the host %s with the same origin",
    async (name) => {
      const host = `${name}:${served.port}`;
      const { status, text } = await ask("GET", "/", {
        host,
        origin: `http://${host.toLowerCase()}`,
      });
      expect(status).toBe(200);
      expect(text).toContain("sk_sandbox_");
      expect(text).toContain(`http://${host.toLowerCase()}/api/v1`);
    },
  );

  test("allows a link on another site to open the page, and nothing else", async () => {
    const visit = {
      host: own(),
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    expect((await ask("GET", "/", visit)).status).toBe(200);
    expect((await ask("GET", "/?payment=x", visit)).status).toBe(200);
    expect((await ask("GET", "/", { ...visit, "sec-fetch-dest": "iframe" })).status).toBe(403);
    expect((await ask("POST", "/_sandbox/reset", visit)).status).toBe(403);
  });

  test("forbids a request without a host", async () => {
    const socket = connect(served.port, "127.0.0.1");
    socket.end("GET / HTTP/1.0\r\n\r\n");
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 403 /);
  });

  test("allows a form of the page, and clients that are not browsers", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const browser = {
      ...form,
      host: own(),
      origin: `http://${own()}`,
      "sec-fetch-site": "same-origin",
    };
    for (const headers of [browser, { ...form, host: own() }]) {
      expect((await ask("POST", "/_sandbox/clock", headers, "by=1s")).status).toBe(303);
    }
  });

  test.each(PLACES)(
    "sends %s %s with a policy that blocks scripts of others",
    async (method, path) => {
      const { headers } = await ask(method, path, { host: own() });
      expect(headers["content-security-policy"]).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(headers["cache-control"]).toBe("no-store");
      expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
      // Any origin may read the service, and none the page.
      expect(headers["access-control-allow-origin"]).toBeUndefined();
    },
  );

  test("has no inline script and no inline style", async () => {
    await sandbox.fetch(`${sandbox.baseUrl}/payments/initiate`, {
      method: "POST",
      headers: { "x-api-key": sandbox.keys.secret },
      body: '{"amount":1,"phone":"0712345678"}',
    });
    const { text } = await ask("GET", "/", { host: own() });
    expect(text).not.toMatch(/<script(?! src="\/_sandbox\/page\.js" defer><\/script>)/);
    expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i);
  });
});
