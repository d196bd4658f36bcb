import { readFile } from "node:fs/promises";
import { type Plugin, transform } from "esbuild";
import { defineConfig, type Options } from "tsup";
import { BUNDLED_PACKAGES, writeDistFiles } from "./scripts/dist-files.ts";
import { ENTRY_POINTS, INTERNAL_IMPORTS } from "./scripts/entry-points.ts";
import { indentWithTabs } from "./scripts/indent-with-tabs.ts";
import { packageVersion } from "./scripts/package-version.ts";
import { pageAssets } from "./scripts/page-assets.ts";

/** Which of these a runtime gets is decided by the `imports` of package.json, when they are loaded. */
const BY_RUNTIME = {
  "hmac.node": "src/webhooks/verification/hmac/node.ts",
  "hmac.web": "src/webhooks/verification/hmac/web.ts",
  "platform.node": "src/client/platform/node.ts",
  "platform.web": "src/client/platform/web.ts",
};

/** A served sandbox loads it on demand. An ES module only: CommonJS can `import()` it. */
const LOADED_ON_DEMAND = { page: INTERNAL_IMPORTS["#page"] };

/** `npx malipo` shares the library's modules. Each command is loaded when it is called. */
const COMMAND_LINE = { cli: "src/cli/main.ts" };

const internalImports = Object.keys(INTERNAL_IMPORTS);

/**
 * Comments stay in the declarations, where editors show them. esbuild drops all comments of a file only
 * together with its spaces: the bundle is printed with spaces again.
 */
const withoutComments: Plugin = {
  name: "without-comments",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const { code } = await transform(source, {
        loader: "ts",
        minifyWhitespace: true,
        legalComments: "none",
        sourcefile: path,
        target: "esnext",
      });
      return { contents: code };
    }),
};

type BuildPlugin = NonNullable<Options["plugins"]>[number];

const withTabs: BuildPlugin = {
  name: "with-tabs",
  renderChunk: (code) => ({ code: indentWithTabs(code) }),
};

/** Nothing is minified: an uncaught error prints a line that can be read. */
const shared: Options = {
  target: "es2023",
  platform: "neutral",
  removeNodeProtocol: false,
  splitting: true,
  external: [...internalImports, /^node:/],
  // Rollup finishes each file. It makes the CommonJS form (the alternative, Sucrase, would also
  // rewrite newer syntax that every supported runtime has), and drops imports that nothing uses.
  treeshake: { moduleSideEffects: false },
  esbuildPlugins: [withoutComments],
  plugins: [withTabs],
  noExternal: Object.keys(BUNDLED_PACKAGES),
  define: { ...packageVersion, ...(await pageAssets()) },
  esbuildOptions: (options) => {
    options.chunkNames = "chunks/[hash]";
    // Only long tables have longer lines.
    options.lineLimit = 200;
  },
};

const esModules: Options = {
  ...shared,
  entry: { ...ENTRY_POINTS, ...BY_RUNTIME, ...LOADED_ON_DEMAND, ...COMMAND_LINE },
  format: ["esm"],
};

/**
 * CommonJS requires what the ES modules import on demand: Jest allows no `import()` without a flag, and
 * nobody downloads a CommonJS package.
 */
const requireOnDemand: BuildPlugin = {
  name: "require-on-demand",
  renderChunk: (code) => ({
    code: code.replace(
      /\bimport\((["']\.{1,2}\/[^"']+["'])\)/g,
      "Promise.resolve().then(() => require($1))",
    ),
  }),
};

const commonJs: Options = {
  ...shared,
  plugins: [withTabs, requireOnDemand],
  entry: { ...ENTRY_POINTS, ...BY_RUNTIME },
  format: ["cjs"],
};

/**
 * Declarations are bundled once, for CommonJS. Those of the ES modules refer to them in one line:
 * an ES module may take its types from CommonJS, but not the other way round.
 */
const types: Options = {
  ...shared,
  entry: ENTRY_POINTS,
  format: ["cjs"],
  dts: { entry: ENTRY_POINTS, compilerOptions: { stripInternal: true }, only: true },
};

const code = [esModules, commonJs];

export default defineConfig(async ({ dts }) => {
  await writeDistFiles();
  return dts === false ? code : [...code, types];
});
