import { execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { freePort } from "../../src/drill/child.ts";
import { hasChromium, launchChromium } from "../support/chromium.ts";
import type { Scene } from "./scene.ts";

/** The result of a runtime. */
export interface Found {
  readonly version: string;
  readonly checks: number;
  readonly failures: readonly string[];
}

/** A runtime. `run` runs the script in the folder of the installed tarball. */
export interface Engine {
  readonly name: string;
  run(folder: string, scene: Scene): Promise<Found>;
}

const MODULES = fileURLToPath(new URL("./tools/node_modules", import.meta.url));
const run = promisify(execFile);

/** Prints the version of the runtime, and the result of the script. */
const MAIN = `
const version = globalThis.Bun?.version ?? globalThis.Deno?.version.deno ?? process.versions.node;
const found = await conformance(JSON.parse(process.env.SCENE));
console.log(JSON.stringify({ version, ...found }));
`;

async function spawned(file: string, args: string[], folder: string, scene: Scene): Promise<Found> {
  const env = { ...process.env, SCENE: JSON.stringify(scene), NODE_OPTIONS: "" };
  const { stdout } = await run(file, args, { cwd: folder, env });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

const asScript =
  (file: string, ...args: string[]): Engine["run"] =>
  (folder, scene) => {
    writeFileSync(
      join(folder, "main.js"),
      `import { conformance } from "./conformance.js";\n${MAIN}`,
    );
    return spawned(join(MODULES, file), [...args, "main.js"], folder, scene);
  };

async function bundle(folder: string, code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: folder },
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    tsconfigRaw: {},
  });
  return outputFiles[0]?.text ?? "";
}

const WORKER = `
import { conformance } from "./conformance.js";
export default {
  fetch: async (request) => Response.json(await conformance(await request.json())),
};
`;

async function inWorkerd(folder: string, scene: Scene): Promise<Found> {
  const port = await freePort();
  writeFileSync(join(folder, "worker.js"), await bundle(folder, WORKER));
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (modules = [(name = "worker", esModule = embed "worker.js")], compatibilityDate = "2026-01-01")),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);`;
  writeFileSync(join(folder, "worker.capnp"), config);
  const workerd = join(MODULES, "workerd/bin/workerd");
  const { stdout: version } = await run(workerd, ["--version"]);
  const child = spawn(workerd, ["serve", "worker.capnp"], { cwd: folder, stdio: "inherit" });
  try {
    for (let tries = 0; ; tries++) {
      try {
        const init = { method: "POST", body: JSON.stringify(scene) };
        const response = await fetch(`http://127.0.0.1:${port}/`, init);
        return { version: version.trim().replace("workerd ", ""), ...(await response.json()) };
      } catch (error) {
        // It is still starting.
        if (tries > 50) throw error;
        await sleep(100);
      }
    }
  } finally {
    child.kill();
  }
}

async function inChromium(folder: string, scene: Scene): Promise<Found> {
  if (!hasChromium) throw new Error("there is no chromium on this machine");
  const code = await bundle(
    folder,
    `import { conformance } from "./conformance.js"; globalThis.conformance = conformance;`,
  );
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    // A document on loopback without a content security policy, like a shop's page.
    await page.goto(`${scene.baseUrl}/merchant`);
    await page.addScriptTag({ content: code, type: "module" });
    await page.waitForFunction(() => "conformance" in globalThis);
    const found = await page.evaluate(
      (props) =>
        (
          globalThis as unknown as { conformance(scene: unknown): Promise<Omit<Found, "version">> }
        ).conformance(props),
      { ...scene, isPage: true },
    );
    return { version: browser.version(), ...found };
  } finally {
    await browser.close();
  }
}

const JEST = `
const { Gateway, verifyWebhook, isGatewayError } = require("malipo");
const { signWebhook } = require("malipo/webhooks");
const { createSandbox } = require("malipo/sandbox");
const scene = JSON.parse(process.env.SCENE);
test("reads a payment", async () => {
  const gateway = new Gateway({ apiKey: scene.keys.public, baseUrl: scene.baseUrl });
  expect((await gateway.payments.get(scene.reference)).status).toBe("completed");
  const error = await gateway.payments.get("none").catch((error) => error);
  expect(isGatewayError(error) && error.code).toBe("not_found");
});
test("verifies a webhook", () => {
  const body = JSON.stringify({ event: "payment.completed", data: {} });
  const signature = signWebhook(body, "s");
  expect(verifyWebhook({ body, signature, secret: "s" }).event).toBe("payment.completed");
});
test("serves a sandbox with its control API", async () => {
  const served = await createSandbox().serve({ port: 0 });
  const response = await fetch(served.url + "/_sandbox/api/status");
  await served.close();
  expect(response.status).toBe(200);
});
`;

async function inJest(folder: string, scene: Scene): Promise<Found> {
  writeFileSync(join(folder, "malipo.test.cjs"), JEST);
  const config = JSON.stringify({ testMatch: ["**/*.test.cjs"], testEnvironment: "node" });
  const jest = join(MODULES, "jest/bin/jest.js");
  const args = [jest, "--config", config, "--rootDir", folder, "--json", "--silent"];
  const env = { ...process.env, SCENE: JSON.stringify(scene), NODE_OPTIONS: "" };
  const { stdout } = await run(process.execPath, args, { cwd: folder, env }).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? "" }),
  );
  const { numTotalTests, testResults } = JSON.parse(stdout);
  const { stdout: version } = await run(process.execPath, [jest, "--version"]);
  return {
    version: version.trim(),
    checks: numTotalTests,
    failures: testResults.flatMap(({ status, message }: { status: string; message: string }) =>
      status === "passed" ? [] : [message],
    ),
  };
}

export const ENGINES: readonly Engine[] = [
  { name: "Node 22", run: asScript("node-22/bin/node") },
  { name: "Node 24", run: asScript("node-24/bin/node") },
  { name: "Node 26", run: asScript("node-26/bin/node") },
  { name: "Bun", run: asScript("bun/bin/bun.exe") },
  { name: "Deno", run: asScript(".bin/deno", "run", "--allow-all", "--node-modules-dir=manual") },
  { name: "workerd (Cloudflare Workers)", run: inWorkerd },
  { name: "Chromium", run: inChromium },
  { name: "Jest, CommonJS", run: inJest },
];
