import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { EXIT } from "../../../src/cli/exit-codes.ts";
import { installedMalipo } from "../command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "malipo-first-second-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Prints each file of the package that Node.js loads. */
const tracer = join(folder, "tracer.mjs");
writeFileSync(
  tracer,
  `import { registerHooks } from "node:module";
registerHooks({
  load(url, context, next) {
    if (url.includes("/dist/")) process.stderr.write("loaded " + url + "\\n");
    return next(url, context);
  },
});`,
);

/** The files that a command loads until it ends, without the hashes of their names. */
async function filesOf(args: readonly string[]): Promise<string[]> {
  const { stderr } = await installedMalipo(args, { env: { NODE_OPTIONS: `--import=${tracer}` } });
  return [...stderr.matchAll(/^loaded (.+)$/gm)]
    .map(([, url = ""]) => basename(url, ".js").replace(/-[\w-]{8}$/, ""))
    .sort();
}

const RECEIVER_AND_CLIENT = ["receiver", "gateway", "ky", "client", "webhooks", "index"];

describe.concurrent("what a command loads", () => {
  test("of --version: the file that starts, and the one that reads the version", async ({
    expect,
  }) => {
    const files = await filesOf(["--version"]);
    expect(files).toHaveLength(2);
    expect(files).toContain("cli");
  });

  test("of --help: no code of the receiver, the client and the sandbox", async ({ expect }) => {
    const files = await filesOf(["--help"]);
    const own = ["base", "cli", "command", "command", "on-demand-command", "one-copy"];
    expect(files).toEqual([...own, "sandbox-tables"]);
  });

  // The port is taken: the command ends after it has loaded everything.
  test("of sandbox: no code of the receiver and the client", async ({ expect }) => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const files = await filesOf(["sandbox", "--port", String(port)]);
    server.close();
    expect(files).toContain("sandbox");
    expect(files.filter((one) => RECEIVER_AND_CLIENT.includes(one))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(16);
  });
});

describe.concurrent("the compiled code", () => {
  test("is kept for the next start", async ({ expect }) => {
    const cache = join(folder, "cache");
    const { code } = await installedMalipo(["--help"], { env: { NODE_COMPILE_CACHE: cache } });
    expect(code).toBe(EXIT.ok);
    expect(readdirSync(cache, { recursive: true }).length).toBeGreaterThan(1);
  });

  test("is not kept if no folder can be made, and the command does its work", async ({
    expect,
  }) => {
    const file = join(folder, "a-file");
    writeFileSync(file, "");
    const env = { TMPDIR: file, NODE_COMPILE_CACHE: "" };
    const { code, stdout, stderr } = await installedMalipo(["--help"], { env });
    expect([code, stderr]).toEqual([EXIT.ok, ""]);
    expect(stdout).toContain("Exit codes");
  });
});
