import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import webpack from "webpack";

/** Makes BullMQ look as if it were not installed. */
const WITHOUT_BULLMQ = `
import { registerHooks } from "node:module";
registerHooks({
  resolve: (name, context, next) => {
    if (name !== "bullmq") return next(name, context);
    throw Object.assign(new Error("Cannot find package " + name), { code: "ERR_MODULE_NOT_FOUND" });
  },
});
const said = (promise) => promise.then(() => "nothing", (error) => error.code + ": " + error.message);
const delivery = { key: "a", digest: "a", event: "e", raw: new Uint8Array(), secretIndex: 0, receivedAt: 0 };`;

const run = (code: string): string =>
  execFileSync(process.execPath, ["--input-type=module", "-e", WITHOUT_BULLMQ + code], {
    encoding: "utf8",
  }).trim();

test("redis() needs bullmq only for its inbox, and says so", () => {
  const said = run(`
    const { redis } = await import("malipo/redis");
    const db = redis("redis://127.0.0.1:1");
    db.idempotency().list().catch(() => {});
    console.log(await said(db.inbox().accept(delivery)));
    process.exit();`);
  expect(said).toBe(
    "configuration: The inbox of redis requires the package bullmq, which is not installed. Install it: npm install bullmq",
  );
});

test("a bundler builds a shop with a checkout in which uqr is not installed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "malipo-bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const installed = join(folder, "node_modules/malipo");
  cpSync("dist", join(installed, "dist"), { recursive: true });
  cpSync("package.json", join(installed, "package.json"));
  const entry = join(installed, "dist/checkout.js");
  const output = { path: join(folder, "built") };
  const compiler = webpack({ mode: "development", target: "node", context: folder, entry, output });
  const stats = await promisify(compiler.run.bind(compiler))();
  expect(stats?.compilation.errors.map(({ message }) => message)).toEqual([]);
});
