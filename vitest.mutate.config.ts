import { defineConfig } from "vitest/config";
import config from "./vitest.config.ts";

const [source] = (config.test?.projects ?? []) as { resolve?: object; test?: object }[];

/** It has a module of its own in place of `#hmac`. */
const APART = "test/webhooks/every-secret.test.ts";

const project = (name: string, test: object) => ({
  ...(source?.resolve && { resolve: source.resolve }),
  // Many a mutant is found out by what never comes: shorter than elsewhere.
  test: { name, testTimeout: 8_000, expect: { poll: { timeout: 4_000 } }, ...test },
});

// Stryker runs each test hundreds of times: those alone that need no engine.
export default defineConfig({
  test: {
    projects: [
      project("together", {
        include: ["test/{client,contract,errors,webhooks}/**/*.test.ts"],
        exclude: [
          APART,
          "test/**/{redis,postgres,bullmq,pg-boss}*.test.ts",
          // Stryker runs tests in threads, which cannot change their user.
          "test/webhooks/inbox/sqlite-file.test.ts",
          // They wait for real deadlines, and their promises are kept over `fetch` by others.
          "test/client/{sockets,settlement-failures}.test.ts",
        ],
        isolate: false,
      }),
      project("apart", { include: [APART] }),
    ],
  },
});
