import { defineConfig, type Options } from "tsup";
import { BUNDLED_PACKAGES, writeDistFiles } from "./scripts/dist-files.ts";
import { ENTRY_POINTS, INTERNAL_IMPORTS } from "./scripts/entry-points.ts";
import { mergeChunks, ONLY_IN_BUILD } from "./scripts/merge-chunks.ts";
import { packageVersion } from "./scripts/package-version.ts";
import { pageAssets } from "./scripts/page-assets.ts";
import { withoutComments } from "./scripts/without-comments.ts";
import { writeDeclarations } from "./scripts/write-declarations.ts";

/** Which of these a runtime gets is decided by the `imports` of package.json, when they are loaded. */
const BY_RUNTIME = {
  "hmac.node": "src/internal/hmac/node-hmac.ts",
  "hmac.web": "src/internal/hmac/web-hmac.ts",
  "platform.node": "src/client/platform/node-platform.ts",
  "platform.web": "src/client/platform/web-platform.ts",
};

/** A served sandbox loads it on demand. An ES module only: CommonJS can `import()` it. */
const LOADED_ON_DEMAND = { page: INTERNAL_IMPORTS["#page"] };

/** `npx malipo` shares the library's modules. Each command is loaded when it is called. */
const COMMAND_LINE = {
  cli: "src/cli/main.ts",
  command: "src/cli/run-process.ts",
  "sandbox-command": "src/cli/commands/sandbox.ts",
};

const internalImports = Object.keys(INTERNAL_IMPORTS);

/** Nothing is minified: an uncaught error prints a line that can be read. */
const shared: Options = {
  target: "es2023",
  platform: "neutral",
  removeNodeProtocol: false,
  splitting: true,
  external: [...internalImports, /^node:/],
  esbuildPlugins: [withoutComments],
  noExternal: Object.keys(BUNDLED_PACKAGES),
  define: { ...packageVersion, ...(await pageAssets()) },
  esbuildOptions: (options) => {
    options.chunkNames = "chunks/[hash]";
    // Only long tables have longer lines.
    options.lineLimit = 200;
  },
};

const library = { ...ENTRY_POINTS, ...BY_RUNTIME, ...ONLY_IN_BUILD };
const all = { ...library, ...LOADED_ON_DEMAND, ...COMMAND_LINE };

export default defineConfig(async ({ dts }) => {
  await writeDistFiles();
  return {
    ...shared,
    entry: all,
    format: ["esm"],
    onSuccess: async () => {
      await mergeChunks(Object.keys(all), Object.keys(library));
      if (dts !== false) await writeDeclarations();
    },
  };
});
