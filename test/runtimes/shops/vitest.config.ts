import { defineConfig } from "vitest/config";

/** `npm run shops`: the shop on the real Next.js, whose routes `npm test` calls by their shape,
 * the real Vendure and the real Medusa. */
export default defineConfig({
  test: {
    globalSetup: "test/support/engines/setup.ts",
    include: ["test/runtimes/shops/*.shop.ts", "test/docs/examples-vendure.long.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 25_000 } },
  },
});
