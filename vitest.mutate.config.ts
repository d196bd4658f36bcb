import { defineConfig } from "vitest/config";
import { AREAS } from "./scripts/mutation-areas.ts";
import config from "./vitest.config.ts";

const [source] = (config.test?.projects ?? []) as {
  define?: Record<string, string>;
  resolve?: object;
}[];
const area = AREAS.find(({ name }) => name === process.env.MUTATED_AREA);

/** It replaces `#hmac` by a module of its own. */
const ISOLATED = "test/webhooks/verification/every-secret.test.ts";

const project = (name: string, test: object) => ({
  ...(source?.define && { define: source.define }),
  ...(source?.resolve && { resolve: source.resolve }),
  // Many changes are killed by a timeout, so it is shorter than elsewhere.
  test: { name, testTimeout: 20_000, expect: { poll: { timeout: 4_000 } }, ...test },
});

const sharedProcess = project("shared", {
  include: area?.tests ?? [],
  exclude: [
    ISOLATED,
    // They start an engine or another process.
    "test/**/{redis,postgres}*.test.ts",
    "test/**/{redis,postgres}/*.test.ts",
    "test/idempotency/{model/stores,stored-data/stored-data}.test.ts",
    "test/client/{many-gateways,platform/attempt-log-process}.test.ts",
    // A process warns once, and another test has seen to that.
    "test/client/memory-warning.test.ts",
    // They wait for real deadlines, or try thousands of cases. Others check the same promises faster.
    "test/client/{http/sockets,waiting/wait-failures,response/learned-services}.test.ts",
    "test/client/{unknown-outcomes/absent.long,resources/rows.msw}.test.ts",
  ],
  isolate: false,
});

export default defineConfig({
  test: {
    projects:
      area?.name === "webhooks"
        ? [sharedProcess, project("isolated", { include: [ISOLATED] })]
        : [sharedProcess],
  },
});
