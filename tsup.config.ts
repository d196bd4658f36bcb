import { copyFile } from "node:fs/promises";
import { defineConfig } from "tsup";

/** What the `exports` of package.json name. */
const entries = {
  index: "src/index.ts",
  webhooks: "src/webhooks/index.ts",
  fetch: "src/webhooks/adapters/fetch.ts",
  node: "src/webhooks/adapters/node.ts",
  fastify: "src/webhooks/adapters/fastify.ts",
  lambda: "src/webhooks/adapters/lambda.ts",
  "inbox/sqlite": "src/webhooks/inbox/sqlite.ts",
  sandbox: "src/sandbox/index.ts",
  msw: "src/sandbox/msw.ts",
  "idempotency/sqlite": "src/client/idempotency/sqlite.ts",
  "idempotency/redis": "src/client/idempotency/redis.ts",
  "idempotency/postgres": "src/client/idempotency/postgres.ts",
  react: "src/integrations/react.ts",
  otel: "src/integrations/otel.ts",
  "wakeups/redis": "src/client/wakeups/redis.ts",
};

export default defineConfig({
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
  onSuccess: () => copyFile("node_modules/@noble/hashes/LICENSE", "dist/LICENSE.noble-hashes.txt"),
});
