import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, expect, test } from "vitest";
import { CLEAN_ENV, CLI, installedMalipo, startSandboxProcess } from "../command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-mcp-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a client that starts the process of malipo mcp uses the sandbox of another process", async () => {
  const sandbox = await startSandboxProcess(["--clock", "virtual"], { cwd: folder });
  const errors: Error[] = [];
  const client = new Client({ name: "test", version: "1" });
  // Anything on standard output that is not of the protocol is an error of the client.
  client.onerror = (error) => errors.push(error);
  const env = CLEAN_ENV as Record<string, string>;
  const started = { command: process.execPath, args: [CLI, "mcp"], env, cwd: folder };
  await client.connect(new StdioClientTransport(started));
  const payment = { amount: 100, phone: "0712345678" };
  const asked = await client.callTool({ name: "payments_initiate", arguments: payment });
  expect(asked.isError ?? false).toBe(false);
  const moved = await client.callTool({ name: "clock_advance", arguments: { by: "61s" } });
  expect(JSON.stringify(moved.content)).toContain("virtual");
  expect(errors).toEqual([]);
  await client.close();
  await sandbox.stop();
});

test("without the SDK, the message names the command that installs it", async () => {
  const place = join(folder, "node_modules", "malipo");
  const root = dirname(dirname(CLI));
  for (const part of ["dist", "package.json"]) {
    cpSync(join(root, part), join(place, part), { recursive: true });
  }
  const copied = join(place, "dist", "cli.js");
  const { code, stdout, stderr } = await installedMalipo(["mcp"], { cli: copied });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("npm install --save-dev @modelcontextprotocol/sdk");
});

test("it ends with standard input, and prints nothing that is not of the protocol", async () => {
  const { code, stdout, stderr } = await installedMalipo(["mcp"], { input: "no JSON\n" });
  expect([code, stdout, stderr]).toEqual([0, "", ""]);
});
