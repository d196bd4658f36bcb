import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** The code of the files that a command loads until it ends. */
async function loadedBy(args: readonly string[]): Promise<string[]> {
  const { stderr } = await installedMalipo(args, { env: { NODE_OPTIONS: `--import=${tracer}` } });
  const urls = [...stderr.matchAll(/^loaded (.+)$/gm)].map(([, url = ""]) => new URL(url));
  return urls.map((url) => readFileSync(url, "utf8"));
}

/** What only they say: a minifier keeps texts. */
const RECEIVER_AND_CLIENT = /KyError|Is the whole package deployed|the receiver failed/;

describe.concurrent("what a command loads", () => {
  test("of --version: the file that starts, and those that read the version", async ({
    expect,
  }) => {
    expect((await loadedBy(["--version"])).length).toBeLessThanOrEqual(4);
  });

  test("of --help: no code of the receiver, the client and the sandbox", async ({ expect }) => {
    const files = await loadedBy(["--help"]);
    expect(files.length).toBeLessThanOrEqual(36);
    expect(files.filter((code) => RECEIVER_AND_CLIENT.test(code))).toEqual([]);
  });

  // The port is taken: the command ends after it has loaded everything.
  test("of sandbox: no code of the receiver and the client", async ({ expect }) => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const files = await loadedBy(["sandbox", "--port", String(port)]);
    server.close();
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((code) => RECEIVER_AND_CLIENT.test(code))).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(70);
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
