import { defineConfig } from "vitest/config";
import { define } from "../../../vitest.config.ts";
import { shopTable } from "./shop-table.ts";

/** `npm run shops`: the shops of the manual on their real frameworks, the real Vendure and the real Medusa, shops that had
 * their own orders, and one with limited stock. It ends with a table of what each of them said. */
export default defineConfig({
  define, // a drill of a shop runs the sources
  test: {
    globalSetup: "test/support/engines/setup.ts",
    include: [
      "test/runtimes/shops/*.shop.ts",
      "test/docs/examples-{vendure,own-orders,tickets}.long.test.ts",
    ],
    reporters: ["default", shopTable],
    testTimeout: 600_000,
    hookTimeout: 1_800_000, // a busy machine takes ten minutes to install Medusa
    expect: { poll: { timeout: 60_000 } },
  },
});
