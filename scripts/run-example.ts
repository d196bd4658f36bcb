// Runs an example against a sandbox: `npm run example express`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Gateway } from "malipo";
import { createSandbox } from "malipo/sandbox";
import { EXAMPLES } from "./examples/list.ts";

const [name = "", ...more] = process.argv.slice(2);
const example = Object.hasOwn(EXAMPLES, name) ? EXAMPLES[name] : undefined;
if (example === undefined) {
  console.error("Usage: npm run example <name>\n");
  for (const [one, { about }] of Object.entries(EXAMPLES)) {
    console.error(`  ${one.padEnd(12)}${about}`);
  }
  process.exit(2);
}

const args = example.args();
const { PORT = "3000", SANDBOX_PORT = "4010" } = process.env;
const shop = `http://localhost:${PORT}`;
const sandbox = createSandbox({ clock: "real" });
// Another sandbox may have the port.
const service = await sandbox
  .serve({ port: Number(SANDBOX_PORT) })
  .catch(() => sandbox.serve({ port: 0 }));
const gateway = new Gateway({ apiKey: sandbox.keys.secret, baseUrl: service.baseUrl });
// A new sandbox has no payment of an older one, so an example begins with no data.
const folder = mkdtempSync(join(tmpdir(), "malipo-example-"));

if (example.webhook !== undefined) {
  const events = ["payment.completed", "payment.failed"] as const;
  await gateway.webhooks.register({ name, url: `${shop}${example.webhook}`, events: [...events] });
} else {
  await example.fill?.(sandbox, gateway, folder);
}
const child = spawn(example.program ?? process.execPath, [...args, ...more], {
  stdio: "inherit",
  env: {
    ...process.env,
    PORT,
    MALIPO_BASE_URL: service.baseUrl,
    MALIPO_API_KEY: sandbox.keys.secret,
    MALIPO_PUBLIC_KEY: sandbox.keys.public,
    MALIPO_WEBHOOK_SECRET: sandbox.webhookSecret,
    DATA: folder,
    SHOP_DATA: folder,
    NEXT_TELEMETRY_DISABLED: "1",
    ORDERS_DB: join(folder, "orders.db"),
    SHOP_DB: join(folder, "shop.db"),
  },
});
// Ctrl-C ends the example, and this program with it.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => child.kill("SIGTERM"));
const ended = once(child, "exit");

const isUp = () => fetch(shop).then(Boolean, () => false);
async function untilUp(): Promise<void> {
  while (!(await isUp())) await new Promise((resolve) => setTimeout(resolve, 100));
  console.log(`\n  the example   ${shop}\n  the sandbox   ${service.url}\n`);
  if (example?.next !== undefined) console.log(`${example.next} Ctrl-C ends both.\n`);
  if (example?.webhook !== undefined) await example.fill?.(sandbox, gateway, folder);
}
const [code] = await Promise.race([
  ended,
  ...((example.webhook ?? example.next) ? [untilUp().then(() => ended)] : []),
]);
await service.close();
rmSync(folder, { recursive: true, force: true });
process.exit(code ?? 0);
