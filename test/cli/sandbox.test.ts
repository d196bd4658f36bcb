import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { EMPTY_PROFILE } from "../../src/profile/profile-types.ts";
import { type Surroundings, startReceiver } from "./command-line.ts";
import { malipo, startCommand, startSandbox } from "./in-process.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "malipo-cli-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = (text?: string): string => {
  const path = join(folder, `file-${++files}.json`);
  if (text !== undefined) writeFileSync(path, text);
  return path;
};

async function running(args: readonly string[], surroundings?: Surroundings) {
  const sandbox = await startSandbox(args, surroundings);
  onTestFinished(async () => {
    await sandbox.stop();
  });
  return sandbox;
}

describe("malipo sandbox", () => {
  test("prints its keys, and writes a ready file that is removed when it stops", async () => {
    const path = newFile();
    const { ready, call, stop } = await running(["--ready-file", path]);
    expect(ready).toMatchObject({ clock: "real", auto: "magic", webhook: null, state: null });
    expect(ready.base_url).toBe(`${ready.url}/api/v1`);
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(ready);
    expect(statSync(path).mode & 0o077).toBe(0);
    expect((await call("GET", "/merchant")).status).toBe(200);
    expect((await fetch(ready.page)).headers.get("content-type")).toContain("text/html");
    expect(await stop()).toBe(EXIT.ok);
    expect(existsSync(path)).toBe(false);
  });

  test("has the same keys for the same seed, and other keys for another seed", async () => {
    const [one, same, other] = await Promise.all([
      running(["--seed", "a"]),
      running(["--seed", "a"]),
      running(["--seed", "b"]),
    ]);
    expect(same.ready.keys).toEqual(one.ready.keys);
    expect(other.ready.keys).not.toEqual(one.ready.keys);
  });

  test("prints the steps to a paid payment, and every command in them works", async () => {
    // No sandbox of another test, so that a command finds this one.
    const env = { XDG_RUNTIME_DIR: mkdtempSync(join(folder, "run-")) };
    const { output, prints, stop } = startWithoutJson([], { env });
    await prints(/Ctrl-C/);
    const text = output();
    const [, url = ""] = /running on this machine: (http:\S+)/.exec(text) ?? [];
    expect((await fetch(url)).status).toBe(200);
    const command = (name: string) => {
      const [, words = ""] = new RegExp(`npx malipo (${name}[^#\\n]*)`).exec(text) ?? [];
      return words.trim().split(" ");
    };
    const dotenv = join(folder, ".env");
    const write = command("env --write").map((word) => (word === ".env" ? dotenv : word));
    expect((await malipo(write, { env })).code).toBe(EXIT.ok);
    const variables = Object.fromEntries(
      readFileSync(dotenv, "utf8")
        .trim()
        .split("\n")
        .map((line) => line.split("=") as [string, string]),
    );
    const asked = await malipo(command("payments initiate"), { env: { ...env, ...variables } });
    expect(asked.code).toBe(EXIT.ok);
    await prints(/the phone is ringing/);
    expect((await malipo(command("phone approve"), { env })).code).toBe(EXIT.ok);
    await prints(/payment {2}PAY-\w+ {2}completed/);
    expect(await stop()).toBe(EXIT.ok);
    expect(output()).toContain("Stopped.");
  });

  test("--profile prints the file that the sandbox responds by, and rejects a file that is not a profile", async () => {
    const path = newFile(JSON.stringify(EMPTY_PROFILE));
    const { ready } = await running(["--profile", path]);
    expect(ready).toMatchObject({ profile: path });
    for (const [content, message] of [
      ["{", /is not valid JSON/],
      ['{"version":9}', /has the version 9/],
    ] as const) {
      const { code, stderr } = await malipo(["sandbox", "--profile", newFile(content)]);
      expect([code, stderr]).toEqual([EXIT.usage, expect.stringMatching(message)]);
    }
    const { code, stderr } = await malipo(["sandbox", "--profile", newFile()]);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringMatching(/There is no file/)]);
  });

  test("says what to change if the port is in use", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const { code, stderr } = await malipo(["sandbox", "--port", String(port)]);
    expect(code).toBe(EXIT.portInUse);
    expect(stderr).toContain(`Port ${port} is in use`);
    expect(stderr).toContain(`npx malipo sandbox --port ${port + 1}`);
    const asJson = await malipo(["sandbox", "--port", String(port), "--json"]);
    expect(asJson.json().error).toMatchObject({ code: "port_in_use", exit_code: EXIT.portInUse });
    server.close();
  });

  test.each([
    ["--port", "4010x"],
    ["--port", "65536"],
    ["--port", "-1"],
    ["--clock", "reel"],
    ["--auto", "yes"],
    ["--webhook", "shop"],
    ["--webhook", "http://shop.example/hook"],
    ["--ready-file", "/nowhere/at/all.json"],
    ["--state", "/nowhere/at/all.json"],
  ])("rejects %s %s", async (flag, value) => {
    const { code, stdout, stderr } = await malipo(["sandbox", "--port=0", flag, value]);
    expect([code, stdout]).toEqual([EXIT.usage, ""]);
    expect(stderr).toContain(flag === "--state" ? "could not be saved" : flag.replace("--", ""));
  });
});

