import { globSync } from "node:fs";
import { defineConfig } from "vitest/config";
import config, { ALONE, LONG } from "../../vitest.config.ts";
import { AREAS } from "../mutation-areas.ts";

const [source] = (config.test?.projects ?? []) as {
  define?: Record<string, string>;
  resolve?: object;
}[];
const area = AREAS.find(({ name }) => name === process.env.MUTATED_AREA);

/** The tests of the area that change what belongs to their process. */
const isolated = globSync([...(area?.tests ?? [])]).filter((file) => ALONE.includes(file));

const EXCLUDED = [
  // Only the tests of `npm test` count.
  LONG,
  // They start an engine or another process.
  "test/**/{redis,postgres}*.test.ts",
  "test/**/{redis,postgres,bullmq}/**/*.test.ts",
  "test/idempotency/{model/stores,stored-data/stored-data}.test.ts",
  "test/client/{many-gateways,platform/attempt-log-process}.test.ts",
  // They wait for real deadlines, or try thousands of cases. Others check the same promises faster.
  "test/client/{http/sockets,waiting/wait-failures,response/learned-services}.test.ts",
  // They are the tests of another file again, with another msw.
  "test/**/*.msw.test.ts",
];

const project = (name: string, test: object) => ({
  ...(source?.define && { define: source.define }),
  ...(source?.resolve && { resolve: source.resolve }),
  // Many changes are killed by a timeout, so it is shorter than elsewhere.
  test: { name, testTimeout: 20_000, expect: { poll: { timeout: 4_000 } }, ...test },
});

const sharedProcess = project("shared", {
  include: area?.tests ?? [],
  exclude: [...EXCLUDED, ...isolated],
  isolate: false,
});

export default defineConfig({
  test: {
    projects:
      isolated.length > 0
        ? [sharedProcess, project("isolated", { include: isolated, exclude: EXCLUDED })]
        : [sharedProcess],
  },
});
