import { globSync, mkdirSync, readFileSync } from "node:fs";
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

/** Longer checks, which `npm run test:long` runs. */
export const LONG = "test/**/*.long.test.ts";
/** They use the package as a shop does, from the tarball or from `dist`. */
const INSTALLED = "test/{package,browser,docs,cli,drill}/**/*.test.ts";
/** They use a Redis or a PostgreSQL, or wait for a deadline: most of their time they wait. */
const ENGINES = [
  "test/**/{redis,postgres,bullmq,pg-boss}/**/*.test.ts",
  "test/**/{redis,postgres}*.test.ts",
  "test/idempotency/{model/stores,stored-data/stored-data}.test.ts",
  "test/webhooks/inbox/**/*.test.ts",
];
/**
 * They change what belongs to the whole process, or count its timers. What a file loads while timers are fake or
 * modules are replaced would stay loaded for the files after it, and a timer that an earlier file left is counted.
 */
export const ALONE: readonly string[] = [
  ...globSync("test/**/*.test.ts").filter((file) =>
    /vi\.(?:resetModules|mock|doMock|getTimerCount)\(|Object\.prototype\b/.test(
      readFileSync(file, "utf8"),
    ),
  ),
  // A process warns once.
  "test/client/memory-warning.test.ts",
];

const NODE_MODULES = "**/node_modules/**";

/**
 * These tests kill and pause engines and processes, and wait for real deadlines. On two shared cores a process gets no
 * time for seconds now and then. The report shows each test that needed its second run.
 */
const onBusyMachines = { retry: 1 };

/** Long enough for a busy machine. */
const sourceLimits = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 25_000 } },
};
const installedLimits = {
  testTimeout: 120_000,
  hookTimeout: 300_000,
  // A process starts slowly while all others run.
  expect: { poll: { timeout: 60_000 } },
};

// Tests find no sandbox of the developer, and the developer's commands find none of theirs.
const env = { XDG_RUNTIME_DIR: runFolder };

export default defineConfig({
  test: {
    globalSetup: "test/support/engines/setup.ts",
    // Many tests wait, for engines, deadlines and processes.
    maxWorkers: Math.max(8, availableParallelism()),
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
          exclude: [NODE_MODULES, INSTALLED, LONG, ...ENGINES, ...ALONE],
          // One process runs many files, one after another.
          isolate: false,
          ...sourceLimits,
        },
      },
      {
        define,
        resolve: { alias },
        test: {
          name: "engines",
          include: [...ENGINES, ...ALONE],
          exclude: [NODE_MODULES, INSTALLED, LONG],
          ...sourceLimits,
          ...onBusyMachines,
        },
      },
      {
        define,
        resolve: { alias: [...alias, ...msw2] },
        test: { name: "msw 2", include: ["test/**/*.msw.test.ts"], isolate: false },
      },
      {
        test: {
          name: "as installed",
          env,
          include: [INSTALLED, "examples/**/*.test.ts"],
          exclude: [NODE_MODULES, LONG],
          ...installedLimits,
        },
      },
      {
        define,
        resolve: { alias },
        test: {
          name: "long",
          include: [LONG],
          exclude: [NODE_MODULES, INSTALLED],
          ...sourceLimits,
          ...onBusyMachines,
        },
      },
      {
        test: {
          name: "long, as installed",
          env,
          include: ["test/{package,browser,docs,cli,drill}/**/*.long.test.ts"],
          ...installedLimits,
          ...onBusyMachines,
        },
      },
    ],
  },
});