test.skipIf(process.platform === "win32")(
  "a pipe is neither a state nor a ready file",
  async () => {
    const pipe = join(mkdtempSync(join(tmpdir(), "malipo-pipe-")), "pipe");
    execFileSync("mkfifo", [pipe]);
    for (const flag of ["--state", "--ready-file"]) {
      const { code, stderr } = await malipo(["sandbox", "--port=0", flag, pipe]);
      expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining("not a regular file")]);
      expect(lstatSync(pipe).isFIFO()).toBe(true);
    }
    rmSync(dirname(pipe), { recursive: true });
  },
);

/** Starts a sandbox without `--json`. */
function startWithoutJson(args: readonly string[], surroundings: Surroundings = {}) {
  const started = startCommand(["sandbox", "--port", "0", ...args], surroundings);
  onTestFinished(() => void started.stop());
  return started;
}

describe("malipo sandbox --webhook", () => {
  test("delivers all eight events to the receiver, signed", async () => {
    const receiver = await startReceiver();
    const { call, ready } = await running(["--webhook", receiver.url]);
    const { data } = await (await call("GET", "/webhooks")).json();
    expect(data).toMatchObject([{ url: receiver.url }]);
    expect(data[0].events).toHaveLength(8);
    await call("POST", "/invoices", {});
    await expect.poll(() => receiver.received).toHaveLength(1);
    const [{ body, headers } = { body: Buffer.alloc(0), headers: {} }] = receiver.received;
    const signature = String(headers["x-service-signature"]);
    const args = ["verify", "--signature", signature, "--secret", ready.webhook_secret];
    expect((await malipo(args, { input: body })).code).toBe(EXIT.ok);
    receiver.close();
  });

  test("lists pending deliveries of a receiver that never responds, and still works", async () => {
    const receiver = await startReceiver(() => {});
    const { call, url, stop } = await running(["--webhook", receiver.url]);
    await Promise.all(Array.from({ length: 150 }, () => call("POST", "/invoices", {})));
    // After 5 s, which a busy machine may reach here, an attempt has failed and the next one begins.
    await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(100);
    const { queues, total } = (await malipo(["events", "list", ...url, "--json"])).json();
    expect(queues).toEqual([{ url: receiver.url, pending: 150, maxPending: 10_000 }]);
    expect(total).toBe(150);
    const { stdout } = await malipo(["events", "list", ...url]);
    expect(stdout).toContain(`150 pending for ${receiver.url}`);
    expect(await stop()).toBe(EXIT.ok);
    receiver.close();
  });
});

describe("malipo sandbox --state", () => {
  const initiate = { amount: 70, phone: "0712345678" };

  test("keeps virtual time; real time goes on while it is stopped", async () => {
    const path = newFile();
    const virtual = await running(["--state", path, "--clock", "virtual", "--seed", "time"]);
    await malipo(["clock", "advance", "1h", ...virtual.url]);
    await virtual.stop();
    const again = await running(["--state", path, "--clock", "virtual"]);
    const time = await malipo(["clock", "now", ...again.url]);
    expect(time.stdout).toBe("2026-01-01T10:00:00+03:00 (virtual)\n");
    await again.call("POST", "/payments/initiate", initiate);
    await again.stop();
    const real = await running(["--state", path]);
    // The prompt has long expired.
    const { data } = await (await real.call("GET", "/payments")).json();
    expect(data[0].status).toBe("failed");
    const now = (await malipo(["clock", "now", ...real.url, "--json"])).json();
    expect(Math.abs(Date.parse(now.now) - Date.now())).toBeLessThan(60_000);
  });

  const BEGINNING = '{"malipo":"malipo sandbox state","version":1,"now":1,';
  test.each([
    ["cut short", `${BEGINNING}"state":{"version":1,"tim`],
    ["with a part missing", `${BEGINNING}"state":{"version":1}}`],
    ["with nothing in it", `${BEGINNING}"state":null}`],
  ])("moves a damaged file out of the way, %s, and starts empty", async (_, text) => {
    const path = newFile(text);
    const { ready, stderr, stop } = await running(["--state", path]);
    expect(ready.restored).toBe(false);
    const [, movedTo = ""] = /moved to (\S+\.damaged-[\w-]+)/.exec(stderr()) ?? [];
    expect(readFileSync(movedTo, "utf8")).toBe(text);
    await stop();
    expect((await running(["--state", path])).ready.restored).toBe(true);
  });

  test.each([
    ["of another program", '{"name":"shop","version":"1.0.0"}'],
    ["that is not JSON", "hello"],
    ["that is not text", "\u0000\u0001"],
    ["of a later version", '{"malipo":"malipo sandbox state","version":2,"now":1,"state":{}}'],
  ])("rejects a file %s, and leaves it unchanged", async (_, text) => {
    const path = newFile(text);
    const { code, stderr } = await malipo(["sandbox", "--port=0", "--state", path]);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain("left unchanged");
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("treats an empty file as a new one, and rejects a directory", async () => {
    const empty = await running(["--state", newFile("")]);
    expect(empty.ready.restored).toBe(false);
    const { code, stderr } = await malipo(["sandbox", "--port=0", "--state", folder]);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain("not a regular file");
    chmodSync(folder, 0o700);
  });
});

test.concurrent.for([
  [["--cors", "shop.example"], "--cors must be an origin, such as https://shop.example"],
  [["--host", "192.0.2.1"], "--host: this machine has no address 192.0.2.1"],
])(
  "an access option that cannot be is rejected in the words of the command line: %j",
  async ([args = [], message = ""], { expect }) => {
    const { code, stderr } = await malipo(["sandbox", "--port", "0", ...args]);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/`|\n {4}at /);
  },
);
