import { rmSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import type { BuildOptions } from "esbuild";
import { defineConfig, type Options } from "tsup";
import { writeCommonJs, writeModuleTypes } from "./scripts/commonjs.ts";
import { ENTRY_POINTS as entries } from "./scripts/entry-points.ts";
import { pageAssets } from "./scripts/page-assets.ts";
import { openApiDocument } from "./src/openapi/document.ts";
import { ASSUMPTIONS } from "./src/sandbox/assumptions.ts";

/** The service as OpenAPI, at the address where `npx malipo sandbox` has it. */
function writeOpenApi(): Promise<void> {
  const { prefix, port } = ASSUMPTIONS.address.value;
  const document = openApiDocument(`http://127.0.0.1:${port}${prefix}`);
  return writeFile("dist/openapi.json", `${JSON.stringify(document)}\n`);
}

/** Which HMAC a runtime gets is decided by the `imports` of package.json, when it is loaded. */
const hmac = {
  "hmac.node": "src/webhooks/verification/hmac/node.ts",
  "hmac.web": "src/webhooks/verification/hmac/web.ts",
};

/** What a served sandbox loads when somebody looks: once, whichever form asks for it. */
const lookedAt = { page: "src/sandbox/page/server.ts", openapi: "src/openapi/document.ts" };

const INSIDE = ["#hmac", "#page", "#openapi"];

/** Names stay, so that a stack that a user sends can be read. */
function minify(options: BuildOptions): void {
  options.minifyWhitespace = true;
  options.minifySyntax = true;
}

const library: Options = {
  target: "es2023",
  removeNodeProtocol: false,
  platform: "neutral",
  external: [...INSIDE, /^node:/],
  noExternal: ["@noble/hashes"],
  splitting: true,
  esbuildOptions: minify,
};

let esmBuilds = 2;

const onSuccess = async () => {
  if (--esmBuilds > 0) return;
  await copyFile("node_modules/@noble/hashes/LICENSE", "dist/LICENSE.noble-hashes.txt");
  await writeOpenApi();
  await writeCommonJs();
  await writeModuleTypes(Object.keys(entries));
};

const esm: Options = {
  ...library,
  entry: { ...entries, ...hmac, ...lookedAt },
  format: ["esm"],
  define: await pageAssets(),
  onSuccess,
};

/** In one file, for Node: a function that only checks webhooks has one file to load. */
const esmWebhooks: Options = {
  ...library,
  entry: { "webhooks.node": entries.webhooks },
  format: ["esm"],
  external: [/^node:/],
  splitting: false,
  esbuildOptions: (options) => {
    minify(options);
    options.alias = { "#hmac": "./src/webhooks/verification/hmac/node.ts" };
  },
  onSuccess,
};

/**
 * Declared once, for CommonJS: an ES module can take its types from there, and not the other way
 * round. The code is made of the ES modules, by `writeCommonJs`.
 */
const types: Options = {
  ...library,
  entry: entries,
  format: ["cjs"],
  dts: { entry: entries, compilerOptions: { stripInternal: true }, only: true },
};

/**
 * `npx malipo`: everything in, `zod` too, so that it starts fast. Each command is a file of its own,
 * loaded when it is called.
 */
const commandLine: Options = {
  entry: { cli: "src/cli/main.ts" },
  format: ["esm"],
  target: "es2023",
  removeNodeProtocol: false,
  platform: "node",
  external: INSIDE,
  noExternal: ["zod"],
  // It is run, never read or bundled: a third less to download.
  minify: true,
  esbuildOptions: (options) => {
    options.chunkNames = "cli/[name]-[hash]";
  },
  onSuccess: () => copyFile("node_modules/zod/LICENSE", "dist/LICENSE.zod.txt"),
};

// Before any of them begins, since they build side by side.
rmSync("dist", { recursive: true, force: true });

const code = [esm, esmWebhooks, commandLine];

export default defineConfig(({ dts }) => (dts === false ? code : [...code, types]));
