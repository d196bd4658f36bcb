import { copyFile, rm, writeFile } from "node:fs/promises";
import { defineConfig, type Options } from "tsup";
import { openApiDocument } from "./src/openapi/document.ts";
import { ASSUMPTIONS } from "./src/sandbox/assumptions.ts";

/** The service as OpenAPI, at the address where `npx malipo sandbox` has it. */
function writeOpenApi(): Promise<void> {
  const { prefix, port } = ASSUMPTIONS.address.value;
  const document = openApiDocument(`http://127.0.0.1:${port}${prefix}`);
  return writeFile("dist/openapi.json", `${JSON.stringify(document)}\n`);
}

/** What the `exports` of package.json name. */
const entries = {
  index: "src/index.ts",
  webhooks: "src/webhooks/index.ts",
  fetch: "src/webhooks/adapters/fetch.ts",
  node: "src/webhooks/adapters/node.ts",
  fastify: "src/webhooks/adapters/fastify.ts",
  lambda: "src/webhooks/adapters/lambda.ts",
  "inbox/sqlite": "src/webhooks/inbox/sqlite.ts",
  "inbox/bullmq": "src/webhooks/inbox/bullmq.ts",
  "inbox/pg-boss": "src/webhooks/inbox/pg-boss.ts",
  sandbox: "src/sandbox/index.ts",
  msw: "src/sandbox/msw.ts",
  "idempotency/sqlite": "src/client/idempotency/sqlite.ts",
  "idempotency/redis": "src/client/idempotency/redis.ts",
  "idempotency/postgres": "src/client/idempotency/postgres.ts",
  react: "src/integrations/react.ts",
  otel: "src/integrations/otel.ts",
  "wakeups/redis": "src/client/wakeups/redis.ts",
};

const library: Options = {
  entry: {
    ...entries,
    "hmac.node": "src/webhooks/hmac/node.ts",
    "hmac.web": "src/webhooks/hmac/web.ts",
  },
  format: ["esm", "cjs"],
  target: "es2023",
  platform: "neutral",
  dts: { entry: entries, compilerOptions: { stripInternal: true } },
  // Which HMAC a runtime gets is decided there, by the `imports` of package.json.
  external: ["#hmac", "node:crypto"],
  noExternal: ["@noble/hashes"],
  clean: false,
  onSuccess: async () => {
    await copyFile("node_modules/@noble/hashes/LICENSE", "dist/LICENSE.noble-hashes.txt");
    await writeOpenApi();
  },
};

/**
 * `npx malipo`: everything in, `zod` too, so that it starts fast. Each command is a file of its own,
 * loaded when it is called.
 */
const commandLine: Options = {
  entry: { cli: "src/cli/main.ts" },
  format: ["esm"],
  target: "es2023",
  platform: "node",
  noExternal: ["zod"],
  // It is run, never read or bundled: a third less to download.
  minify: true,
  esbuildOptions: (options) => {
    options.chunkNames = "cli/[name]-[hash]";
  },
  plugins: [
    { name: "no stale files", buildStart: () => rm("dist/cli", { recursive: true, force: true }) },
  ],
  onSuccess: () => copyFile("node_modules/zod/LICENSE", "dist/LICENSE.zod.txt"),
};

export default defineConfig([library, commandLine]);
