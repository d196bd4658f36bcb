import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { startReceiver } from "./command-line.ts";
import { malipo, type Running, startCommand, startSandbox } from "./in-process.ts";

let sandbox: Running;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

const run = (...args: string[]) => malipo([...args, ...sandbox.url]);

describe("the commands for a running sandbox", () => {
  test("add a fault, list it and clear it", async ({ expect }) => {
    await run(
      "faults",
      "add",
      "status",
      "--status",
      "418",
      "--endpoint",
      "merchant.get",
      "--times",
      "always",
    );
    expect((await sandbox.call("GET", "/merchant")).status).toBe(418);
    const { json } = await run("faults", "list", "--json");
    expect(json().faults).toMatchObject([{ effect: { status: 418 }, times: null }]);
    expect((await run("faults", "clear")).stdout).toBe("All faults are cleared.\n");
    expect((await sandbox.call("GET", "/merchant")).status).toBe(200);
  });

  test("say which faults there are", async ({ expect }) => {
    for (const kind of [["fire"], []]) {
      const { code, stderr } = await run("faults", "add", ...kind);
      expect(code).toBe(EXIT.usage);
      expect(stderr).toMatch(/lostResponse/);
    }
  });

  test("do not start chaos in which nothing happens", async ({ expect }) => {
    const { code, stderr } = await run("chaos", "start", "--seed", "7");
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain("Give at least one rate");
  });

  test("start and end chaos", async ({ expect }) => {
    expect((await run("chaos", "start", "--api-errors", "1", "--seed", "7")).stdout).toMatch(
      /seed 7/,
    );
    expect((await sandbox.call("GET", "/merchant")).status).toBeGreaterThanOrEqual(429);
    await run("chaos", "end");
    expect((await sandbox.call("GET", "/merchant")).status).toBe(200);
  });

  test("save a scene, load it after a reset, and remove it", async ({ expect }) => {
    await sandbox.call("POST", "/invoices", { amount: 10 });
    await run("scenes", "save", "one invoice");
    await run("reset");
    const items = async () => (await (await sandbox.call("GET", "/invoices")).json()).data;
    expect(await items()).toHaveLength(0);
    await run("scenes", "load", "one invoice");
    expect(await items()).toHaveLength(1);
    expect((await run("scenes", "list")).stdout).toMatch(/^one invoice /m);
    await run("scenes", "remove", "one invoice");
    expect((await run("scenes", "load", "one invoice")).code).toBe(EXIT.failed);
  });

  test("print what a shell takes as it is", async ({ expect }) => {
    const { stdout } = await run("env");
    const folder = mkdtempSync(join(tmpdir(), "malipo-env-"));
    const script = join(folder, "env.sh");
    writeFileSync(script, `${stdout}\nprintf '%s' "$MALIPO_API_KEY $MALIPO_BASE_URL"`);
    const shell = spawnSync("sh", [script], { encoding: "utf8" });
    rmSync(folder, { recursive: true });
    const { keys, base_url } = sandbox.ready;
    expect(shell.stdout).toBe(`${keys.secret} ${base_url}`);
  });

  test("log requests and deliveries", async ({ expect }) => {
    await sandbox.call("GET", "/merchant?seen=1");
    const { stdout } = await run("logs", "--once");
    expect(stdout).toMatch(/request {2}200 {2}GET \/merchant\?seen=1/);
  });

  test("send webhooks to a receiver only while they listen", async ({ expect }) => {
    const receiver = await startReceiver((_, response) => response.end("{}"));
    const { prints, stop } = startCommand(["listen", receiver.url, ...sandbox.url]);
    await prints(/Webhooks go to/);
    await sandbox.call("POST", "/payments/initiate", { amount: 5, phone: "0712345678" });
    await prints(/payment\.initiated/);
    expect(await stop()).toBe(EXIT.ok);
    expect((await (await sandbox.call("GET", "/webhooks")).json()).data).toEqual([]);
    await receiver.close();
  });

  test("say that no sandbox runs there", async ({ expect }) => {
    for (const command of [["env"], ["faults", "list"], ["logs", "--once"], ["open"]]) {
      const { code, stderr } = await malipo([...command, "--url", "http://127.0.0.1:1"]);
      expect(code).toBe(EXIT.unreachable);
      expect(stderr).toMatch(/Start one: malipo sandbox/);
    }
  });
});
