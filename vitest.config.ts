import { globSync, mkdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { ENTRY_POINTS, INTERNAL_IMPORTS, moduleName } from "./scripts/entry-points.ts";
import { packageVersion } from "./scripts/package-version.ts";
import { pageAssets } from "./scripts/page-assets.ts";
import { phoneMetadata } from "./scripts/phone-metadata.ts";
import { SlowFirst } from "./scripts/slow-first.ts";
import { resultsReporter } from "./scripts/test-results.ts";

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

/** What a build puts in place of names in the sources. */
export const define = { ...packageVersion, ...phoneMetadata, ...(await pageAssets()) };

const runFolder = source("./node_modules/.cache/run");
mkdirSync(runFolder, { recursive: true });

/** Longer checks, which `npm run test:long` runs. */
export const LONG = "test/**/*.long.test.ts";
/** They use the package as a shop does, from the tarball or from `dist`. */
const INSTALLED = "test/{package,browser,docs,cli/installed,drill}/**/*.test.ts";
/**
 * Longer checks that wait most of their time, for timers of shops, leases and locks. They run together, after the others:
 * what is busy beside them would make their waits longer.
 */
const WAITING = {
  source: [
    "test/{storage,client/wakeups,idempotency/redis}/**/*.long.test.ts",
    "test/webhooks/inbox/**/{groups,kills,server-clock}.long.test.ts",
  ],
  installed: [
    "test/drill/*.long.test.ts",
    "test/docs/{examples-{durable,own-orders,tickets},path,rehearse}.long.test.ts",
    "test/docs/shops/*.long.test.ts",
    "test/package/idempotency-processes.long.test.ts",
  ],
};
/** They use a Redis, a PostgreSQL or a MariaDB, or wait for a deadline: most of their time they wait. */
const ENGINES = [
  "test/**/{redis,postgres,mysql,bullmq}/**/*.test.ts",
  "test/**/{redis,postgres,mysql}*.test.ts",
  "test/idempotency/{model/stores,stored-data/stored-data}.test.ts",
  "test/webhooks/inbox/**/*.test.ts",
  "test/support/orms/*.test.ts",
];
/**
 * They change what belongs to the whole process, or count its timers. What a file loads while timers are fake or
 * modules are replaced would stay loaded for the files after it, and a timer that an earlier file left is counted.
 */
export const ALONE: readonly string[] = [
  ...globSync("test/**/*.test.ts", { exclude: ["**/node_modules"] }).filter((file) =>
    /vi\.(?:resetModules|mock|doMock|getTimerCount)\(|Object\.prototype\b/.test(
      readFileSync(file, "utf8"),
    ),
  ),
  // A process warns once.
  "test/client/memory-warning.test.ts",
];

const NODE_MODULES = "**/node_modules/**";

const CORES = availableParallelism();
/** Tests wait for engines, browsers and timers for two thirds of their time. */
const busy = { maxWorkers: CORES + 2 };
/** The long ones start processes by the dozen, and the waits of drills grow with the work beside them. */
const forLong = { maxWorkers: CORES + 1 };
/** Each group has one number of processes. */
const afterShort = { sequence: { groupOrder: 1 } };
const waiting = { sequence: { groupOrder: 2 } };

/**
 * These tests kill and pause engines and processes. `npm test` prints each test that needed its second run, with the
 * message of the first one, and more than three of them are red.
 */
const secondRun = { retry: 1 };

/**
 * A test waits for what happens: a line, a row, an event. Only one that hangs reaches these limits, on the busiest
 * machine. No test has one of its own.
 */
const everywhere = (minutes: number) => ({
  ...busy,
  setupFiles: source("./test/support/processor-time.ts"),
  testTimeout: minutes * 60_000,
  hookTimeout: minutes * 60_000,
  expect: { poll: { timeout: 120_000 } },
});

// As in "engines": they run some of the same suites, side by side.
const long = { clearMocks: false, ...everywhere(20), ...forLong, ...secondRun, ...afterShort };

// Tests find no sandbox of the developer, and the developer's commands find none of theirs.
const env = { XDG_RUNTIME_DIR: runFolder };

/** `npm test` and `npm run test:long` read the results. */
const resultsFile = process.env.MALIPO_TEST_RESULTS;

export default defineConfig({
  test: {
    globalSetup: "test/support/engines/setup.ts",
    reporters: resultsFile ? ["default", resultsReporter(resultsFile)] : ["default"],
    sequence: { sequencer: SlowFirst },
    // What runs side by side in one file are drills: they wait for timers of shops, and take a sixth of a core each.
    maxConcurrency: 8,
    coverage: {
      include: ["src/**"],
      // Tested as installed, in other processes and browsers, where coverage is not measured.
      exclude: ["src/cli/{main,run-process}.ts", "src/integrations/react.ts", "src/**/index.ts"],
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
          ...everywhere(5),
        },
      },
      {
        define,
        resolve: { alias },
        test: {
          name: "engines",
          include: ENGINES,
          exclude: [NODE_MODULES, INSTALLED, LONG, ...ALONE],
          isolate: false,
          // Tests that run side by side would clear the mocks of each other.
          clearMocks: false,
          ...everywhere(5),
          ...secondRun,
        },
      },
      {
        define,
        resolve: { alias },
        test: {
          name: "alone",
          include: [...ALONE],
          exclude: [NODE_MODULES, INSTALLED, LONG],
          ...everywhere(5),
          ...secondRun,
        },
      },
      {
        define,
        resolve: { alias: [...alias, ...msw2] },
        test: {
          name: "msw 2",
          include: ["test/**/*.msw.test.ts"],
          isolate: false,
          ...everywhere(5),
        },
      },
      {
        define,
        test: {
          name: "as installed",
          env,
          include: [INSTALLED, "examples/**/*.test.ts"],
          exclude: [NODE_MODULES, LONG],
          ...everywhere(5),
        },
      },
      {
        define,
        resolve: { alias },
        test: {
          name: "long",
          include: [LONG],
          exclude: [NODE_MODULES, INSTALLED, ...WAITING.source],
          ...long,
        },
      },
      {
        define,
        resolve: { alias },
        test: {
          name: "long, waiting",
          include: WAITING.source,
          ...long,
          ...waiting,
        },
      },
      {
        define,
        test: {
          name: "long, as installed",
          env,
          include: ["test/{package,browser,docs,cli/installed,drill}/**/*.long.test.ts"],
          exclude: [NODE_MODULES, ...WAITING.installed],
          ...long,
        },
      },
      {
        define,
        test: {
          name: "long, as installed, waiting",
          env,
          include: WAITING.installed,
          ...long,
          ...waiting,
        },
      },
    ],
  },
});
