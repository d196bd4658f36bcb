import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { ENTRY_POINTS, INTERNAL_IMPORTS, moduleName } from "./scripts/entry-points.ts";
import { packageVersion } from "./scripts/package-version.ts";
import { pageAssets } from "./scripts/page-assets.ts";

// The shops' time zone on every machine, so that code that depends on the local zone fails.
process.env.TZ = "Africa/Nairobi";

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Resolves the package's own names to the sources. */
const alias = [
  ...Object.entries(INTERNAL_IMPORTS),
  ...Object.entries(ENTRY_POINTS).map(([entry, path]) => [moduleName(entry), path] as const),
].map(([name, path]) => ({ find: new RegExp(`^${name}$`), replacement: source(path) }));

const msw2 = [
  { find: /^msw$/, replacement: "msw-2" },
  { find: /^msw\/node$/, replacement: "msw-2/node" },
];

const define = { ...packageVersion, ...(await pageAssets()) };

const runFolder = source("./node_modules/.cache/run");
mkdirSync(runFolder, { recursive: true });

export default defineConfig({
  test: {
    // Many tests wait, for engines and for processes. On two cores the default would be one worker.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    coverage: {
      include: ["src/**"],
      // Tested as installed, in other processes and browsers, where coverage is not measured.
      exclude: ["src/cli/**", "src/integrations/react.ts", "src/**/index.ts"],
    },
    projects: [
      {
        define,
        resolve: { alias },
        test: {
          name: "source",
          include: ["test/**/*.test.ts"],
          exclude: [
            "**/node_modules/**",
            "test/package/**",
            "test/browser/**",
            "test/docs/**",
            "test/cli/**",
            "test/drill/**",
          ],
          // Long enough for a busy machine.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 25_000 } },
        },
      },
      {
        define,
        resolve: { alias: [...alias, ...msw2] },
        test: { name: "msw 2", include: ["test/**/*.msw.test.ts"] },
      },
      {
        test: {
          name: "as installed",
          // Tests find no sandbox of the developer, and the developer's commands find none of theirs.
          env: { XDG_RUNTIME_DIR: runFolder },
          include: ["test/{package,browser,docs,cli,drill}/**/*.test.ts", "examples/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          expect: { poll: { timeout: 25_000 } },
        },
      },
    ],
  },
});
