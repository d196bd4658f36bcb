import { defineConfig, type Options } from "tsup";
import { writeDistFiles } from "./scripts/dist-files.ts";
import { ENTRY_POINTS, INTERNAL_IMPORTS } from "./scripts/entry-points.ts";
import { onePartOnDemand, phonesMinified, sqliteByItsEntry } from "./scripts/esbuild-plugins.ts";
import { packageVersion } from "./scripts/package-version.ts";
import { pageAssets } from "./scripts/page-assets.ts";
import { phoneMetadata } from "./scripts/phone-metadata.ts";
import { writeCommonJs } from "./scripts/write-commonjs.ts";
import { writeDeclarations } from "./scripts/write-declarations.ts";

const { webhooks, sandbox, msw, learn, operator, ...others } = ENTRY_POINTS;

/** What a merchant's program runs. The `imports` of package.json choose one of two for a runtime. */
const LIBRARY = {
  ...others,
  // What a page with a key loads. No name leads to it: it keeps the rest of `malipo` out of its chunks.
  gateway: "src/client/gateway.ts",
  "hmac.node": "src/internal/hmac/node-hmac.ts",
  "hmac.web": "src/internal/hmac/web-hmac.ts",
  "platform.node": "src/client/platform/node-platform.ts",
  "platform.web": "src/client/platform/web-platform.ts",
};

/** What no payment and no webhook of a merchant goes through. */
const TOOLS = { sandbox, msw, learn, operator };

const memory = INTERNAL_IMPORTS["#memory"];

const external = [...Object.keys(INTERNAL_IMPORTS), /^node:/];

const shared: Options = {
  target: "es2023",
  platform: "neutral",
  format: "esm",
  removeNodeProtocol: false,
  external,
  define: { ...packageVersion, ...phoneMetadata, ...(await pageAssets()) },
  esbuildPlugins: [onePartOnDemand, phonesMinified],
};

/** Entry points with chunks: what several of them need exists once, and parts are loaded on demand. */
const split = (chunks: string): Options => ({
  ...shared,
  splitting: true,
  esbuildOptions: (options) => {
    options.chunkNames = `${chunks}/[name]-[hash]`;
    // Minified code and long texts have several lines, so that a stack points at a place.
    options.lineLimit = 200;
  },
});

export default defineConfig(async ({ dts }) => {
  await writeDistFiles();
  if (dts !== false) await writeDeclarations();
  const tools = { ...TOOLS, page: INTERNAL_IMPORTS["#page"], cli: "src/cli/main.ts" };
  return [
    { ...split("chunks"), entry: LIBRARY },
    // A process that receives webhooks often starts for one delivery: one file is found soonest.
    { ...shared, entry: { webhooks }, splitting: false },
    // What `memory()` loads shares no file with `malipo`, and its orders are in `malipo/sqlite`.
    {
      ...shared,
      entry: { memory },
      splitting: false,
      minify: true,
      esbuildPlugins: [sqliteByItsEntry, phonesMinified],
    },
    { ...split("tools"), entry: tools, minify: true, external: [...external, "malipo/checkout"] },
    {
      ...split("chunks"),
      entry: { ...LIBRARY, ...TOOLS, webhooks, memory },
      outExtension: () => ({ js: ".cjs" }),
      inject: ["src/internal/text-encoder.ts"],
      onSuccess: () => writeCommonJs(Object.keys(TOOLS), "react"),
    },
  ];
});
