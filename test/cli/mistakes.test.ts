import { createHmac } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyWebhook } from "malipo/webhooks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { type Received, startReceiver } from "./command-line.ts";
import { malipo, type Running, startSandbox } from "./in-process.ts";

// The commonest mistakes, each made on purpose: the message names the mistake, and the command or the
// change that fixes it.

let folder: string;
let sandbox: Running;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "malipo-mistakes-"));
  sandbox = await startSandbox();
});
afterAll(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
});

const SECRET = "whsec_right";
const hmac = (content: string, secret = SECRET) =>
  createHmac("sha256", secret).update(content).digest("hex");

/** What `doctor` advises about a receiver that takes what `isGenuine` accepts. */
async function adviceFor(isGenuine: (body: string, headers: Received["headers"]) => boolean) {
  const receiver = await startReceiver(({ body, headers }, response) => {
    response.writeHead(isGenuine(body.toString(), headers) ? 200 : 401).end();
  });
  const args = ["doctor", "--webhook", receiver.url, "--secret", SECRET, "--json"];
  const { code, json } = await malipo(args, { env: sandbox.env });
  receiver.close();
  const { checks } = json() as { checks: { name: string; advice?: string }[] };
  expect(code).toBe(EXIT.failed);
  return checks.find(({ name }) => name === "receiver")?.advice;
}

describe("a mistake is named, with what fixes it:", () => {
  test("a wrong webhook secret in the receiver", async () => {
    const advice = await adviceFor(
      (body, headers) => headers["x-service-signature"] === hmac(body, "whsec_wrong"),
    );
    expect(advice).toMatch(/another secret: `npx malipo env --write \.env`/);
  });

  test("a wrong webhook secret on the command line", async () => {
    const body = '{"event":"payment.completed","data":{}}';
    const args = ["verify", "--signature", hmac(body), "--secret", "whsec_wrong"];
    const { stdout } = await malipo(args, { input: body });
    expect(stdout).toMatch(/signed with another secret.*compare the secret.*`npx malipo env`/);
    expect(stdout).not.toMatch(/looks re-serialised/);
  });

  test("a body that a framework has parsed", async () => {
    const advice = await adviceFor((body, headers) => {
      const secret = SECRET;
      try {
        verifyWebhook({ body: JSON.stringify(JSON.parse(body)), headers, secret });
        return true;
      } catch {
        return false;
      }
    });
    expect(advice).toMatch(/body was parsed before it was verified.*express\.raw\(\)/);
  });

  test("a receiver that expects a time to be signed with the body", async () => {
    const advice = await adviceFor((body, headers) => {
      const signed = `${headers["x-service-timestamp"]}.${body}`;
      return headers["x-service-signature"] === hmac(signed);
    });
    expect(advice).toMatch(/`timestamp\.body`.*verifyWebhook/);
  });

  test("a service that signs a time with the body", async () => {
    const body = '{"event":"x","timestamp":"2026-01-01T09:00:00+03:00","data":{}}';
    const verify = (signed: string, ...flags: string[]) =>
      malipo(["verify", "--signature", hmac(signed), "--secret", SECRET, ...flags], {
        input: body,
      });
    const header = ["--header", "X-Service-Timestamp: 1767247200"];
    const found = await verify(`1767247200.${body}`, ...header);
    expect(found.stdout).toMatch(/secret is right.*`timestamp\.body`.*header X-Service-Timestamp/);
    const joined = await verify(`1767247200${body}`, ...header);
    expect(joined.stdout).toMatch(/timestamp and body joined/);
    const ofBody = await verify(`2026-01-01T09:00:00+03:00.${body}`);
    expect(ofBody.stdout).toMatch(/in `timestamp` of the body/);
    const stripe = await verify(`1767247200.${body}`, "--header", "X-Sig: t=1767247200,v1=abc");
    expect(stripe.stdout).toMatch(/header X-Sig/);
    const other = await verify(`1767247201.${body}`, ...header);
    expect(other.stdout).toMatch(/signed with another secret/);
  });

  test("a wrong address of the service", async () => {
    const env = { ...sandbox.env, MALIPO_BASE_URL: "http://127.0.0.1:1/v1" };
    const { code, stderr } = await malipo(["payments", "list"], { env });
    expect(code).toBe(EXIT.unreachable);
    expect(stderr).toMatch(/127\.0\.0\.1:1.*To see what is wrong: malipo doctor/s);
    const doctor = await malipo(["doctor"], { env });
    expect(doctor.stdout).toMatch(/FAIL +service.*Check that the URL is correct/s);
  });

  test("an address without its scheme", async () => {
    const env = { ...sandbox.env, MALIPO_BASE_URL: "localhost:4010/v1" };
    const { stderr } = await malipo(["payments", "list"], { env });
    expect(stderr).toMatch(/--base-url or MALIPO_BASE_URL\) has no scheme\. Write http:\/\//);
  });

  test("a wrong folder: another project's sandbox is not used", async () => {
    const runFolder = join(folder, "run");
    mkdirSync(runFolder);
    const env = { XDG_RUNTIME_DIR: runFolder };
    const projects = ["a", "b"].map((name) => join(folder, name));
    for (const cwd of projects) mkdirSync(cwd);
    const running = await Promise.all(projects.map((cwd) => startSandbox([], { env, cwd })));
    const args = ["env", "--write", ".env"];
    const { code, stderr } = await malipo(args, { env, cwd: folder });
    expect(code).toBe(EXIT.usage);
    for (const [at, { ready }] of running.entries()) {
      expect(stderr).toContain(`--url ${ready.url}  (started in ${projects[at]})`);
    }
    for (const one of running) await one.stop();
  });

  test("a wrong folder: the file of a store is not there", async () => {
    const args = ["inbox", "list", "--store", "sqlite:inbox.db"];
    const { code, stderr } = await malipo(args, { cwd: folder });
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(`no file inbox.db in ${folder}. Run the command in the folder of`);
  });

  test("a key of the wrong kind", async () => {
    const env = { ...sandbox.env, MALIPO_API_KEY: sandbox.ready.keys.public };
    const args = ["payments", "initiate", "--amount", "1", "--phone", "0712345678"];
    const { code, stderr } = await malipo(args, { env });
    expect(code).toBe(EXIT.usage);
    expect(stderr).toMatch(/secret key.*Set MALIPO_API_KEY.*npx malipo env --write \.env/s);
  });

  test("a port that is in use", async () => {
    const { port } = new URL(sandbox.ready.url);
    const { code, stderr } = await malipo(["sandbox", "--port", port]);
    expect(code).toBe(EXIT.portInUse);
    expect(stderr).toContain(`Port ${port} is in use.`);
    expect(stderr).toContain(`npx malipo sandbox --port ${Number(port) + 1}`);
  });

  test.each([
    [["clock", "advance", "61"], /<by> must be a number with a unit .*, such as 90s; got "61"/],
    [["keys", "revoke", "foo"], /<key> must be a key, or a kind of key \(secret, .*; got "foo"/],
  ])("a value that no sandbox takes: %j", async (args, message) => {
    const { code, stderr } = await malipo([...args, "--url", "http://127.0.0.1:1"]);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringMatching(message)]);
  });

  test("white space in the address of a receiver", async () => {
    const listen = await malipo(["listen", "http://localhost:9999/x y", ...sandbox.url]);
    expect(listen.stderr).toMatch(/<receiver> must be an http or https URL/);
  });
});
