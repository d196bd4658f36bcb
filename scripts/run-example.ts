// Runs an example against a sandbox: `npm run example reconcile`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { createSandbox } from "malipo/sandbox";

const names = globSync("examples/*/").map((path) => path.replace(/^examples\/|\/$/g, ""));
const [name = "", ...args] = process.argv.slice(2);
const file = [`examples/${name}/server.ts`, `examples/${name}/${name}.ts`].find(existsSync);
if (file === undefined) {
  console.error(`Usage: npm run example <name>. The examples are ${names.sort().join(", ")}`);
  process.exit(2);
}
const sandbox = createSandbox({ clock: "real", auto: "approve" });
const service = await sandbox.serve({ port: 4010 });
console.log(`The sandbox is at ${service.url}. It approves every prompt after 3 s.`);
const child = spawn(process.execPath, [file, ...args], {
  stdio: "inherit",
  env: {
    ...process.env,
    MALIPO_BASE_URL: service.baseUrl,
    MALIPO_API_KEY: sandbox.keys.secret,
    MALIPO_PUBLIC_KEY: sandbox.keys.public,
    MALIPO_WEBHOOK_SECRET: sandbox.webhookSecret,
  },
});
process.on("SIGINT", () => {});
const [code] = await once(child, "exit");
await service.close();
process.exit(code ?? 1);
