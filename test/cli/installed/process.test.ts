import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../../src/cli/exit-codes.ts";
import { untilIt } from "../../support/running.ts";
import {
  CLI,
  installedMalipo,
  type Surroundings,
  startMalipo,
  startReceiver,
  startSandboxProcess,
} from "../command-line.ts";

// What only a process shows: the other tests run commands in the process of the test.

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "malipo-process-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function running(args: readonly string[], surroundings?: Surroundings) {
  const sandbox = await startSandboxProcess(args, surroundings);
  onTestFinished(async () => {
    await sandbox.stop("SIGKILL");
  });
  return sandbox;
}

describe("the process of a command", () => {
  test("prints its version", async ({ expect }) => {
    const { stdout } = await installedMalipo(["--version"]);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("prints colour if it is forced, and none if NO_COLOR is set", async ({ expect }) => {
    const coloured = await installedMalipo(["--help"], { env: { FORCE_COLOR: "1" } });
    expect(coloured.stdout).toContain("\u001b[1m");
    const plain = await installedMalipo(["--help"], { env: { NO_COLOR: "1" } });
    expect(plain.stdout).not.toContain("\u001b");
  });

  test("a Node.js that is too old is named, with what fixes it", () => {
    const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
    const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.12.0" } })`;
    const args = ["--import", `data:text/javascript,${encodeURIComponent(pretend)}`, CLI, "--help"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect([status, stdout]).toEqual([EXIT.usage, ""]);
    expect(stderr).toContain("This is Node.js 22.12.0");
    expect(stderr).toContain(`requires ${engines.node.replace(">=", "")} or later`);
    expect(stderr).toContain("nvm install");
  });

  test("reads standard input to its end, from a pipe that stays open for a time", async () => {
    const { child, ended, printed } = startMalipo(["sign", "--secret", "s"]);
    child.stdin?.write("one ");
    await new Promise((resolve) => child.stdin?.write("two", resolve));
    child.stdin?.end();
    expect(await ended).toBe(EXIT.ok);
    const whole = await installedMalipo(["sign", "--secret", "s"], { input: "one two" });
    expect(printed()).toBe(whole.stdout);
  });

  test("writes the log that a variable of --env-file asks for", async () => {
    const folder = newFolder();
    const settings = { MALIPO_LOG: "debug", MALIPO_API_KEY: "sb_1" };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    writeFileSync(join(folder, ".env"), lines.join("\n"));
    const args = ["merchant", "get", "--base-url", "http://127.0.0.1:1/v1", "--env-file", ".env"];
    const { code, stderr } = await installedMalipo(args, { cwd: folder });
    expect(code).toBe(EXIT.unreachable);
    expect(stderr).toContain("malipo GET http://127.0.0.1:1/v1/merchant attempt=1");
  });

  test("ends without an error if its reader closes the pipe early", () => {
    const command = `${process.execPath} ${CLI} explain; echo "exit $?" >&2`;
    const { stdout, stderr } = spawnSync("sh", ["-c", `{ ${command}; } | head -1`], {
      encoding: "utf8",
    });
    expect(stdout).toMatch(/^code +try again +cause\n$/);
    expect(stderr).toBe("exit 0\n");
  });
});

describe("the process of a sandbox", () => {
  const initiate = { amount: 70, phone: "0712345678" };

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "stops on %s with open connections: idle, half sent and streaming",
    async (signal) => {
      const { ready, url, stop, call } = await running([]);
      const { port } = new URL(ready.url);
      const silent = connect(Number(port), "127.0.0.1");
      const half = connect(Number(port), "127.0.0.1");
      for (const socket of [silent, half]) socket.on("error", () => {});
      half.write("POST /api/v1/invoices HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{");
      const live = await fetch(`${ready.url}/_sandbox/events`);
      expect(live.headers.get("content-type")).toContain("text/event-stream");
      await call("GET", "/merchant");
      const ended = Promise.all([silent, half].map((socket) => once(socket, "close")));
      expect(await stop(signal)).toBe(EXIT.ok);
      await ended;
      await expect(live.text()).rejects.toThrow();
      expect((await installedMalipo(["clock", "now", ...url])).code).toBe(EXIT.unreachable);
    },
  );

  test("stops when the npm that started it is killed", async () => {
    const parent = `
      const { spawn } = require("node:child_process");
      spawn(process.execPath, [process.argv[1], "sandbox", "--port", "0", "--json"], { stdio: "inherit" });
    `;
    const npm = spawn(process.execPath, ["-e", parent, CLI], {
      env: { ...process.env, npm_command: "exec" },
    });
    const [line] = await once(npm.stdout, "data");
    const { url, pid } = JSON.parse(String(line));
    onTestFinished(() => void spawn("kill", [String(pid)]));
    npm.kill("SIGKILL");
    const isUp = () => fetch(url).then(Boolean, () => false);
    await expect.poll(isUp).toBe(false);
  });

  test("ends at once at a second signal, also while a request is on its way", async () => {
    const service = await startReceiver(() => {});
    onTestFinished(service.close);
    const args = ["learn", "--to", service.url, "--port", "0", "--json"];
    const learn = startMalipo(args, { cwd: newFolder() });
    const { child, ended, printed } = learn;
    await untilIt(learn, () => printed().includes("\n"));
    const { base_url } = JSON.parse(printed());
    void fetch(`${base_url}/payments`).catch(() => {});
    await expect.poll(() => service.received).toHaveLength(1);
    child.kill("SIGINT");
    const isUp = () => fetch(base_url).then(Boolean, () => false);
    await expect.poll(isUp).toBe(false);
    child.kill("SIGINT");
    await ended;
    expect(child.signalCode).toBe("SIGINT");
  });

  test("keeps payments, prompts, webhooks and keys between runs", async () => {
    const receiver = await startReceiver();
    const path = join(newFolder(), "state.json");
    const args = ["--state", path, "--seed", "same", "--webhook", receiver.url];
    const first = await running(args);
    expect(first.ready.restored).toBe(false);
    const asked = await (await first.call("POST", "/payments/initiate", initiate)).json();
    // Each change is saved, not only the end state.
    await expect.poll(() => readFileSync(path, "utf8")).toContain(asked.data.reference);
    expect(statSync(path).mode & 0o077).toBe(0);
    expect(await first.stop("SIGKILL")).toBe(null);

    const second = await running(["--state", path, "--webhook", receiver.url]);
    expect(second.ready).toMatchObject({ restored: true, keys: first.ready.keys });
    const approved = await installedMalipo([
      "phone",
      "approve",
      initiate.phone,
      ...second.url,
      "--json",
    ]);
    expect(approved.json().payment).toMatchObject({ ...asked.data, status: "completed" });
    const webhooks = await (await second.call("GET", "/webhooks")).json();
    expect(webhooks.data).toHaveLength(1);
    await second.stop();

    const third = await running(["--state", path]);
    const payment = await third.call("GET", `/payments/${asked.data.reference}`);
    expect((await payment.json()).data.status).toBe("completed");
    await third.stop();
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    receiver.close();
  });
});

describe("the sandbox of another process", () => {
  const newEnv = () => ({ XDG_RUNTIME_DIR: newFolder() });

  test("the command that a message names sets what a shell needs", async () => {
    const env = newEnv();
    await running([], { env });
    const list = `${process.execPath} ${CLI} payments list`;
    const script = `eval "$(${process.execPath} ${CLI} env)" && ${list}`;
    const shell = spawnSync("sh", ["-c", script], {
      encoding: "utf8",
      env: { ...process.env, ...env },
    });
    expect([shell.status, shell.stderr]).toEqual([EXIT.ok, ""]);
    expect(shell.stdout).toContain("No payments.");
  });

  test("is left out if it was killed, or if another program has taken its port", async () => {
    const env = newEnv();
    const folder = join(env.XDG_RUNTIME_DIR, "malipo");
    const killed = await running([], { env });
    await killed.stop("SIGKILL");
    expect(readdirSync(folder)).toHaveLength(1);
    const sandbox = await running([], { env });
    const other = createServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const entry = join(folder, `${process.pid}-${port}.json`);
    writeFileSync(entry, `{"url":"http://127.0.0.1:${port}"}`, { mode: 0o600 });
    const { stdout } = await installedMalipo(["env"], { env });
    expect(stdout).toContain(`MALIPO_BASE_URL=${sandbox.ready.base_url}\n`);
    other.close();
  });
});
