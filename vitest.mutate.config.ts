import { defineConfig } from "vitest/config";
import config from "./vitest.config.ts";

const [source] = (config.test?.projects ?? []) as { resolve?: object; test?: object }[];

// Stryker runs each test hundreds of times: those alone that need no engine, no framework and no
// process of their own.
export default defineConfig({
  ...(source?.resolve && { resolve: source.resolve }),
  test: {
    include: ["test/{client,contract,errors,webhooks}/**/*.test.ts"],
    exclude: [
      "test/webhooks/adapters/**",
      "test/**/{redis,postgres,bullmq,pg-boss}*.test.ts",
      // Stryker runs tests in threads, which cannot change their user.
      "test/webhooks/inbox/sqlite-file.test.ts",
    ],
    testTimeout: 30_000,
  },
});
