import { defineConfig } from "vitest/config";

/** `npm run shops`: the shop on the real Next.js. `npm test` calls its routes by their shape. */
export default defineConfig({
  test: {
    include: ["test/runtimes/shops/*.shop.ts"],
    testTimeout: 120_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 25_000 } },
  },
});
