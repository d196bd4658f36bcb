import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Gateway } from "malipo";
import { nodeHandler } from "malipo/node";
import { createSandbox, type ServedSandbox } from "malipo/sandbox";
import { createWebhookReceiver } from "malipo/webhooks";
import { afterAll, beforeAll, describe, test } from "vitest";
import type { Check } from "../../src/cli/diagnosis/check.ts";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { startReceiver } from "./command-line.ts";
import { malipo } from "./in-process.ts";

const SECRET = "whsec_test";
const sandbox = createSandbox();
let service: ServedSandbox;
let folder: string;

beforeAll(async () => {
  service = await sandbox.serve({ port: 0 });
  folder = mkdtempSync(join(tmpdir(), "malipo-doctor-"));
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the doctor and finds its checks by name. */
async function runDoctor(args: string[] = [], env: Record<string, string> = {}) {
  const exit = await malipo(["doctor", "--json", ...args], {
    env: { MALIPO_API_KEY: sandbox.keys.secret, MALIPO_BASE_URL: service.baseUrl, ...env },
  });
  const { healthy, checks } = exit.json() as { healthy: boolean; checks: Check[] };
  const found = (name: string) => checks.find((check) => check.name === name);
  return { code: exit.code, healthy, found };
}

/** A service that always responds with this status and these headers. */
async function startService(status: number, headers: Record<string, string>) {
  const server = createServer((_, response) => {
    response.sendDate = false;
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end('{"success":true,"data":{}}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, close: () => server.close() };
}

describe.concurrent("malipo doctor", () => {
  test("reports a sandbox as healthy, with every check", async ({ expect }) => {
    const { code, healthy, found } = await runDoctor();
    expect([code, healthy]).toEqual([EXIT.ok, true]);
    expect(found("key")).toMatchObject({
      state: "ok",
      detail: expect.stringContaining("only on your server"),
    });
    expect(found("base URL")).toMatchObject({ state: "ok", detail: service.baseUrl });
    expect(found("TLS")?.state).toBe("skipped");
    expect(found("service")).toMatchObject({ state: "ok", detail: expect.stringContaining("200") });
    expect(found("clock")?.state).toBe("ok");
    expect(found("receiver")?.state).toBe("skipped");
    const text = await malipo(["doctor"], {
      env: { MALIPO_API_KEY: sandbox.keys.secret, MALIPO_BASE_URL: service.baseUrl },
    });
    expect(text.stdout).toMatch(/^ok {4}key .*\nok {4}base URL/);
  });

  test.for([
    ["public", "browsers included"],
    ["secret", "only on your server"],
    ["sandbox", "only for tests"],
  ] as const)("says where a %s key may be used", async ([kind, text], { expect }) => {
    const { found } = await runDoctor([], { MALIPO_API_KEY: sandbox.keys[kind] });
    expect(found("key")?.detail).toContain(text);
  });

  test.for([
    ["", /The API key is missing/],
    ["rk_live_1", /must start with one of/],
    ["sk_1 ", /white space/],
  ] as const)("reports an invalid key: %j", async ([key, message], { expect }) => {
    const { code, found } = await runDoctor([], { MALIPO_API_KEY: key });
    expect(code).toBe(EXIT.failed);
    expect(found("key")).toMatchObject({ state: "fail", detail: expect.stringMatching(message) });
    // The base URL is checked all the same.
    expect(found("base URL")?.state).toBe("ok");
    expect(found("service")).toBeUndefined();
  });

  test("warns about a key file that others can read", async ({ expect }) => {
    const path = join(folder, "key");
    writeFileSync(path, sandbox.keys.secret);
    chmodSync(path, 0o644);
    const open = await runDoctor(["--key-file", path], { MALIPO_API_KEY: "" });
    expect([open.code, open.found("key")?.state]).toEqual([EXIT.ok, "warn"]);
    expect(open.found("key")?.advice).toContain("chmod 600");
    chmodSync(path, 0o600);
    const closed = await runDoctor(["--key-file", path], { MALIPO_API_KEY: "" });
    expect(closed.found("key")?.state).toBe("ok");
  });

  test.for([
    ["", /The base URL is missing/],
    ["http://pay.example/v1", /https/],
    ["pay.example/v1", /absolute/],
  ] as const)("reports an invalid base URL: %j", async ([url, message], { expect }) => {
    const { code, found } = await runDoctor([], { MALIPO_BASE_URL: url });
    expect(code).toBe(EXIT.failed);
    expect(found("base URL")).toMatchObject({
      state: "fail",
      detail: expect.stringMatching(message),
    });
  });

  test("reports a service that does not know the key or the path", async ({ expect }) => {
    const key = sandbox.createKey({ kind: "secret", scopes: ["payments.read"] });
    const [unknown, noScope, noPath] = await Promise.all([
      runDoctor([], { MALIPO_API_KEY: "sk_unknown" }),
      runDoctor([], { MALIPO_API_KEY: key }),
      runDoctor([], { MALIPO_BASE_URL: service.url }),
    ]);
    expect([unknown.code, noScope.code, noPath.code]).toEqual([EXIT.failed, EXIT.ok, EXIT.failed]);
    expect(unknown.found("service")?.advice).toContain("does not know this key");
    expect(unknown.found("clock")?.state).toBe("ok");
    expect(noScope.found("service")).toMatchObject({ state: "warn" });
    expect(noPath.found("base URL")).toMatchObject({ state: "warn" });
    expect(noPath.found("service")?.advice).toContain("path prefix");
  });

  test("says which webhooks are registered, and what is not delivered", async ({ expect }) => {
    const own = createSandbox();
    const served = await own.serve({ port: 0 });
    const env = { MALIPO_API_KEY: own.keys.secret, MALIPO_BASE_URL: served.baseUrl };
    const webhooks = async (args: string[] = []) => {
      const { code, found } = await runDoctor(args, env);
      expect(code).toBe(EXIT.ok);
      return found("webhooks");
    };
    const { webhooks: registered } = new Gateway({
      apiKey: own.keys.secret,
      baseUrl: served.baseUrl,
    });
    const url = "https://shop.example/webhooks";
    expect(await webhooks()).toMatchObject({ state: "warn", detail: "none is registered" });
    const { id = "" } = await registered.register({
      name: "shop",
      url,
      events: ["payment.completed"],
    });
    const half = await webhooks();
    expect(half).toMatchObject({ state: "warn", detail: url });
    expect(half?.advice).toContain("No delivery of payment.failed.");
    const events = ["payment.completed", "payment.failed"];
    await registered.update(id, { events });
    expect(await webhooks()).toEqual({ name: "webhooks", state: "ok", detail: url });
    await registered.register({ name: "shop", url, events });
    expect((await webhooks())?.advice).toContain("registered twice");
    const noScope = own.createKey({ kind: "secret", scopes: ["merchant.read"] });
    const { found } = await runDoctor([], { ...env, MALIPO_API_KEY: noScope });
    expect(found("webhooks")).toMatchObject({ state: "skipped" });
    expect(found("webhooks")?.detail).toContain("webhooks.read");
    await served.close();
  });

  test("says that the receiver is not registered, and how to do it", async ({ expect }) => {
    const receiver = await startReceiver();
    const { found } = await runDoctor(["--webhook", receiver.url, "--secret", SECRET]);
    receiver.close();
    expect(found("webhooks")).toMatchObject({
      state: "warn",
      detail: `${receiver.url} is not registered`,
      advice: expect.stringContaining(`npx malipo webhooks register ${receiver.url}`),
    });
  });

  test("reports a server that does not speak TLS", async ({ expect }) => {
    const { code, found } = await runDoctor([], {
      MALIPO_BASE_URL: service.baseUrl.replace("http", "https"),
    });
    expect(code).toBe(EXIT.failed);
    expect(found("TLS")).toMatchObject({ state: "fail", advice: expect.stringContaining("TLS") });
    expect(found("service")?.state).toBe("fail");
  });

  test.for([
    [0, "ok", "agree"],
    [-100, "warn", "ahead of"],
    [100, "warn", "behind"],
    [4_000, "fail", "behind"],
  ] as const)("reports a clock that is %i s off", async ([seconds, state, text], { expect }) => {
    const date = new Date(Date.now() + seconds * 1_000).toUTCString();
    const { url, close } = await startService(200, { date });
    const { code, found } = await runDoctor([], { MALIPO_BASE_URL: `${url}/v1` });
    // A loaded machine may take a second or two.
    const detail = expect.stringMatching(seconds === 0 ? /agree|\b[0-9] s / : text);
    expect(found("clock")).toMatchObject({ state, detail });
    expect(code).toBe(state === "fail" ? EXIT.failed : EXIT.ok);
    close();
  });

  test("skips the clock check if the response has no Date", async ({ expect }) => {
    const { url, close } = await startService(200, {});
    const { found } = await runDoctor([], { MALIPO_BASE_URL: `${url}/v1` });
    expect(found("clock")?.state).toBe("skipped");
    close();
  });
});

describe.concurrent("malipo doctor --webhook", () => {
  const flags = (url: string) => ["--webhook", url, "--secret", SECRET];

  test("pings a receiver: the signed ping is accepted and the forged one is rejected", async ({
    expect,
  }) => {
    const receiver = createWebhookReceiver({ secret: SECRET, onError: () => {} });
    const events: string[] = [];
    receiver.onOther(async ({ event }) => void events.push(event));
    await receiver.start();
    const server = createServer(nodeHandler(receiver)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
    const { code, found } = await runDoctor(flags(url));
    expect(code).toBe(EXIT.ok);
    expect([found("receiver")?.state, found("forgery")?.state]).toEqual(["ok", "ok"]);
    await expect.poll(() => events).toEqual(["malipo.ping"]);
    server.close();
    await receiver.stop();
  });

  test("reads the secret from the file of --env-file", async ({ expect }) => {
    const path = join(folder, "shop.env");
    writeFileSync(path, `MALIPO_WEBHOOK_SECRET=${SECRET}\n`);
    const { url, close } = await startReceiver();
    const { found } = await runDoctor(["--webhook", url, "--env-file", path]);
    expect(found("receiver")?.state).toBe("ok");
    close();
  });

  test("reports a receiver that accepts a forged event", async ({ expect }) => {
    const { url, close } = await startReceiver();
    const { code, found } = await runDoctor(flags(url));
    expect(code).toBe(EXIT.failed);
    expect(found("receiver")?.state).toBe("ok");
    expect(found("forgery")).toMatchObject({
      state: "fail",
      advice: expect.stringContaining("Verify"),
    });
    close();
  });

  test("reports a receiver that rejects a signed event, or rejects with another status", async ({
    expect,
  }) => {
    const { url, close } = await startReceiver((_, response) => response.writeHead(400).end());
    const { code, found } = await runDoctor(flags(url));
    expect(code).toBe(EXIT.failed);
    expect(found("receiver")).toMatchObject({
      state: "fail",
      detail: expect.stringContaining("400"),
    });
    expect(found("forgery")?.state).toBe("warn");
    close();
  });

  test("shows where a receiver redirects to", async ({ expect }) => {
    const { url, close } = await startReceiver((_, response) =>
      response.writeHead(302, { location: "/elsewhere" }).end(),
    );
    const { found } = await runDoctor(flags(url));
    expect(found("receiver")).toMatchObject({
      state: "fail",
      location: "/elsewhere",
      advice: expect.stringContaining("does not follow redirects"),
    });
    const text = await malipo(["doctor", ...flags(url)]);
    expect(text.stdout).toContain("302 in ");
    expect(text.stdout).toContain(", redirected to /elsewhere");
    close();
  });

  test("reports that nothing is listening, and requires a secret", async ({ expect }) => {
    const { url, close } = await startReceiver();
    close();
    const { code, found } = await runDoctor(flags(url));
    expect(code).toBe(EXIT.failed);
    expect(found("receiver")?.detail).toContain("nothing is listening there");
    const noSecret = await malipo(["doctor", "--webhook", url]);
    expect(noSecret.code).toBe(EXIT.usage);
  });
});
