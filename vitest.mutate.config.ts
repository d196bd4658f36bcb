import { defineConfig } from "vitest/config";
import { AREAS } from "./scripts/mutation-areas.ts";
import config from "./vitest.config.ts";

const [source] = (config.test?.projects ?? []) as { resolve?: object; test?: object }[];
const area = AREAS.find(({ name }) => name === process.env.MUTATED_AREA);

/** It has a module of its own in place of `#hmac`. */
const APART = "test/webhooks/verification/every-secret.test.ts";

const project = (name: string, test: object) => ({
  ...(source?.resolve && { resolve: source.resolve }),
  // Many a mutant is found out by what never comes: shorter than elsewhere.
  test: { name, testTimeout: 8_000, expect: { poll: { timeout: 4_000 } }, ...test },
});

const together = project("together", {
  include: area?.tests ?? [],
  exclude: [
    APART,
    "test/**/{redis,postgres}*.test.ts",
    // They wait for real deadlines, and their promises are kept over `fetch` by others.
    "test/client/{http/sockets,waiting/wait-failures}.test.ts",
  ],
  isolate: false,
});

export default defineConfig({
  test: {
    projects:
      area?.name === "webhooks" ? [together, project("apart", { include: [APART] })] : [together],
  },
});
