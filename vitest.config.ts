import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// The shops' own zone, wherever the tests run: what reads a date as if it were here is found out.
process.env.TZ = "Africa/Nairobi";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The package by its own names, taken from the sources. */
const alias = [
  { find: "#hmac", replacement: source("src/webhooks/hmac/node.ts") },
  { find: "#page", replacement: source("src/sandbox/page/server.ts") },
  { find: "#openapi", replacement: source("src/openapi/document.ts") },
  { find: /^malipo$/, replacement: source("src/index.ts") },
  { find: /^malipo\/webhooks$/, replacement: source("src/webhooks/index.ts") },
  {
    find: /^malipo\/(fetch|node|fastify|lambda)$/,
    replacement: source("src/webhooks/adapters/$1.ts"),
  },
  { find: /^malipo\/inbox\/([\w-]+)$/, replacement: source("src/webhooks/inbox/$1.ts") },
  { find: /^malipo\/sandbox$/, replacement: source("src/sandbox/index.ts") },
  { find: /^malipo\/msw$/, replacement: source("src/sandbox/msw.ts") },
  { find: /^malipo\/(react|otel)$/, replacement: source("src/integrations/$1.ts") },
  { find: /^malipo\/(idempotency|wakeups)\/(\w+)$/, replacement: source("src/client/$1/$2.ts") },
];

const msw2 = [
  { find: /^msw$/, replacement: "msw-2" },
  { find: /^msw\/node$/, replacement: "msw-2/node" },
];

export default defineConfig({
  test: {
    coverage: {
      include: ["src/**"],
      // Run as installed, in processes and browsers of their own, where nothing is counted.
      exclude: ["src/cli/**", "src/integrations/react.ts", "src/**/index.ts"],
    },
    projects: [
      {
        resolve: { alias },
        test: {
          name: "source",
          include: ["test/**/*.test.ts"],
          exclude: ["test/package/**", "test/browser/**", "test/usage/**", "test/cli/**"],
          // A busy machine is no failure.
          testTimeout: 30_000,
          expect: { poll: { timeout: 25_000 } },
        },
      },
      {
        resolve: { alias: [...alias, ...msw2] },
        test: { name: "msw 2", include: ["test/**/*.msw.test.ts"] },
      },
      {
        test: {
          name: "as installed",
          include: ["test/{package,browser,usage,cli}/**/*.test.ts", "examples/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 25_000 } },
        },
      },
    ],
  },
});
