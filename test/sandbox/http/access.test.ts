import { request } from "node:http";
import { text } from "node:stream/consumers";
import { createSandbox, type ServedSandbox, type ServeOptions } from "malipo/sandbox";
import { afterEach, describe, expect, test } from "vitest";

const served: ServedSandbox[] = [];
afterEach(async () => {
  await Promise.all(served.splice(0).map((one) => one.close()));
});

async function serve(options: ServeOptions = {}) {
  const sandbox = createSandbox();
  const server = await sandbox.serve({ port: 0, ...options });
  served.push(server);
  /** Asks with forged headers, which `fetch` would not send. */
  const ask = (path: string, headers: Record<string, string>, method = "GET") =>
    new Promise<{ status: number; headers: Record<string, unknown>; text: string }>(
      (resolve, reject) => {
        const sent = request({ port: server.port, host: "127.0.0.1", method, path, headers });
        sent.on("error", reject).on("response", async (response) => {
          const { statusCode: status = 0, headers: received } = response;
          resolve({ status, headers: received, text: await text(response) });
        });
        sent.end();
      },
    );
  return { sandbox, ask, key: { "x-api-key": sandbox.keys.secret } };
}

const READ = "/api/v1/payments";
const CORS = "access-control-allow-origin";

describe("a served sandbox", () => {
  test.each(["evil.example", "evil.example:80", "127.0.0.1.evil.example", "[::2]", "x y"])(
    "does not serve the service under the name %s",
    async (host) => {
      const { ask, key } = await serve();
      const { status, headers } = await ask(READ, { ...key, host });
      expect(status).toBe(403);
      expect(headers).not.toHaveProperty(CORS);
    },
  );

  test.each(["localhost", "127.0.0.1:99", "shop.localhost:3000", "[::1]"])(
    "serves it under the name %s",
    async (host) => {
      const { ask, key } = await serve();
      expect((await ask(READ, { ...key, host })).status).toBe(200);
    },
  );

  test.each(["https://evil.example", "null", "http://localhost.evil.example", "nonsense"])(
    "lets no page of %s read a response, nor send a key",
    async (origin) => {
      const { ask, key } = await serve();
      expect((await ask(READ, { ...key, origin })).headers).not.toHaveProperty(CORS);
      const preflight = await ask(
        READ,
        { origin, "access-control-request-method": "GET" },
        "OPTIONS",
      );
      expect(preflight.headers).not.toHaveProperty(CORS);
      expect(preflight.headers).not.toHaveProperty("access-control-allow-headers");
      expect((await ask("/nowhere", { origin })).headers).not.toHaveProperty(CORS);
    },
  );

  test.each(["http://localhost:5173", "http://127.0.0.1:3000", "https://shop.localhost"])(
    "lets a page of %s read it",
    async (origin) => {
      const { ask, key } = await serve();
      expect((await ask(READ, { ...key, origin })).headers).toHaveProperty(CORS);
    },
  );

  test("lets pages of the origins in `cors` read it", async () => {
    const { ask, key } = await serve({ cors: ["https://shop.example"] });
    expect((await ask(READ, { ...key, origin: "https://shop.example" })).headers[CORS]).toBe("*");
    const other = await ask(READ, { ...key, origin: "http://shop.example" });
    expect(other.headers).not.toHaveProperty(CORS);
  });

  describe("that listens for other machines", () => {
    const PLACES = [READ, "/", "/_sandbox/api/status", "/docs", "/openapi.json"];

    test.each(PLACES)("serves %s under names that no website can have", async (path) => {
      const { ask, key } = await serve({ host: "0.0.0.0" });
      for (const host of ["gateway:4010", "192.168.1.10:4010", "[fe80::1]:4010", "localhost"]) {
        expect([host, (await ask(path, { ...key, host })).status]).toEqual([host, 200]);
      }
      const foreign = { ...key, host: "gateway:4010", origin: "https://evil.example" };
      if (path !== READ) expect((await ask(path, foreign)).status).toBe(403);
    });

    test.each(PLACES)("serves %s to no website whose name leads to this machine", async (path) => {
      const { ask, key, sandbox } = await serve({ host: "0.0.0.0" });
      for (const host of ["evil.example", "evil.example:4010", "rebound.evil.example."]) {
        const rebound = { ...key, host, origin: `http://${host}` };
        const { status, text } = await ask(path, rebound);
        expect([host, status]).toEqual([host, 403]);
        expect(text).toContain("--allow-host");
        expect(text).not.toContain(sandbox.webhookSecret);
      }
    });

    test("serves a full name that is in `allowedHosts`", async () => {
      const { ask, key } = await serve({ host: "0.0.0.0", allowedHosts: ["gateway.shop.example"] });
      const host = "gateway.shop.example:4010";
      expect((await ask(READ, { ...key, host })).status).toBe(200);
      expect((await ask("/", { host, origin: `http://${host}` })).status).toBe(200);
    });
  });

  test.each(["/openapi.json", "/docs", "/"])(
    "shows %s neither under another name nor to a page of another site",
    async (path) => {
      const { ask } = await serve();
      expect((await ask(path, { host: "evil.example" })).status).toBe(403);
      const site = { host: "localhost", "sec-fetch-site": "cross-site" };
      expect((await ask(path, { host: "localhost", origin: "https://evil.example" })).status).toBe(
        403,
      );
      expect((await ask(path, site)).status).toBe(403);
      const link = { ...site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
      expect((await ask(path, link)).status).toBe(path === "/openapi.json" ? 403 : 200);
    },
  );

  test.each(["/nowhere", READ, "/api/v1/nowhere", "/openapi.json"])(
    "forbids browsers to guess the type of %s",
    async (path) => {
      const { ask } = await serve();
      expect((await ask(path, {})).headers["x-content-type-options"]).toBe("nosniff");
    },
  );

  test.each([
    { cors: ["shop.example"] },
    { cors: ["https://shop.example/"] },
    { host: "" },
    { allowedHosts: ["http://x"] },
  ])("rejects the options %j", async (options) => {
    await expect(serve(options)).rejects.toMatchObject({ code: "configuration" });
  });
});
